#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap on programs with known allocations: exact sums, estimates within their intervals, threads,
# forks, other programs in the same process, failing realloc(), allocations before main(), in signal
# handlers and in destructors of threads; what is refused; the program's output, status and
# environment; SIGKILL of cupel.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
"$CUPEL" heap -o /dev/null -- true 2>log || {
	echo "allocations cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >known.c <<'C'
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIDE __attribute__((noinline, noclone))
static void *volatile kept;

HIDE void small(void) { kept = malloc(100); free(kept); kept = NULL; }
HIDE void *large(void) { return kept = malloc(1 << 20); }
HIDE void leak(void) { kept = calloc(10, 100); }
HIDE void early(void) { kept = malloc(11); }
HIDE void handler(int number) { (void)number; kept = malloc(12); }
HIDE void ended(void *key) { (void)key; kept = malloc(13); }
HIDE void at_exit(void) { kept = malloc(14); }
HIDE void grow(void)
{
	char *block = malloc(1000);

	kept = block = realloc(block, 3000);
	if (realloc(block, (size_t)-1 / 4))
		abort();
	free(block);
}
HIDE void aligned(void)
{
	void *one = aligned_alloc(64, 640), *two = memalign(64, 64), *three;

	if (posix_memalign(&three, 64, 128))
		abort();
	kept = reallocarray(three, 10, 20);
	free(one);
	free(two);
	free(kept);
}
HIDE void *work(void *key)
{
	pthread_setspecific(*(pthread_key_t *)key, "");
	for (int i = 0; i < 100; i++)
		grow();
	return NULL;
}
__attribute__((constructor)) static void before(void) { early(); }

static void threads(void)
{
	pthread_t thread[4];
	pthread_key_t key;

	pthread_key_create(&key, ended);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &key);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	void *block[100];
	pid_t child;

	while (argc > 2 && access(argv[2], F_OK))
		small();
	for (int i = 0; i < n; i++)
		small();
	for (int i = 0; i < 100; i++)
		block[i] = large();
	for (int i = 0; i < 100; i++)
		free(block[i]);
	for (int i = 0; i < n; i++)
		leak();
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	threads();
	aligned();
	atexit(at_exit);
	child = fork();
	if (!child) {
		leak();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (write(1, "done\n", 5) != 5)
		return 1;
	return 7;
}
C
cc -g -O1 -fno-builtin -o known known.c -lpthread || exit 1

# whole JSON: whether rows can be checked: every stack is whole.
whole() {
	grep -q '"stopped": "[^r]' "$1" || return 0
	echo "not tested: sums by function of $1: in ten runs this busy machine had no tables in time"
	return 1
}

# row JSON FUNCTION "allocated" "allocations" "live" "peak": what was allocated right there, by any stack.
row() {
	got=$(sed -n "s/.*\"allocated\": \([0-9]*\), \"allocations\": \([0-9]*\), \"live\": \([0-9]*\), \"peak\": \([0-9]*\), .*\"stack\": \[ { \"function\": \"$2\".*/\1 \2 \3 \4/p" "$1" |
		awk '{ for (i = 1; i <= 4; i++) sum[i] += $i } END { print sum[1] + 0, sum[2] + 0, sum[3] + 0, sum[4] + 0 }')
	[ "$got" = "$3 $4 $5 $6" ] || fail "$2: expected $3 bytes in $4, live $5, peak $6: got $got"
}

echo "== every allocation"
# The first allocations may come before their code's unwind tables are in the kernel.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$CUPEL" heap --exact --json -o exact.json --heaptrack known.heaptrack --massif known.massif \
		-- ./known 300 >out 2>log
	status=$?
	grep -q '"stopped": "[^r]' exact.json || break
done
[ $status = 7 ] || fail "status $status: $(cat log)"
[ "$(cat out)" = "done" ] || fail "output: $(cat out)"
grep -q '"lost": 0' exact.json || fail "lost: $(head -n 1 exact.json)"
if whole exact.json; then
	row exact.json small 30000 300 0 0
	row exact.json large 104857600 100 0 104857600
	row exact.json early 11 1 11 11
	row exact.json handler 12 1 12 0
	row exact.json ended 52 4 52 0
	row exact.json at_exit 14 1 14 0
	row exact.json grow 1600000 800 0 0
	row exact.json aligned 1032 4 0 0
	# the child's, too
	row exact.json leak 301000 301 301000 0
fi
grep -q '"allocated": { "value": \([0-9]*\), "low": \1, "high": \1 }' exact.json || fail "an interval"

echo "== estimates"
within=0
for _ in 1 2 3 4; do
	"$CUPEL" heap --rate 64K --json -o some.json -- ./known 10000 >/dev/null 2>log
	# 100 blocks of 1 MiB, 10,000 of 100 and of 1000 bytes, 1.6 MB in threads, and little else
	sed -n 's/.*"allocated": { "value": [0-9]*, "low": \([0-9]*\), "high": \([0-9]*\).*/\1 \2/p' some.json |
		awk '{ exit !($1 < 117480000 && $2 > 117458000) }' && within=$((within + 1))
done
[ $within -ge 2 ] || fail "$within of 4 intervals hold the true value: $(head -n 4 some.json)"
"$CUPEL" heap --rate 16K --flamegraph flame.html --save saved.data -- ./known 1000 >text 2>log
# without the program's line, and what was read of the process if it ran long enough for that
sed -i -e 1d -e '/^ resident then/,/^ samples/{/^ samples/!d}' text
"$CUPEL" heap -i saved.data >again 2>log
cmp -s text again || fail "a saved recording: $(cat log; diff text again)"
"$CUPEL" flamegraph saved.data -o again.html 2>log || fail "flame graph: $(cat log)"
for picture in flame.html again.html; do
	python3 - $picture <<'PY' || fail "events of $picture"
import base64, re, sys, zlib

page = open(sys.argv[1]).read()
missing = {b"heap-alloc", b"heap-count", b"heap-live", b"heap-peak"}
for text in re.findall(r"[A-Za-z0-9+/=]{400,}", page):
	for kind in (-15, 47):
		try:
			part = zlib.decompress(base64.b64decode(text), kind)
		except (ValueError, zlib.error):
			continue  # not data of the picture
		missing = {name for name in missing if name not in part}
sys.exit(bool(missing))
PY
done
"$CUPEL" report -i saved.data --stdio >log 2>&1
! grep -q "cupel_heap_alloc" log || fail "the library's functions in a report"
for event in alloc count live peak; do
	grep -q "event 'heap-$event'" log || fail "report: heap-$event: $(grep event log)"
done
"$CUPEL" convert -i saved.data --event-filter heap-live --format folded -o folded 2>log
grep -q ';leak ' folded || fail "heap-live of a saved recording: $(cat log)"
"$CUPEL" report -i saved.data --stdio 2>/dev/null | grep -q "large" || fail "report of a saved recording"

echo "== files of other tools"
"$CUPEL" heap -i known.heaptrack --json -o again.json 2>log || fail "our heaptrack file: $(cat log)"
for name in allocated allocations live; do
	a=$(sed -n "s/.*\"$name\": { \"value\": \([0-9]*\).*/\1/p" exact.json)
	b=$(sed -n "s/.*\"$name\": { \"value\": \([0-9]*\).*/\1/p" again.json)
	[ "$a" = "$b" ] || fail "heaptrack: $name $a, read again $b"
done
calls=$(sed -n 's/.*"allocations": { "value": \([0-9]*\).*/\1/p' exact.json)
if command -v heaptrack_print >/dev/null; then
	heaptrack_print known.heaptrack >text 2>&1
	grep -q "^calls to allocation functions: $calls " text || fail "heaptrack_print: $(tail -n 8 text)"
	grep -q "known.c:[1-9]" text || fail "heaptrack_print: no lines of known.c"
else
	echo "not tested: heaptrack_print: not installed"
fi
if command -v ms_print >/dev/null; then
	ms_print known.massif >text 2>&1 || fail "ms_print: $(head -n 5 text)"
	grep -q "(peak)" text || fail "ms_print: no peak: $(tail -n 20 text)"
	grep -q "0x[0-9A-F]*: large (" text || ! whole exact.json >/dev/null ||
		fail "ms_print: no large(): $(tail -n 20 text)"
else
	echo "not tested: ms_print: not installed"
fi

echo "== a leak beside a large cache"
cat >leak.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HIDE __attribute__((noinline, noclone))
static void *cache[64];
static void *volatile kept;

HIDE void fill(void) { for (int i = 0; i < 64; i++) cache[i] = malloc(1 << 20); }
HIDE void serve(void) { kept = malloc(20000); free(kept); }
HIDE void session(void) { for (int i = 0; i < 20; i++) kept = malloc(700); }
int main(void)
{
	fill();
	for (int i = 0; i < 500; i++) {
		serve();
		session();
		nanosleep(&(struct timespec){ 0, 500000 }, NULL);
	}
	return 0;
}
C
cc -O1 -fno-builtin -o leak leak.c || exit 1
# A machine that lets the program wait for most of its time shows steps instead of growth.
for _ in 1 2 3 4 5; do
	"$CUPEL" heap --rate 16K --save leak.data -- ./leak >text 2>log
	leak=$(grep -n ' |.*session < main' text | cut -d: -f1)
	cache=$(grep -n ' |.*fill < main' text | cut -d: -f1)
	"$CUPEL" collapse -i leak.data --event-filter heap-leaked >folded 2>log
	[ "${leak:-0}" -gt 0 ] && [ "$leak" -lt "${cache:-0}" ] && grep -q ';session ' folded && break
done
[ "${leak:-0}" -gt 0 ] && [ "$leak" -lt "${cache:-0}" ] || fail "rank of the leak: $(cat text)"
grep -q ';session ' folded || fail "heap-leaked: $(cat folded log)"
! grep -q ';fill ' folded || fail "the cache leaks: $(cat folded)"
"$CUPEL" collapse -i leak.data --event-filter heap-temporary 2>log | grep -q ';serve ' ||
	fail "heap-temporary: $(cat log)"

echo "== two moments"
"$CUPEL" heap --rate 2K --save leak.data -- ./leak >text 2>log
"$CUPEL" convert -i leak.data --time 0%-30% --event-filter heap-live -o first.pb.gz 2>log &&
	"$CUPEL" convert -i leak.data --time 0%-95% --event-filter heap-live -o second.pb.gz 2>>log ||
	fail "two moments: $(cat log)"
"$CUPEL" diff first.pb.gz second.pb.gz >text 2>log
grep -q '+.* session$' text || fail "two moments: $(cat text log)"
! grep -q ' serve$' text || fail "two moments: $(cat text)"
"$CUPEL" heatmap -i leak.data -e heap-alloc -o over_time.html 2>log || fail "heatmap: $(cat log)"
grep -q '<svg\|<script' over_time.html || fail "heatmap: no picture"

echo "== what realloc() makes larger"
cat >grow.c <<'C'
#include <stdlib.h>
#include <unistd.h>

#define HIDE __attribute__((noinline, noclone))
static void *volatile kept;

/* Something behind it keeps the block from growing where it is. */
HIDE void stepwise(void)
{
	char *p = NULL;

	for (size_t n = 1; n <= 200; n++) {
		p = realloc(p, n * 500);
		kept = malloc(3000);
	}
	free(p);
}
HIDE void doubling(void)
{
	char *p = NULL;

	for (size_t n = 1000; n <= 100000; n *= 2) {
		p = realloc(p, n);
		kept = malloc(3000);
	}
	free(p);
}
HIDE void shrinking(void) { kept = realloc(realloc(NULL, 90000), 100); }
int main(int argc, char **argv)
{
	char word;

	(void)argv;
	if (argc > 1 && (write(1, "ready\n", 6) != 6 || read(0, &word, 1) != 1))
		return 1;
	stepwise();
	for (int i = 0; i < 10; i++)
		doubling();
	shrinking();
	return 0;
}
C
cc -O1 -g -fno-builtin -o grow grow.c || exit 1
# grown JSON: the rows of the two functions.
grown() {
	sed -n 's/^.*"calls": \([0-9]*\), "moved": [0-9]*, "moved_bytes": \([0-9]*\), "largest": \([0-9]*\), "grows": "\([a-z]*\)".*"function": "\(stepwise\|doubling\)".*/\5 \1 \3 \4/p' "$1" | sort
}
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$CUPEL" heap --exact --json -o grow.json -- ./grow 2>log
	grep -q '"stopped": "[^r]' grow.json || break
done
if whole grow.json; then
	[ "$(grown grow.json)" = "$(printf 'doubling 60 64000 factor\nstepwise 199 100000 step')" ] ||
		fail "realloc: $(grown grow.json)"
fi
! grep -q '"moved_bytes".*shrinking' grow.json || fail "realloc: a block that got smaller"
mkfifo grow.in
./grow wait <grow.in >out &
pid=$!
exec 5>grow.in
until grep -q ready out; do kill -0 $pid || break; done
"$CUPEL" heap --rate 4K --json -o grow.json --save grow.data -p $pid 2>log &
cupel=$!
# its header is written after the probes are on
until [ -s grow.data ] || ! kill -0 $cupel 2>/dev/null; do :; done
printf g >&5
exec 5>&-
wait $pid || fail "realloc: the process was harmed"
wait $cupel || fail "realloc: $(cat log)"
if whole grow.json; then
	grown grow.json | grep -q '^stepwise [12][0-9][0-9] [0-9]* step' || fail "realloc, attached: $(grown grow.json)"
fi

echo "== other programs"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$CUPEL" heap --exact --json -o exec.json -- sh -c './known 10; exec ./known 10' >out 2>log
	grep -q '"stopped": "[^r]' exec.json || break
done
[ "$(sort -u out)" = "done" ] || fail "two programs: $(cat out)"
if whole exec.json; then
	row exec.json small 2000 20 0 0
	row exec.json leak 22000 22 22000 0
fi
"$CUPEL" heap --exact --json --no-inherit -o alone.json -- sh -c './known 10; :' >out 2>log
! grep -q '"function": "small"' alone.json || fail "--no-inherit"
LD_PRELOAD='' "$CUPEL" heap --no-inherit -o /dev/null -- env >without 2>log
! grep -E '^CUPEL_HEAP|preload-' without || fail "environment"

echo "== what cannot be seen"
cc -O1 -static -o still known.c -lpthread 2>/dev/null && {
	"$CUPEL" heap -- ./still 1 >out 2>log && fail "a static program"
	grep -q "statically linked" log || fail "static: $(cat log)"
}
cc -O1 -fsanitize=address -o sanitized known.c -lpthread 2>/dev/null && {
	"$CUPEL" heap -- ./sanitized 1 >out 2>log && fail "a program with a sanitizer"
	grep -q "AddressSanitizer" log || fail "sanitizer: $(cat log)"
}
# A program with malloc's address in its own code; a library that allocates before ours has begun.
cat >early.c <<'C'
#include <stdlib.h>
__attribute__((constructor)) static void early(void) { *(volatile char *)malloc(70000) = 0; }
C
cat >address.c <<'C'
#include <stdlib.h>
int main(void)
{
	void *(*volatile take)(size_t) = malloc;

	return *(volatile char *)take(50000) = 0;
}
C
cc -O1 -shared -fPIC -o libearly.so early.c
cc -O1 -no-pie -o address address.c -Wl,--no-as-needed -L. -learly -Wl,-rpath,.
"$CUPEL" heap --exact --json -- ./address >out 2>log || fail "address: $(cat log)"
! grep -q "malloc of its own" log || fail "address: $(cat log)"
grep -q '"processes": *1\b' out || fail "early: $(cat out)"
cat >own.c <<'C'
#include <stddef.h>
static char room[1 << 16];
static size_t used;
void *malloc(size_t size) { size_t at = used; used += (size + 15) & ~15ul; return room + at; }
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *block, size_t size)
{
	char *to = malloc(size), *from = block;

	for (size_t i = 0; from && i < size && from + i < room + sizeof(room); i++)
		to[i] = from[i];
	return to;
}
int main(void) { return *(volatile char *)malloc(100); }
C
cc -O1 -fno-builtin -o own own.c && "$CUPEL" heap -- ./own >out 2>log
grep -q "malloc of its own" log || fail "own malloc: $(cat log)"

echo "== the probes of OpenTelemetry"
"$CUPEL" heap --rate 4K -o /dev/null -- ./known 10 otel >out 2>log &
pid=$!
until pgrep -P $pid known >child; do kill -0 $pid 2>/dev/null || break; done
library=
while [ -z "$library" ] && kill -0 $pid 2>/dev/null; do
	library=$(sed -n 's,.* \(/.*/cupel-heap-[^ ]*\)$,\1,p' "/proc/$(cat child)/maps" | head -n 1)
done
# Its tables may come late.
for _ in 1 2 3 4 5; do
	"$CUPEL" record -q -g -c 1 -e "usdt:$library:alloc" -o otel.data -p "$(cat child)" -- sleep 1 2>log
	"$CUPEL" report -i otel.data --stdio >text 2>>log
	grep -q small text && break
done
: >otel
wait $pid
grep -q small text || fail "otel_memory:alloc: $(head -n 5 log)"

echo "== another profiler's probes"
cat >producer.c <<'C'
#include <stdint.h>
#include <stdlib.h>
#if defined(__x86_64__)
#define ALLOC "8@%rdi 8@%rsi 8@%rdx"
#define FREE "8@%rdi"
#else
#define ALLOC "8@x0 8@x1 8@x2"
#define FREE "8@x0"
#endif
#define NOTE(name, place, arguments)                                                                \
	__asm__(".pushsection .note.stapsdt, \"\", %note\n.balign 4\n.4byte 992f - 991f, 994f - 993f, 3\n" \
		"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte " place ", 0, 0\n"                \
		".asciz \"otel_memory\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n994: .balign 4\n"  \
		".popsection\n")
__asm__(".text\n.globl probe_alloc\nprobe_alloc: nop\nret\n.globl probe_free\nprobe_free: nop\nret\n");
NOTE("alloc", "probe_alloc", ALLOC);
NOTE("free", "probe_free", FREE);
void probe_alloc(uint64_t address, uint64_t size, uint64_t weight);
void probe_free(uint64_t address);

__attribute__((noinline)) static void keeps(void)
{
	probe_alloc((uint64_t)(uintptr_t)malloc(1000), 1000, 500000);
	__asm__ volatile("");
}
__attribute__((noinline)) static void frees(void)
{
	void *p = malloc(2000);

	probe_alloc((uint64_t)(uintptr_t)p, 2000, 600000);
	probe_free((uint64_t)(uintptr_t)p);
	free(p);
}
int main(void)
{
	for (int i = 0; i < 100; i++) {
		keeps();
		frees();
	}
	return 0;
}
C
cc -O1 -g -fno-builtin -fno-optimize-sibling-calls -o producer producer.c || exit 1
"$CUPEL" heap --usdt ./producer --json -o usdt.json --save usdt.data --timeline live.html -- ./producer 2>log ||
	fail "probes of a producer: $(cat log)"
"$CUPEL" heap --usdt ./producer -i usdt.data -o usdt.text 2>log || fail "their recording: $(cat log)"
grep -q "picked by the program's own profiler" usdt.text || fail "their recording: $(head -n 9 usdt.text)"
python3 - <<'P' || fail "sums of a producer"
import json, sys
run = json.load(open('usdt.json'))
live = {f['function'] for row in run['stacks'] if row['live'] for f in row['stack']}
bad = []
if run['samples'] + run['lost'] != 200 or not run['lost'] and run['allocated']['value'] != 110000000:
    bad.append(f"allocated: {run['samples']} samples, {run['lost']} lost, {run['allocated']}")
if not run['lost'] and run['live']['value'] != 50000000:
    bad.append(f"live: {run['live']}")
if 'keeps' not in live or 'frees' in live and not run['lost']:
    bad.append(f'live: {live}')
for line in bad:
    print(line)
sys.exit(bool(bad))
P
grep -q 'byte-ms' live.html || "$CUPEL" heap --usdt ./producer -i usdt.data -o /dev/null --timeline live.html 2>log
[ "$(grep -c '</html>' live.html)" = 1 ] || fail "timeline: $(cat log)"
"$CUPEL" heap --usdt ./known -o /dev/null -- ./known 1 2>log && fail "a program without the probes"

echo "== SIGKILL"
"$CUPEL" heap --rate 4K -- ./known 1000 killed >out 2>log &
pid=$!
until pgrep -P $pid known >child; do kill -0 $pid 2>/dev/null || break; done
library=
while [ -z "$library" ] && kill -0 $pid 2>/dev/null; do
	library=$(sed -n 's,.* \(/.*/cupel-heap-[^ ]*\)$,\1,p' "/proc/$(cat child)/maps" | head -n 1)
done
kill -KILL $pid
wait $pid 2>/dev/null
: >killed
while kill -0 "$(cat child)" 2>/dev/null; do :; done
[ "$(cat out)" = "done" ] || fail "the program after SIGKILL of cupel: $(cat out)"
[ -n "$library" ] || fail "the library of the killed one is not known"
while [ -e "${library%/*}" ] && pgrep -f '^[^ ]*cupel heap --rate 4K -- ./known 1000 killed' >guard; do :; done
[ ! -e "${library%/*}" ] || fail "left after SIGKILL: $library"
exit $failed
