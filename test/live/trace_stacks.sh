#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# trace -g: each line has the stack of its own call, without frame pointers. The caller of a call is known
# by its argument.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
cat >calls.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) static void call(long argument)
{
	sum += syscall(SYS_getpgid, argument);
}

__attribute__((noinline)) void odd_caller(long i)
{
	call(2 * i + 1000001);
	sum++;
}

__attribute__((noinline)) void even_caller(long i)
{
	call(2 * i + 1000000);
	sum++;
}

int main(void)
{
	usleep(500000); /* until the tables are there */
	for (long i = 0; i < 3000; i++) {
		odd_caller(i);
		even_caller(i);
	}
	return 0;
}
C
cc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o calls calls.c || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
traced() {
	timeout -k 1 60 "$CUPEL" trace "$@" 2>log || fail "$*: $(cat log)"
}
traced -g -e getpgid -o lines.txt -- ./calls
if grep -q 'copied instead' log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
traced -g -e getpgid --json -o lines.json -- ./calls
# Nine in ten are whole: on a busy machine the first ones come before their tables. None has another call's.
python3 - <<'PY' || fail "stacks"
import json, re
text = open("lines.txt").read()
calls = re.findall(r"getpgid\((\d+)\) = -1 ESRCH.*\n((?: {13}\S.*\n)*)", text)
assert len(calls) == 6000, len(calls)
whole = 0
for argument, stack in calls:
    caller, other = ("odd", "even") if int(argument) % 2 else ("even", "odd")
    assert other + "_caller (calls)" not in stack, (argument, stack)
    whole += caller + "_caller (calls)" in stack and " main (calls)" in stack and "[" not in stack
assert whole > 5400, whole
rows = [json.loads(line) for line in open("lines.json")]
rows = [row for row in rows if row.get("call") == "getpgid"]
assert len(rows) == 6000, len(rows)
whole = 0
for row in rows:
    names = [frame["function"] for frame in row["stack"]]
    caller, other = ("odd", "even") if row["args"]["pid"]["raw"] % 2 else ("even", "odd")
    assert other + "_caller" not in names, row
    whole += row["stopped"] == "root" and caller + "_caller" in names
assert whole > 5400, whole
PY
traced --max-stack 2 -e getpgid -o few.txt -- ./calls
[ "$(grep -c '^             [^\[]' few.txt)" -le 12000 ] || fail "more than two functions"
grep -q '_caller' few.txt && fail "--max-stack 2 has a third function"
traced record -g -o calls.data -- ./calls >/dev/null
"$CUPEL" trace -i calls.data -g -e getpgid -o recorded.txt || fail "a recording"
[ "$(grep -c ' odd_caller (calls)' recorded.txt)" -gt 2700 ] || fail "stacks of a recording: $(head recorded.txt)"
"$CUPEL" trace -i calls.data -e getpgid -o plain.txt
! grep -q _caller plain.txt || fail "stacks without -g"
exit "$failed"
