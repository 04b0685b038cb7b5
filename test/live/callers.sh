#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One thread that waits in one place, and calls from one place, by way of several functions, slowly and as
# fast as it can: each wait and each call has the stack that it came by.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >callers.c <<'C'
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
static const struct timespec short_time = { .tv_nsec = 20000 }, long_time = { .tv_nsec = 2000000 };
static int word, fd, turns;
static char bytes[3000];
volatile int sum;

APART void stand(int n)
{
	if (n == 0)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, turns > 100 ? &short_time : &long_time, NULL, 0);
	else
		sum += write(fd, bytes, n);
	sum++;
}
APART void first(int n)
{
	stand(n);
	sum++;
}
APART void second(int n)
{
	stand(n * 2);
	sum += 2;
}
APART void third(int n)
{
	stand(n * 3);
	sum += 3;
}
int main(int argc, char **argv)
{
	int n = strcmp(argv[1], "write") ? 0 : 1000;

	turns = argc > 2 ? 1000 : 50;
	fd = open("written", O_RDWR | O_CREAT | O_TRUNC, 0600);
	usleep(700000); /* its tables are made */
	for (int i = 0; i < turns; i++) {
		first(n);
		second(n);
		third(n);
	}
	return 0;
}
C
cc -O1 -g -w -fomit-frame-pointer -fno-optimize-sibling-calls -o callers callers.c || exit 1
"$CUPEL" lock --user -- ./callers wait >probe.txt 2>&1 || {
	echo "locks cannot be watched here: $(head -n 1 probe.txt)"
	exit 77
}
failed=0
# check NAME WHAT TURNS: in out.json
check() {
	python3 - "$@" <<'PY' || failed=1
import json, sys
name, table, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
data, got = json.load(open("out.json")), {}
if table == "lock":
    rows = [(w["stack"], w["waits"], 0) for lock in data["locks"] for w in lock["waiters"]]
else:
    rows = [(s["stack"], s["requests"], s["bytes"]) for s in data["stacks"] if s["operation"] == "write"]
for stack, count, size in rows:
    for function in (f["function"] for f in stack):
        if function in ("first", "second", "third"):
            had = got.get(function, (0, 0))
            got[function] = (had[0] + count, had[1] + size)
print(name, got)
for place, function in enumerate(("first", "second", "third"), 1):
    count, size = got.get(function, (0, 0))
    # A short wait may find its time over before it leaves the CPU.
    if not turns * 0.5 <= count <= turns or (table == "io" and size != count * 1000 * place):
        sys.exit("FAIL: %s: %s has %d of %d, %d bytes" % (name, function, count, turns, size))
PY
}
"$CUPEL" lock --user --json -- ./callers wait >out.json 2>log && check "waits" lock 50 || failed=1
"$CUPEL" lock --user --json -- ./callers wait fast >out.json 2>log && check "short waits" lock 1000 || failed=1
"$CUPEL" io --json --stacks 20 -o out.json -- ./callers write fast 2>log && check "calls" io 1000 || failed=1
exit $failed
