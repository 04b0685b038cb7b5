#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stackcount: each call is counted at its callers, of a program with known ones, from several threads; the
# sum is that of funccount; static probes; tracepoints with both parts of their stacks; processes; outputs.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" stackcount -D 10ms c:malloc >log 2>&1 || {
	echo "functions cannot be probed here: $(grep -v ^Tracing log | head -n 1)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >target.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
volatile int sum;

APART void leaf(int x)
{
	sum += x;
}
APART void left(int n)
{
	for (int i = 0; i < n; i++)
		leaf(i);
	sum++;
}
APART void right(int n)
{
	left(n);
	for (int i = 0; i < n; i++)
		leaf(i);
	sum++;
}
APART void deep(int depth, int n)
{
	if (depth)
		deep(depth - 1, n);
	else
		left(n);
	sum++;
}
APART void probed(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n"
				 ".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
				 "993: .8byte 990b, 0, 0\n.asciz \"target\"\n.asciz \"tick\"\n.asciz \"\"\n"
				 "994: .balign 4\n.popsection");
	sum++;
}
static void *work(void *argument)
{
	int n = (int)(long)argument;

	left(n);
	right(2 * n);
	deep(20, 3 * n);
	probed(n);
	for (int i = 0; i < n; i++)
		getppid();
	return NULL;
}

/* Until there is a probe in leaf(). */
static void wait_for_probe(void)
{
	char code[8];

	memcpy(code, (void *)leaf, 8);
	close(creat("waiting", 0600));
	while (!memcmp(code, (void *)leaf, 8))
		usleep(1000);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread[8];

	if (argc > 3 && argv[3][0] == 'f' && fork() == 0)
		_exit(work((void *)(long)n) != NULL);
	if (argc > 3 && argv[3][0] == 'w')
		wait_for_probe();
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)(long)n);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		continue;
	return 5;
}
C
cc -O1 -g -w -fomit-frame-pointer -fno-optimize-sibling-calls -o target target.c -pthread || exit 1

# count OPTIONS...: into counts.json
count() {
	timeout -k 1 -s KILL 60 "$CUPEL" stackcount --json "$@" >counts.json 2>log
}

# counts NAME CALLS: whether each stack of leaf() has the calls that it should, CALLS of them by left().
# Stacks that end early, because the program has just started, are whatever they are: they have their
# place in the sum, and the whole ones are no more than there were.
counts() {
	python3 - "$@" <<'PY'
import json, sys
name, n, all_whole = sys.argv[1], int(sys.argv[2]), len(sys.argv) > 3
got, early = {}, 0
data = json.load(open("counts.json"))
for row in data["stacks"]:
    names = [f["function"] for f in row["stack"]]
    if row["stopped"] != "root":
        early += row["calls"]
        continue
    names = tuple(names[: names.index("work") + 1])
    got[names] = got.get(names, 0) + row["calls"]
want = {
    ("leaf", "left", "work"): n,
    ("leaf", "left", "right", "work"): 2 * n,
    ("leaf", "right", "work"): 2 * n,
    ("leaf", "left") + 21 * ("deep",) + ("work",): 3 * n,
}
if data["calls"] != 8 * n or data["lost"] or early + sum(got.values()) != 8 * n:
    sys.exit("%s: %d calls, %d lost, not %d" % (name, data["calls"], data["lost"], 8 * n))
if data["whole_stacks"] + early != 8 * n or (early and all_whole):
    sys.exit("%s: %d stacks end early, %d are whole" % (name, early, data["whole_stacks"]))
if got.keys() - want.keys() or any(got.get(k, 0) > want[k] for k in want) or (got != want and not early):
    sys.exit("%s: %s" % (name, {k: (got.get(k), want.get(k)) for k in got.keys() | want.keys() if got.get(k) != want.get(k)}))
PY
}
# begin: a target that waits for a probe, as $pid; it has looked at its code before there is one
begin() {
	rm -f waiting
	./target 4000 2 wait &
	pid=$!
	wait_for test -e waiting
}
count ./target:leaf -- ./target 1000 8
status=$?
[ $status = 5 ] || fail "status $status: $(head -n 3 log)"
counts "8 threads" 8000 || failed=1
begin
count -p $pid ./target:leaf || fail "-p: $(head -n 3 log)"
wait $pid
counts "a process" 8000 whole || failed=1
count -P ./target:leaf -- ./target 1000 1 fork
counts "with a child" 2000 || failed=1
python3 - <<'PY' || failed=1
import json, sys
sums = {}
for row in json.load(open("counts.json"))["stacks"]:
    sums[row["pid"]] = sums.get(row["pid"], 0) + row["calls"]
if sorted(sums.values()) != [8000, 8000]:
    sys.exit("by process: %s" % sums)
PY

# The same sum as funccount's, of several functions.
"$CUPEL" funccount --json './target:l*' -- ./target 300 2 >functions.json 2>log
count './target:l*' -- ./target 300 2
python3 - <<'PY' || failed=1
import json, sys
want = {f["name"]: f["calls"] for f in json.load(open("functions.json"))["functions"]}
got = {}
for row in json.load(open("counts.json"))["stacks"]:
    name = row["stack"][0]["function"]
    got[name] = got.get(name, 0) + row["calls"]
if got != want or want.get("leaf") != 4800:
    sys.exit("stackcount and funccount: %s, %s" % (got, want))
PY

count usdt:./target:tick syscalls:sys_enter_getppid -- ./target 400 2
python3 - <<'PY' || failed=1
import json, sys
data = json.load(open("counts.json"))
sums = {}
for row in data["stacks"]:
    kernel = "kernel" in row["stack"][0]
    sums[kernel] = sums.get(kernel, 0) + row["calls"]
    if row["stack"][0]["function"].startswith(("perf_", "bpf_", "__traceiter")):
        sys.exit("functions of tracing: %s" % row)
if data["calls"] != 1600 or sums != {False: 800, True: 800}:
    sys.exit("a static probe and a system call: %s" % sums)
PY
count t:sched:sched_process_exit -- ./target 10 3
python3 - <<'PY' || failed=1
import json, sys
data = json.load(open("counts.json"))
if data["calls"] != 4:
    sys.exit("threads that end: %d" % data["calls"])
for row in data["stacks"]:
    top = row["stack"][0]
    if not top.get("kernel") or top["function"].startswith("bpf"):
        sys.exit("the stack of a tracepoint: %s" % row["stack"])
    if not any("kernel" not in f for f in row["stack"]):
        sys.exit("no user part: %s" % row["stack"])
PY
count -K t:sched:sched_process_exit -- ./target 10 3
grep -q '"calls":[1-4],.*"kernel":true' counts.json && ! grep -q '"module":"libc' counts.json || fail "-K: $(cat counts.json)"
run() {
	timeout -k 1 -s KILL 60 "$CUPEL" stackcount "$@" >out 2>log
}
run -U -f t:sched:sched_process_exit -- ./target 10 3
awk '/do_exit/ { bad = 1 } { sum += $NF } END { exit bad || sum != 4 }' out || fail "-U -f: $(cat out log)"
run -d t:sched:sched_process_exit ./target:leaf -- ./target 100 1
head -n 1 out | grep -q '^Tracing 2 functions for "t:sched:sched_process_exit ./target:leaf"... Hit Ctrl-C to end.$' &&
	tr '\n' '|' <out | grep -q '|  leaf|.*|    [0-9]*||' && grep -q '^    --$' out || fail "text: $(cat out log)"
run --flame -o flame.svg ./target:leaf -- ./target 100 1
calls=$(run -f ./target:leaf -- ./target 100 1; awk '{ sum += $NF } END { print sum }' out)
run --flame -o flame.svg ./target:leaf -- ./target 100 1
grep -q 'leaf' flame.svg && grep -q 'Calls of ./target:leaf' flame.svg || fail "flame graph: $(cat log)"
# All calls are counted: nothing is an estimate.
grep -q ": $calls samples, 0 lost" log && grep -q " $calls calls" flame.svg && ! grep -q ', 95% ' flame.svg ||
	fail "flame graph of $calls calls: $(cat log; grep -o '<title>[^<]*' flame.svg | head -n 3)"

# Intervals: together, and with the functions' names, all calls.
begin
count -i 50ms -p $pid ./target:leaf || fail "-i: $(head -n 3 log)"
wait $pid
python3 - <<'PY' || failed=1
import json, sys
text, at, calls, names = open("counts.json").read(), 0, 0, set()
while at < len(text):
    data, end = json.JSONDecoder().raw_decode(text[at:])
    at += end + 1
    calls += data["calls"]
    # Calls before the unwind tables are there have the function alone.
    names |= {row["stack"][1]["function"] for row in data["stacks"] if len(row["stack"]) > 1}
if calls != 64000 or names != {"left", "right"}:
    sys.exit("intervals: %d calls, %s" % (calls, names))
PY

# An interval has its calls when it ends, also if nothing follows.
cat >asked.c <<'C'
#include <signal.h>
#include <unistd.h>
volatile int calls;
__attribute__((noinline, noclone)) void tick(void)
{
	calls++;
}
static void ten(int number)
{
	for (int i = 0; i < 10; i++)
		tick();
}
int main(void)
{
	signal(SIGUSR1, ten);
	for (;;)
		pause();
}
C
cc -O1 -o asked asked.c || exit 1
mkfifo lines
./asked &
asked=$!
timeout -k 1 -s KILL 100 "$CUPEL" stackcount --json -i 100ms -p $asked ./asked:tick >lines 2>log &
tool=$!
exec 8<lines
# printed N: reads intervals until N more calls came, at least one interval
printed() {
	local sum=0 line
	while read -r -t 60 line <&8; do
		[[ $line =~ \"stack\ counts\",\"calls\":([0-9]+) ]] || continue
		sum=$((sum + BASH_REMATCH[1]))
		[ $sum -lt "$1" ] || break
	done
	[ $sum = "$1" ] || fail "$sum of $1 calls are in intervals: $(cat log)"
}
printed 0 # probes are there
for _ in 1 2 3; do
	kill -USR1 $asked
	printed 10
done
kill -INT $tool
wait $tool
exec 8<&-
kill $asked
wait $asked 2>/dev/null

count -p $$ -D 100ms ./target:leaf
grep -q '"calls":0,' counts.json || fail "calls of another process: $(cat counts.json)"
exit $failed
