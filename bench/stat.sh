#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What counting and its neighbours cost: how much longer `true` takes under `cupel stat` and under
# `perf stat`, beside `true` alone, in turns (the median of the differences); how long `cupel doctor`
# takes; then annotate.sh and browser.sh. Exit status 1 if a goal is missed.
#
# Environment: CUPEL; BENCH_RUNS (200), how often each; that of browser.sh.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0
limit=60
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"
need perf python3

echo "+ true; perf stat true; cupel stat true; ${BENCH_RUNS:-200} times in random order"
python3 - "$CUPEL" "${BENCH_RUNS:-200}" >"$work/added" <<'PYTHON'
import random, statistics, subprocess, sys, time
cupel, runs = sys.argv[1], int(sys.argv[2])
commands = {"true": ["true"], "perf": ["perf", "stat", "true"], "cupel": [cupel, "stat", "true"]}
took = {name: [] for name in commands}
for _ in range(runs):
    for name in random.sample(list(commands), len(commands)):
        start = time.perf_counter()
        subprocess.run(commands[name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took[name].append((time.perf_counter() - start) * 1e3)
added = {name: statistics.median(a - b for a, b in zip(took[name], took["true"]))
         for name in ("perf", "cupel")}
print("%.2f %.2f %.2f" % (added["perf"], added["cupel"], added["cupel"] / added["perf"]))
PYTHON
read -r perf cupel share <"$work/added"
printf '%-58s %9s ms\n' "perf stat true adds" "$perf"
printf '%-58s %9s ms\n' "cupel stat true adds" "$cupel"
goal "cupel stat true adds, as a share of what perf stat adds" "$share" "" 0.5

echo "+ cupel doctor, 11 times"
python3 - "$CUPEL" >"$work/doctor" <<'PYTHON'
import statistics, subprocess, sys, time
took = []
for _ in range(11):
    start = time.perf_counter()
    subprocess.run([sys.argv[1], "doctor"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took.append((time.perf_counter() - start) * 1e3)
print("%.0f" % statistics.median(took))
PYTHON
goal "cupel doctor, median" "$(cat "$work/doctor")" ms 300

for name in annotate browser; do
	"$bench/$name.sh" || missed=1
done
exit "$missed"
