#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls under way have lines: when tracing begins, with the process they hang in, and when it ends.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT
pids=()
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
sleep 1000 &
hangs=$!
pids+=("$hangs")
wait_for is_asleep "$hangs" sleep

# Before Ctrl-C: the call that the process hangs in.
"$CUPEL" trace -p "$hangs" -o lines.txt &
tracer=$!
pids+=("$tracer")
first() { grep -q "^ *0\.000 (         ): sleep/$hangs clock_nanosleep(CLOCK_REALTIME, 0, .* <unfinished \.\.\.>\$" lines.txt 2>/dev/null; }
wait_for first || fail "no call at the start: $(cat lines.txt)"
kill -INT "$tracer"
wait "$tracer"
[ "$(wc -l <lines.txt)" -eq 2 ] || fail "$(cat lines.txt)"
tail -n 1 lines.txt | grep -q '^ *0\.000 (>[0-9. ]* ms): sleep/.* <unfinished \.\.\.>$' || fail "$(cat lines.txt)"

# hang OPTION…: traces a program until it hangs in opening a fifo
hang() {
	"$CUPEL" trace "$@" -- sh -c 'exec cat fifo2' 2>log &
	tracer=$!
	pids+=("$tracer")
	wait_for child_of "$tracer" cat
	pids+=("$child")
	in_open() { grep -Eq '^(257|56) ' "/proc/$child/syscall"; }
	wait_for in_open
	kill -INT "$tracer"
	wait "$tracer"
	kill "$child" 2>/dev/null
}
mkfifo fifo2
# A call that began meanwhile has its inputs, and the time so far.
hang -e openat --json -o lines.json
python3 - <<'PY' || fail "JSON: $(cat log)"
import json
hanging = [call for call in map(json.loads, open("lines.json")) if call.get("open")]
assert len(hanging) == 1, hanging
assert hanging[0]["duration_ns"] > 0 and hanging[0]["result"] is None and "old" not in hanging[0], hanging
assert hanging[0]["args"]["filename"]["string"] == "fifo2", hanging
PY
# Conditions on results do not hold yet; others do.
hang --filter 'ret >= 0' -o lines.txt
! grep -q unfinished lines.txt || fail "a result: $(grep unfinished lines.txt)"
hang --filter 'filename == "fifo2"' -o lines.txt
grep -q 'openat(AT_FDCWD, "fifo2", O_RDONLY <unfinished' lines.txt || fail "filter: $(cat lines.txt)"
# Nothing is open when the program has ended.
"$CUPEL" trace -o lines.txt -- sh -c 'cat /dev/null | cat'
! grep -q unfinished lines.txt || fail "all ended: $(grep unfinished lines.txt)"
exit "$failed"
