#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: it compares switches of the whole machine
# "Ran instead": each wait for a CPU is divided among the threads that ran there meanwhile, according to
# the kernel's switch events, and not assigned to the last thread on the CPU.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
if [ "$(id -u)" != 0 ] || ! command -v perf >/dev/null || ! command -v python3 >/dev/null; then
	echo "needs root, perf and python3"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >spin.py <<'PYTHON'
"""Alternately runs for RUN ms of CPU time and sleeps for SLEEP ms, for three seconds."""
import sys
import time

run, sleep = float(sys.argv[1]) / 1e3, float(sys.argv[2]) / 1e3
end = time.time() + 3
while time.time() < end:
    start = time.process_time()
    while time.process_time() - start < run and time.time() < end:
        pass
    if sleep:
        time.sleep(sleep)
PYTHON
cat >load <<'SHELL'
python3 spin.py 50 0 &
python3 spin.py 1 19 &
python3 spin.py 2 5 &
echo $!
wait
SHELL
perf record -q -C 0 -k CLOCK_MONOTONIC -e sched:sched_switch,sched:sched_waking -a -o switches.data -- \
	taskset -c 0 "$CUPEL" wall --json -o wall.json -- sh load >waiter
perf script -F tid,time,event,trace -i switches.data >switches 2>/dev/null

cat >compare.py <<'PYTHON'
import json
import re
import sys

waiter = int(open("waiter").read())
turns, truth, since = [], {}, None
switch = re.compile(r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)")
began = None
for line in open("switches"):
    time = float(re.search(r"(\d+\.\d+):", line).group(1))
    found = switch.search(line)
    if not found:
        if f"pid={waiter} " in line and since is None and began is not None and waiting:
            since = time
        continue
    prev, state, following = int(found[1]), found[2], int(found[3])
    turns.append((prev, began if began is not None else time, time))
    began = time
    if following == waiter and since is not None:
        for tid, start, end in reversed(turns):
            if end <= since:
                break
            if tid:
                truth[tid] = truth.get(tid, 0) + end - max(start, since)
    if following == waiter:
        waiting, since = False, None
    if prev == waiter:
        waiting = not state.startswith("R")
        since = None if waiting else time
told = {}
for link in json.load(open("wall.json"))["ran_instead"]:
    if link["waiter"].endswith(f":{waiter}"):
        tid = int(link["holder"].rsplit(":", 1)[1])
        told[tid] = told.get(tid, 0) + link["ns"] / 1e9
total, said = sum(truth.values()), sum(told.values())
print(f"waited {total:.3f} s by switches, {said:.3f} s by the ledger")
worst = max(abs(truth.get(t, 0) / total - told.get(t, 0) / said) for t in set(truth) | set(told))
for tid, time in sorted(truth.items(), key=lambda item: -item[1])[:4]:
    print(f"  {tid}: {time / total:6.1%} {told.get(tid, 0) / said:6.1%}")
if total < 0.1 or worst > 0.02:
    sys.exit(f"FAIL: a share is {worst:.1%} off")
PYTHON
sed -i 's/^turns, truth, since = .*/turns, truth, since, waiting = [], {}, None, False/' compare.py
python3 compare.py
