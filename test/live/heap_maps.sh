#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap --maps on a static program that maps, moves, protects and gives back known amounts of
# memory: sums by function, what is live at the end and at the peak; a process that runs already; a
# saved recording; a picture; the program's output and status.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" heap --maps -o /dev/null -- true 2>log || {
	echo "system calls cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >known.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIDE __attribute__((noinline, noclone))
#define MB   (1L << 20)

static char *room(char *at, long n, int prot, int more)
{
	char *p = mmap(at, n, prot, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}
static char *writable(long n) { return room(NULL, n, PROT_READ | PROT_WRITE, 0); }
HIDE void kept(void) { *(volatile char *)writable(20 * MB) = 1; }
HIDE void given_back(void) { munmap(writable(30 * MB), 30 * MB); }
HIDE void middle(void) { munmap(writable(10 * MB) + 4 * MB, 3 * MB); }
HIDE void reserved(void) { (void)room(NULL, 64 * MB, PROT_NONE, MAP_NORESERVE); }
HIDE void opened(void)
{
	char *p = room(NULL, 64 * MB, PROT_NONE, MAP_NORESERVE);

	mprotect(p, 5 * MB, PROT_READ | PROT_WRITE);
}
HIDE void over(void)
{
	char *p = writable(8 * MB);

	room(p + MB, 2 * MB, PROT_NONE, MAP_FIXED);
}
HIDE void first(char **p) { *p = writable(2 * MB); }
HIDE void grown(char **p) { *p = mremap(*p, 2 * MB, 9 * MB, MREMAP_MAYMOVE); }
HIDE void shrunk(char **p) { *p = mremap(*p, 9 * MB, 6 * MB, 0); }
HIDE void broken(void) { sbrk(3 * MB); sbrk(-MB); }
HIDE void late(void) { *(volatile char *)writable(11 * MB) = 1; }
HIDE void late_break(void) { if (sbrk(4 * MB) == (void *)-1) abort(); }

int main(int argc, char **argv)
{
	char *moved, word;

	kept();
	given_back();
	middle();
	reserved();
	opened();
	over();
	first(&moved);
	grown(&moved);
	shrunk(&moved);
	broken();
	if (!fork()) {
		munmap(moved, 6 * MB); /* the parent's stays */
		_exit(0);
	}
	wait(NULL);
	puts("done");
	fflush(stdout);
	if (argc > 1) { /* until it may go on, and until it may end */
		if (read(0, &word, 1) != 1)
			return 1;
		late();
		late_break();
		puts("late");
		fflush(stdout);
		(void)!read(0, &word, 1);
	}
	return 7;
}
C
cc -O1 -g -fno-optimize-sibling-calls -static -o known known.c 2>/dev/null ||
	cc -O1 -g -fno-optimize-sibling-calls -o known known.c || exit 1

cat >check.py <<'P'
import json, sys
run = json.load(open(sys.argv[1]))
MB = 1 << 20
bad = []
mapped, live, cut = {}, {}, 0
for row in run['stacks']:
    cut += row['allocated'] if row['stopped'] != 'root' else 0
    for name in {f['function'] for f in row['stack']}:
        mapped[name] = mapped.get(name, 0) + row['allocated']
        live[name] = live.get(name, 0) + row['live']
def expect(name, want, want_live):
    have = mapped.get(name, 0), live.get(name, 0)
    if not want * MB - cut <= have[0] <= want * MB or not want_live * MB - cut <= have[1] <= want_live * MB:
        bad.append(f'{name}: {have[0]} bytes mapped, {have[1]} live: expected {want} and {want_live} MiB'
                   f'; {cut} with stacks that are not whole')
if run['lost']:
    print(f'not tested: functions: {run["lost"]} samples were lost on a busy machine')
    sys.exit(0)
if sys.argv[2] == 'attached':
    expect('late', 11, 11)
    expect('late_break', 4, 4)
    expect('kept', 0, 0)
else:
    for name, want, want_live in (('kept', 20, 20), ('given_back', 30, 0), ('middle', 10, 7),
                                  ('reserved', 0, 0), ('opened', 5, 5), ('over', 8, 6), ('first', 2, 2),
                                  ('grown', 7, 4), ('shrunk', 0, 0), ('broken', 3, 2)):
        expect(name, want, want_live)
    peak = run['peak']['value'] # the parent's at the end of grown() or of broken()
    if not 50 * MB <= peak <= 64 * MB:
        bad.append(f'the peak: {peak}')
    if not run.get('maps'):
        bad.append('it does not say what it is')
for line in bad:
    print(line)
sys.exit(bool(bad))
P

echo "== a program"
"$CUPEL" heap --maps --json -o run.json --flamegraph run.svg --save run.data -- ./known >out 2>log
[ $? -eq 7 ] || fail "status: $(cat log)"
[ "$(cat out)" = "done" ] || fail "output: $(cat out)"
python3 check.py run.json started || fail "the sums of a program"
grep -q 'kept (' run.svg || fail "no picture of it"
"$CUPEL" heap --maps -i run.data --json -o again.json 2>log || fail "again: $(cat log)"
python3 check.py again.json started || fail "the sums of a saved recording"
"$CUPEL" heap --maps -i run.data >text 2>log || fail "text: $(cat log)"
grep -q '^ mapped ' text && grep -q 'kept < main' text || fail "text: $(cat text)"
"$CUPEL" heap -i run.data 2>log && fail "without --maps"
grep -q 'heap-alloc' log || fail "without --maps: $(cat log)"

echo "== a process"
mkfifo in
./known wait <in >out &
pid=$!
exec 5>in
until grep -q "done" out; do kill -0 $pid || break; sleep 0.02; done
"$CUPEL" heap --maps --json -o run.json --save live.data -p $pid 2>log &
cupel=$!
# its header is written after the events are on
until [ -s live.data ] || ! kill -0 $cupel 2>/dev/null; do sleep 0.02; done
printf g >&5
until grep -q late out; do kill -0 $pid || break; sleep 0.02; done
kill -INT $cupel
wait $cupel || fail "interrupting: $(cat log)"
exec 5>&-
wait $pid
[ $? -eq 7 ] || fail "the process was harmed"
python3 check.py run.json attached || fail "the sums of a process"
exit $failed
