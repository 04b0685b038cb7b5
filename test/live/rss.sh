#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel rss on a program that touches known amounts of memory in known functions: given back, moved,
# filled by the kernel, copied, shared, in huge pages, by read(), by a thread, after fork(). The
# program's status, signals and output; a process that runs already; SIGKILL of cupel; a picture.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" rss -o /dev/null -- true 2>log || {
	echo "resident memory cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >known.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIDE __attribute__((noinline, noclone))
#define MB   (1L << 20)

static char data[4 * MB] = { 1 };
static volatile sig_atomic_t signals;

static void write_all(char *p, long n) { for (long i = 0; i < n; i += 4096) p[i] = 1; }
static char *room(long n)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, n, MADV_NOHUGEPAGE);
	return p;
}
HIDE void twenty(void) { write_all(room(20 * MB), 20 * MB); }
HIDE void two_left(void)
{
	char *p = room(10 * MB);

	write_all(p, 10 * MB);
	madvise(p, 8 * MB, MADV_DONTNEED);
}
HIDE void unmapped(void)
{
	char *p = room(10 * MB);

	write_all(p, 10 * MB);
	munmap(p, 10 * MB);
}
HIDE void moved(void)
{
	char *p = room(6 * MB);

	write_all(p, 6 * MB);
	p = mremap(p, 6 * MB, 12 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, room(32 * MB));
	write_all(p + 6 * MB, MB);
}
HIDE void populated(void)
{
	mmap(NULL, 5 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}
HIDE void huge(void)
{
	char *p = aligned_alloc(2 * MB, 8 * MB);

	madvise(p, 8 * MB, MADV_HUGEPAGE);
	write_all(p, 8 * MB);
}
HIDE void copied(void) { write_all(data, 4 * MB); }
HIDE void only_read(void)
{
	char *p = room(10 * MB);
	volatile char c;

	for (long i = 0; i < 10 * MB; i += 4096)
		c = p[i];
	(void)c;
}
HIDE void by_read(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, room(3 * MB), 3 * MB) != 3 * MB)
		abort();
}
HIDE void shared(void)
{
	write_all(mmap(NULL, 7 * MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 7 * MB);
}
HIDE void *in_thread(void *unused) { write_all(room(2 * MB), 2 * MB); return unused; }
HIDE void before_fork(void)
{
	char *p = room(3 * MB);

	write_all(p, 3 * MB);
	if (!fork()) {
		write_all(p, 3 * MB);
		_exit(0);
	}
	wait(NULL);
}
HIDE void late(void) { write_all(room(9 * MB), 9 * MB); }
static void on_signal(int number) { signals += number; }

int main(int argc, char **argv)
{
	pthread_t thread;
	char word;

	signal(SIGUSR1, on_signal);
	twenty();
	two_left();
	unmapped();
	moved();
	populated();
	huge();
	copied();
	only_read();
	by_read();
	shared();
	before_fork();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	printf("%d signals\n", signals / SIGUSR1);
	if (argc > 1) { /* until it may go on, and until it may end */
		fflush(stdout);
		if (read(0, &word, 1) != 1)
			return 1;
		late();
		puts("late");
		fflush(stdout);
		(void)!read(0, &word, 1);
	}
	return argc > 2 ? atoi(argv[2]) : 7;
}
C
cc -O1 -g -o known known.c -pthread || exit 1

cat >check.py <<'P'
import json, sys
run = json.load(open(sys.argv[1]))
sums = {}
# The first page faults may come before the unwind tables are in the kernel: functions are not known.
cut = sum(row['bytes'] for row in run['stacks'] if row['stopped'] != 'root')
for row in run['stacks']:
    for name in {f['function'] for f in row['stack']}:
        sums[name] = sums.get(name, 0) + row['bytes']
bad = []
def expect(what, have, want, slack=64 << 10):
    if not want - 8192 - cut <= have <= want + slack: # arrays do not begin with a page
        bad.append(f'{what}: {have} bytes, expected {want}; {cut} with stacks that are not whole')
MB = 1 << 20
total = run['resident']
kinds = run['kinds']
if sum(kinds.values()) != total:
    bad.append('the kinds are not the total')
if kinds['unaccounted'] > total * 0.02:
    bad.append(f'unaccounted: {kinds["unaccounted"]} of {total}: {run["mappings"]}')
if abs(run['kernel_counters'] - total) > total * 0.02:
    bad.append(f'the kernel counts {run["kernel_counters"]}, the pages are {total}')
if cut > total // 2:
    print(f'not tested: functions: {cut} bytes of {total} came before the unwind tables')
if run['lost']:
    print(f'not tested: functions: {run["lost"]} samples were lost on a busy machine')
    sys.exit(0 if not bad or 'unaccounted' in bad[0] else 1)
if sys.argv[2] == 'attached':
    expect('late', sums.get('late', 0), 9 * MB)
    if kinds['before'] < 40 * MB:
        bad.append(f'there before: {kinds["before"]}')
else:
    for name, size in (('twenty', 20), ('two_left', 2), ('moved', 7), ('populated', 5), ('huge', 8),
                       ('copied', 4), ('by_read', 3), ('shared', 7), ('in_thread', 2),
                       ('before_fork', 3)):
        expect(name, sums.get(name, 0), size * MB)
    for name in ('unmapped', 'only_read'):
        expect(name, sums.get(name, 0), 0)
    expect('populated', kinds['populated'], 5 * MB)
    expect('shared', kinds['shared'], 7 * MB)
for line in bad:
    print(line)
sys.exit(bool(bad))
P

"$CUPEL" rss --json -o run.json --flamegraph run.svg -- ./known >out 2>log
[ $? -eq 7 ] || fail "status: $(cat log)"
[ "$(cat out)" = "3 signals" ] || fail "output: $(cat out)"
python3 check.py run.json started || fail "the ledger of a program"
grep -q 'twenty (' run.svg && grep -q '\[file\] /' run.svg || fail "no picture of it"

"$CUPEL" rss -o /dev/null -- sh -c 'kill -9 $$' 2>log
[ $? -eq 137 ] || fail "status of a killed program: $(cat log)"
"$CUPEL" rss --rows 0 -d 1 -o text -- sleep 100 2>log || fail "a duration: $(cat log)"
grep -q 'sleep' text || fail "no mapping of a program that was ended"

# A process that runs already: cupel is interrupted once it has seen the late pages.
mkfifo in
./known wait 0 <in >out &
pid=$!
exec 5>in
until grep -q signals out; do kill -0 $pid || break; sleep 0.02; done
"$CUPEL" rss --json -o run.json --save run.data -p $pid 2>log &
cupel=$!
# its header is written after the events are on
until [ -s run.data ] || ! kill -0 $cupel 2>/dev/null; do sleep 0.02; done
printf g >&5
until grep -q late out; do kill -0 $pid || break; sleep 0.02; done
kill -INT $cupel
wait $cupel || fail "interrupting: $(cat log)"
python3 check.py run.json attached || fail "the ledger of a process"
exec 5>&-
wait $pid || fail "the process was harmed"

# The program goes on when cupel is killed.
mkfifo in2
"$CUPEL" rss -o /dev/null -- ./known wait 0 <in2 >out 2>log &
cupel=$!
exec 5>in2
until grep -q signals out; do kill -0 $cupel || break; sleep 0.02; done
pid=$(pgrep -P $cupel -x known)
kill -KILL $cupel
wait $cupel 2>/dev/null
printf g >&5
until grep -q late out || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
grep -q late out || fail "the program did not go on without cupel"
exec 5>&-
# Many small ranges of pages: more than the kernel reports at once.
cat >scattered.c <<'C'
#include <sys/mman.h>
#define PAGES 12000L
int main(void)
{
	volatile char *p = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)p, PAGES * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < PAGES; i += 2)
		p[i * 4096] = 1;
	return 0;
}
C
if gcc -O1 -g -o scattered scattered.c && "$CUPEL" rss --json -o scattered.json -- ./scattered 2>log; then
	bytes=$(sed -n 's/.*"anonymous": \([0-9]*\).*"unaccounted".*/\1/p' scattered.json | head -n 1)
	[ "${bytes:-0}" -ge 24576000 ] && [ "$bytes" -lt 25600000 ] ||
		fail "scattered pages: $bytes bytes of 24576000: $(head -c 500 scattered.json)"
else
	fail "scattered pages: $(cat log)"
fi
exit $failed
