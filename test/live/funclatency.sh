#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# funclatency: every call that returns is in the distribution, in the right step, with recursion and threads;
# longjmp and exceptions leave a function without confusing it, and the program lives; C, and C++, in
# which the instructions that return are probed; Go is refused.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" funclatency -d 10ms c:malloc >log 2>&1 || {
	echo "functions cannot be probed here: $(grep -v ^Tracing log | head -n 1)"
	exit 77
}
cat >target.cc <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdexcept>
#include <stdlib.h>
#include <time.h>
#define FUNCTION __attribute__((noinline, noclone))
static jmp_buf where;
extern "C" {
FUNCTION void spin(long us)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000L + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}
FUNCTION long recursive(long n)
{
	long r = 0;

	asm volatile("" ::: "memory");
	if (n)
		r = recursive(n - 1);
	else
		spin(100);
	asm volatile("" ::: "memory");
	return r + 1;
}
FUNCTION void jumps(long n)
{
	asm volatile("" ::: "memory");
	if (n)
		longjmp(where, 1);
}
FUNCTION void throws(long n)
{
	asm volatile("" ::: "memory");
#ifdef __EXCEPTIONS
	if (n)
		throw std::runtime_error("thrown");
#endif
}
FUNCTION void tail(long us)
{
	asm volatile("" ::: "memory");
	spin(us);
}
}
static void *work(void *)
{
	for (int i = 0; i < 100; i++)
		spin(200);
	return NULL;
}
int main()
{
	pthread_t thread[4];

	for (auto &t : thread)
		pthread_create(&t, NULL, work, NULL);
	for (auto &t : thread)
		pthread_join(t, NULL);
	for (int i = 0; i < 10; i++) {
		recursive(9);
		tail(300);
	}
	for (volatile int i = 0; i < 50; i++) {
		if (!setjmp(where))
			jumps(i & 1);
#ifdef __EXCEPTIONS
		try {
			throws(i & 1);
		} catch (std::exception &) {
		}
#endif
	}
	return 7;
}
C
c++ -O2 -g -fcf-protection -o cxx target.cc -pthread || exit 1
c++ -O2 -g -fno-exceptions -fno-asynchronous-unwind-tables -o plain target.cc -pthread || exit 1
failed=0
for program in cxx plain; do
	timeout -s KILL 100 "$CUPEL" funclatency -u -F --json ./$program:spin ./$program:recursive ./$program:jumps \
		./$program:throws ./$program:tail -- ./$program >times.json 2>log
	[ $? = 7 ] || {
		echo "FAIL: $program: $(head -n 3 log)"
		failed=1
	}
	python3 - $program <<'PY' || failed=1
import json, sys
name = sys.argv[1]
by_name = {f["name"]: f for f in json.load(open("times.json"))["functions"]}
want = {"spin": (420, 420), "recursive": (100, 100), "jumps": (50, 25), "tail": (10, 10)}
if name == "cxx":
    want["throws"] = (50, 25)
got = {k: (f["calls"], f["returned"]) for k, f in by_name.items()}
if got != want:
    sys.exit("%s: (calls, returned): %s, not %s" % (name, got, want))
shortest = {k: next(b["from"] for b in f["buckets"]) for k, f in by_name.items()}
# 100 us in each of ten nested calls, 200 us: nothing may be shorter, nor 300 us in spin, which tail
# jumps to.
if shortest["spin"] < 64 or shortest["recursive"] < 64 or shortest["tail"] < 256:
    sys.exit("%s: too short: %s" % (name, shortest))
if sum(b["count"] for b in by_name["spin"]["buckets"] if b["from"] == 128) < 200:
    sys.exit("%s: 200 us are not in their step: %s" % (name, by_name["spin"]))
for f in by_name.values():
    if sum(b["count"] for b in f["buckets"]) != f["returned"]:
        sys.exit("%s: the buckets have other sums: %s" % (name, f))
PY
done
timeout -s KILL 100 "$CUPEL" funclatency -u --linear 0:100 --json ./cxx:spin -- ./cxx >times.json 2>log
python3 - <<'PY' || failed=1
import json, sys
buckets = json.load(open("times.json"))["functions"][0]["buckets"]
if sum(b["count"] for b in buckets if b["from"] == 200 and b["to"] == 299) < 150:
    sys.exit("steps of 100 us: %s" % buckets)
PY
# Recursion is as deep as it likes: instructions that return are probed.
cat >deep.c <<'C'
__attribute__((noinline, noclone)) int deep(volatile int n)
{
	return n ? deep(n - 1) + n : 1;
}
int main(void)
{
	return deep(99) + deep(99) == 0;
}
C
cc -O1 -fno-optimize-sibling-calls -o deep deep.c || exit 1
timeout -s KILL 100 "$CUPEL" funclatency --json ./deep:deep -- ./deep >times.json 2>log
grep -q '"calls":200,"returned":200,' times.json || {
	echo "FAIL: deep recursion: $(cat times.json log)"
	failed=1
}
timeout -s KILL 100 "$CUPEL" ftrace -x ./deep -F deep --max-cost 100000 -- ./deep >out 2>log
[ "$(grep -c '} /\* deep \*/\|deep();' out)" = 200 ] || {
	echo "FAIL: deep recursion in a graph: $(tail -n 3 out log)"
	failed=1
}
# The slowest calls, with their stacks; the distribution is of all.
cat >slow.c <<'C'
#include <unistd.h>
#define APART __attribute__((noinline, noclone))
volatile int calls;
APART void work(int us)
{
	if (us)
		usleep(us);
	calls++;
}
APART void quick(void)
{
	for (int i = 0; i < 1000; i++)
		work(0);
	calls++;
}
APART void slower(void)
{
	work(600000);
	calls++;
}
APART void slow(void)
{
	work(300000);
	calls++;
}
int main(void)
{
	quick(), slow(), quick(), slower(), quick();
	return 3;
}
C
cc -O1 -fno-optimize-sibling-calls -o slow slow.c || exit 1
timeout -k 1 -s KILL 100 "$CUPEL" funclatency --json --slowest 2 ./slow:work -- ./slow >times.json 2>log
[ $? = 3 ] || {
	echo "FAIL: --slowest: $(cat log)"
	failed=1
}
python3 - <<'PY' || failed=1
import json, sys
data = json.load(open("times.json"))
all_calls = data["functions"][0]
if (all_calls["calls"], all_calls["returned"]) != (3002, 3002):
    sys.exit("--slowest: calls: %s" % all_calls)
got = [[f["function"] for f in call["stack"]][:3] for call in data["slowest"]]
if got != [["work", "slower", "main"], ["work", "slow", "main"]]:
    sys.exit("--slowest: %s" % got)
if any(call["stopped"] != "root" for call in data["slowest"]) or data["slowest"][0]["ns"] < 6e8:
    sys.exit("--slowest: %s" % data["slowest"])
PY
timeout -k 1 -s KILL 100 "$CUPEL" funclatency -u --slowest 1 ./slow:work -- ./slow >out 2>log
tr '\n' '|' <out | grep -q '|Slowest calls:||[0-9]* usecs, slow \[[0-9]*\]|  work|  slower|  main|' || {
	echo "FAIL: --slowest: $(cat out log)"
	failed=1
}
# An exception passes through a function of the C library that is probed, and through the unwinder.
cat >through.cc <<'C'
#include <stdlib.h>
static int calls;
static int compare(const void *a, const void *b)
{
	if (++calls % 50 == 0)
		throw calls;
	return *(const int *)a - *(const int *)b;
}
int main()
{
	int caught = 0;

	for (int i = 0; i < 30; i++) {
		int value[6] = { 6, 2, 5, 1, 4, 3 };

		try {
			qsort(value, 6, sizeof(int), compare);
		} catch (int) {
			caught++;
		}
	}
	return caught;
}
C
c++ -O1 -o through through.cc || exit 1
./through
caught=$?
[ $caught -gt 0 ] && [ $caught -lt 30 ] || exit 1
# lives COMMAND...: before "-- ./through"
lives() {
	timeout -k 1 -s KILL 100 "$CUPEL" "$@" -- ./through >out 2>log
	[ $? = $caught ] || {
		echo "FAIL: the program does not live with $*: $(tail -n 3 log)"
		failed=1
	}
}
lives funclatency --json c:qsort
grep -q "\"calls\":30,\"returned\":$((30 - caught))," out || {
	echo "FAIL: exceptions through qsort: $(cat out)"
	failed=1
}
lives funclatency gcc_s:_Unwind_RaiseException
lives stat -x, -o counts -e uretprobe:c:qsort
grep -q "^$((30 - caught))," counts || {
	echo "FAIL: stat: exceptions through qsort: $(cat counts)"
	failed=1
}
lives argdist --json -C 'r:c:qsort()'
grep -q "\"count\":$((30 - caught))[,}]" out || {
	echo "FAIL: argdist: exceptions through qsort: $(cat out)"
	failed=1
}
lives record -o perf.data -e uretprobe:c:qsort
"$CUPEL" script -i perf.data >out 2>log
[ "$(grep -c 'uretprobe:c:qsort' out)" = $((30 - caught)) ] || {
	echo "FAIL: record: exceptions through qsort: $(head -n 3 out log)"
	failed=1
}
# A distribution for each value of an argument.
cat >sizes.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void nap(const char *why, int ms) { usleep(ms * 1000); __asm__ volatile("" ::"r"(why)); }
int main(void)
{
	for (int i = 0; i < 9; i++)
		nap(i % 3 ? "short" : "long", i % 3 ? 1 : 20);
}
C
cc -O1 -g -o sizes sizes.c || exit 1
timeout -k 1 -s KILL 100 "$CUPEL" funclatency --json --by why ./sizes:nap -- ./sizes >out 2>log
python3 - <<'PY' || failed=1
import json, sys
got = {f["name"]: f for f in json.load(open("out"))["functions"]}
if sorted(got) != ['why = "long"', 'why = "short"'] or got['why = "long"']["returned"] != 3 or \
        got['why = "short"']["returned"] != 6 or got['why = "long"']["total_ns"] < 60e6 or \
        sum(b["count"] for b in got['why = "long"']["buckets"] if b["to"] >= 20e6) != 3:
    sys.exit("FAIL: --by: %s" % got)
PY
timeout -k 1 -s KILL 100 "$CUPEL" funclatency -m --linear 0:1000000 --by arg2 ./sizes:nap -- ./sizes >out 2>log
[ "$(grep -c '^arg2 = ' out)" = 2 ] && grep -Eq '^ +0 -> 999999 +: 3 ' out &&
	grep -Eq '^ +0 -> 999999 +: 6 ' out || {
	echo "FAIL: --by arg2: $(cat out log)"
	failed=1
}
"$CUPEL" funclatency --by nothing ./sizes:nap -- ./sizes >out 2>log && failed=1
"$CUPEL" funclatency --by why --slowest 2 ./sizes:nap -- ./sizes >out 2>log && failed=1

if command -v go >/dev/null; then
	printf 'package main\nfunc main() { println(1) }\n' >go.go
	go build -o gone go.go && "$CUPEL" probe -n -x ./gone main.main >out 2>&1 && ! grep -q ' probe_gone:main_main ' out &&
		failed=1 && cat out
	"$CUPEL" funclatency ./gone:main.main -- ./gone >out 2>log && failed=1
else
	objcopy --add-section .gopclntab=target.cc plain gone
	"$CUPEL" funclatency ./gone:spin -- ./gone >out 2>log && failed=1
fi
grep -q "Go moves its stacks" log || {
	echo "FAIL: Go: $(cat log)"
	failed=1
}
exit $failed
