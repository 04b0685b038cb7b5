#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# The machine state in a recording: stored by record in every form of file, shown by cupel context,
# skipped by stock perf, missing with --no-context. A busy second is shown as busy.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
if ! "$CUPEL" record -q -o probe.data -- true 2>log; then
	echo "nothing can be recorded here: $(head -n 1 log)"
	exit 77
fi
failed=0
fail() {
	echo "$*"
	failed=1
}
busy() {
	"$CUPEL" record -q -F 99 "$@" -- timeout 2 sh -c 'while :; do :; done'
	[ $? -eq 124 ] # of timeout
}
cat >check.py <<'PY'
import json, sys
data = json.load(open(sys.argv[1]))
rows = {(row["group"], row["name"]): row for row in data["rows"]}
samples = len(data["samples"])
assert data["cupel"] == 1 and samples >= 2, samples
assert data["duration_ns"] == sum(s["interval_ns"] for s in data["samples"])
times = [s["time_ns"] for s in data["samples"]]
assert times == sorted(times)
assert all(len(row["values"]) == samples for row in data["rows"])
cpu = sum(rows["CPU", mode]["mean"] for mode in ("user", "system", "irq", "steal"))
each = [row["mean"] for row in data["rows"] if row["group"] == "each CPU"]
assert cpu > 0.8 * 100 / len(each) or max(each) > 60, (cpu, each)
assert rows["events", "context switches"]["mean"] > 0
assert rows["memory", "available"]["mean"] > 0
PY
busy -o file.data || fail "record fails"
busy -z -o packed.data || fail "record -z fails"
busy -o - >pipe.data || fail "record to a pipe fails"
for input in file packed pipe; do
	"$CUPEL" context --json "$input.data" >"$input.json" || fail "$input: context fails"
	python3 check.py "$input.json" || fail "$input: the context is not that of a busy machine"
done
"$CUPEL" context <pipe.data | grep -q 'context switches' || fail "the table lacks switches"
"$CUPEL" record -q --no-context -o without.data -- sleep 0.2 2>/dev/null
"$CUPEL" record -q --no-context -o without.data -- sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'
"$CUPEL" context without.data 2>err && fail "--no-context keeps a context"
grep -q 'without.data: no machine state' err || fail "the reason is missing: $(cat err)"
if command -v perf >/dev/null; then
	perf script -i file.data --no-inline >script 2>perf.err || fail "perf: $(cat perf.err)"
	[ -s script ] && [ ! -s perf.err ] || fail "perf says: $(head -n 3 perf.err)"
fi
exit $failed
