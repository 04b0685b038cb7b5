#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Waits of a Python program that always leaves the CPU from the same native code: each wait has the
# correct Python function, alternating or in long rows, although the stack is not walked each time.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python=/usr/bin/python3
[ -x "$python" ] || {
	echo "no $python here"
	exit 77
}
cat >waits.py <<'P'
import os, time
turns = 5000
there, back = os.pipe(), os.pipe()
def take():
    os.read(back[0], 1)
def castor():
    take()
def pollux():
    take()
def slowly():
    take()
def answer(pause):
    for i in range(turns if not pause else turns // 10):
        os.read(there[0], 1)
        time.sleep(pause)
        os.write(back[1], b"x")
time.sleep(1) # its tables are made, its runtime is found
if os.fork() == 0:
    answer(0)
    answer(.0002)
    os._exit(0)
def ask(who):
    os.write(there[1], b"x")
    who()
for i in range(turns // 2): # within 50 us of each other
    ask(castor)
    ask(pollux)
for i in range(turns // 10):
    ask(slowly)
os.wait()
P
if ! "$CUPEL" record -q -e off-cpu --off-cpu-states pipe -o waits.data -- taskset -c 0 "$python" waits.py 2>log; then
	echo "no recording here: $(tail -n 1 log)"
	exit 77
fi
"$CUPEL" collapse waits.data >folded || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# sum PATTERN: nanoseconds of the folded stacks that match.
sum() {
	grep -E "$1" folded | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

castor=$(sum ';ask@waits.py;castor@waits.py;take@waits.py;.*read')
pollux=$(sum ';ask@waits.py;pollux@waits.py;take@waits.py;.*read')
slowly=$(sum ';ask@waits.py;slowly@waits.py;take@waits.py;.*read')
echo "castor $castor ns, pollux $pollux ns, slowly $slowly ns"
[ "$slowly" -ge 100000000 ] || fail "500 waits of 0.2 ms and more"
[ "$castor" -gt 0 ] && [ "$pollux" -gt 0 ] || fail "one of the twins never waits"
# Each thread waits for the other's answer, 2500 times.
[ "$castor" -lt $((pollux * 3)) ] && [ "$pollux" -lt $((castor * 3)) ] || fail "the twins are mixed up"
# Its first waits may precede its unwind tables and the detection of its runtime, more so on a busy machine.
whole=$(sum ';_start;.*;PyEval_EvalCode;<module>@waits.py;')
[ "$whole" -gt $(($(sum .) / 2)) ] || fail "only $whole ns have a root and names"
counts=$("$CUPEL" report --json -i waits.data)
walked=$(sed -n 's/.*"walked":\([0-9]*\).*/\1/p' <<<"$counts")
again=$(sed -n 's/.*"reused":\([0-9]*\).*/\1/p' <<<"$counts")
echo "$walked stacks were walked, $again looked at again"
[ "$walked" -lt 8000 ] || fail "stacks are walked again and again"
exit $failed
