#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel softirqs and hardirqs: BCC's shapes; counts are those of /proc/softirqs for what happened
# meanwhile, which includes at least the timer interrupts of a busy CPU.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C XDG_CACHE_HOME=$work/cache
"$CUPEL" softirqs 0.05 1 >/dev/null 2>log || {
	echo "interrupts cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
# All CPUs' counts of a kind.
total() {
	awk -v kind="$1:" '$1 == kind { for (i = 2; i <= NF; i++) n += $i } END { printf "%d", n }' /proc/softirqs
}
before=$(total TIMER)
# The program ends when the machine has had timer interrupts.
"$CUPEL" softirqs -C --json -- sh -c \
	'n=0; while [ "$n" -lt 300000 ]; do n=$((n + 1)); done; sleep 0.1' >counts.json 2>log ||
	fail "softirqs: $(cat log)"
after=$(total TIMER)
python3 - "$((after - before))" <<'PYTHON' || failed=1
import json, sys
rows = {r["softirq"]: r["count"] for r in json.load(open("counts.json"))["rows"]}
if not rows:
    raise SystemExit("FAIL: no soft interrupt")
# It watches less long than the counters were apart.
if rows.get("timer", 0) > int(sys.argv[1]):
    raise SystemExit(f"FAIL: {rows} with {sys.argv[1]} timers")
PYTHON
"$CUPEL" softirqs 0.3 1 >text 2>log || fail "$(cat log)"
sed -n 1p text | grep -qx 'Tracing soft irq event time... Hit Ctrl-C to end.' || fail "first line: $(cat text)"
grep -qx 'SOFTIRQ          TOTAL_usecs' text || fail "heading: $(cat text)"
"$CUPEL" softirqs -N 0.3 1 | grep -q 'SOFTIRQ          TOTAL_nsecs' || fail "-N"
"$CUPEL" softirqs -d 0.3 1 >text
grep -q '^softirq = ' text && grep -q '     usecs               : count     distribution' text || fail "-d: $(cat text)"
"$CUPEL" hardirqs -C -- dd if=/dev/zero of=file bs=4k count=50 oflag=dsync >text 2>log || fail "hardirqs: $(cat log)"
grep -qx 'Tracing hard irq events... Hit Ctrl-C to end.' text || fail "hardirqs: $(cat text)"
grep -q '^[^ ]* *[0-9][0-9]*$' text || echo "not tested: interrupts of devices: there was none"
exit "$failed"
