#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kwork beside stock perf on one recording: the same runs in the same order with the same times,
# and the same sums by CPU and name. top adds up to the CPUs' time.
# in turn: it runs stock perf
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C XDG_CACHE_HOME=$work/cache
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
"$CUPEL" kwork record -q -o kwork.data -- sh -c 'dd if=/dev/zero of=file bs=64k count=20 conv=fsync' \
	>/dev/null 2>log || {
	echo "work of the kernel cannot be recorded here: $(head -n 1 log)"
	exit 77
}
"$CUPEL" kwork timehist -i kwork.data >ours || fail "timehist"
"$CUPEL" kwork report -i kwork.data -S >report || fail "report"
"$CUPEL" kwork latency -i kwork.data >latency || fail "latency"
[ "$(grep -c '\[0' ours)" -gt 0 ] || fail "nothing was recorded"
count=$(sed -n 's/^  Total count  *: *//p' report)
[ "$count" = "$(grep -c '\[[0-9]*\]' ours)" ] || fail "$count runs, but a list of $(grep -c '\[0' ours)"
if perf kwork timehist -i kwork.data >theirs 2>/dev/null && grep -q '\[0' theirs; then
	# Names are cut at different places.
	times() {
		sed -n 's/^ *\([0-9.]*\)  *\([0-9.]*\)  \(\[[0-9]*\]\)  \(.\{20\}\).* \([0-9.]* *[0-9.]*\) *$/\1 \2 \3 \4/p' "$1" | sort
	}
	times ours >ours.times
	times theirs >theirs.times
	cmp -s ours.times theirs.times ||
		fail "runs differ: $(diff ours.times theirs.times | head -n 5)"
	[ "$(sed -n 1p ours | tr -s ' ')" = "$(sed -n 1p theirs | tr -s ' ')" ] || fail "heading"
	perf kwork report -i kwork.data -S 2>/dev/null >theirs.report
	[ "$count" = "$(sed -n 's/^  Total count  *: *//p' theirs.report)" ] || fail "counts differ"
	[ "$(sed -n 's/^  Total runtime *(msec) : *\([0-9.]*\).*/\1/p' report)" = \
		"$(sed -n 's/^  Total runtime *(msec) : *\([0-9.]*\).*/\1/p' theirs.report)" ] ||
		fail "times differ"
	[ "$(sed -n 2p report)" = "$(sed -n 2p theirs.report)" ] || fail "heading of the report"
else
	echo "not tested: comparing with perf kwork: there is none that reads it"
fi
"$CUPEL" kwork record -q --kwork irq,softirq,sched -o top.data -- sleep 0.2 >/dev/null 2>log ||
	fail "record -k: $(cat log)"
"$CUPEL" kwork top -i top.data --json -o top.json || fail "top"
python3 - <<'PYTHON' || failed=1
import json
top = json.load(open("top.json"))
span = top["last_ns"] - top["first_ns"]
for cpu in top["cpus"]:
    if cpu["idle_ns"] > span:
        raise SystemExit(f"FAIL: idle longer than the recording: {cpu}")
busy = sum(t["ns"] for t in top["tasks"])
idle = sum(c["idle_ns"] for c in top["cpus"])
if busy + idle > span * len(top["cpus"]) * 1.0001:
    raise SystemExit(f"FAIL: {busy} + {idle} ns on {len(top['cpus'])} CPUs in {span} ns")
PYTHON
# Without a file.
"$CUPEL" kwork report -b --json -o live.json -- sleep 0.5 2>log || fail "report -b: $(cat log)"
"$CUPEL" kwork top -b --json -o live.top.json -- sleep 0.2 2>log || fail "top -b: $(cat log)"
# Nothing may happen beside a program that ends at once.
"$CUPEL" kwork report -b -- sh -c 'sleep 0.3; exit 3' >/dev/null 2>&1
[ $? = 3 ] || fail "report -b does not have the status of the program"
python3 - <<'PYTHON' || failed=1
import json
live, top = json.load(open("live.json")), json.load(open("live.top.json"))
if not sum(row["run"]["count"] for row in live["rows"]):
    raise SystemExit(f"FAIL: nothing ran for half a second: {live}")
if not {row["class"] for row in live["rows"]} <= {"irq", "softirq", "workqueue"}:
    raise SystemExit(f"FAIL: kinds that were not asked for: {live}")
if not top["tasks"]:
    raise SystemExit(f"FAIL: top -b has no threads: {top}")
PYTHON
exit "$failed"
