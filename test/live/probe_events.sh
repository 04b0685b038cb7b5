#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record -e probe:…: each call is one sample with its whole stack and the right caller, from 1 and 4 threads,
# of position-independent, static and stripped programs; at returns, at static probes, every nth; stock perf
# reads it; nothing stays behind after SIGKILL.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
cat >target.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;

#define SDT(name) \
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
		".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
		"993: .8byte 990b, 0, 0\n.asciz \"target\"\n.asciz \"" name "\"\n.asciz \"\"\n" \
		"994: .balign 4\n.popsection")

__attribute__((noinline, noclone)) long probed_call(long n)
{
	long local[4] = { n, n + 1, n + 2, n + 3 };

	__asm__ volatile("" : : "r"(local) : "memory");
	return local[n & 3];
}

__attribute__((noinline, noclone)) void odd_caller(long n)
{
	sum += probed_call(n);
	SDT("tick");
	sum++;
}

__attribute__((noinline, noclone)) void even_caller(long n)
{
	sum += probed_call(n);
	sum++;
}

__attribute__((noinline, noclone)) static void *work(void *argument)
{
	for (long i = 0, calls = (long)argument; i < calls; i++)
		i & 1 ? odd_caller(i) : even_caller(i);
	sum++;
	return NULL;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1;
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread[8];
	char c;

	if (argc > 3 && read(0, &c, 1) != 1)
		return 1;
	if (argc > 4 && fork() == 0) {
		work((void *)calls);
		_exit(0);
	}
	for (int i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)calls);
	work((void *)calls);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		continue;
	return 5;
}
C
flags="-O2 -g -w -fomit-frame-pointer -fno-optimize-sibling-calls -fno-ipa-icf"
cc $flags -fPIE -pie -o pie target.c -pthread || exit 1
cc $flags -static -o static target.c -pthread || exit 1
mkdir .debug
cp pie stripped
objcopy --only-keep-debug stripped .debug/stripped.debug
strip stripped
objcopy --add-gnu-debuglink=.debug/stripped.debug stripped || exit 1

record() {
	timeout -k 1 -s KILL 60 "$CUPEL" record "$@" 2>log
}
record -e probe:./pie:probed_call -o first.data -- ./pie 1 1
[ $? = 5 ] || {
	echo "functions cannot be probed here: $(head -n 1 log)"
	exit 77
}

# check FILE THREADS CALLS [FIRST]: that many samples, in each thread from both callers in turn, FIRST (the
# probed function) before the caller
check() {
	"$CUPEL" script -i "$1" -F tid,event,ip,sym >text 2>/dev/null
	"$CUPEL" report --json -i "$1" >json 2>/dev/null
	python3 - "$@" <<'PY' || failed=1
import collections, json, re, sys

name, threads, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
first = sys.argv[4] if len(sys.argv) > 4 else "probed_call"
turns, wrong = collections.defaultdict(list), 0
for block in open("text").read().strip().split("\n\n"):
    lines = block.split("\n")
    frames = [l.split()[1].split("+")[0] for l in lines[1:]]
    if first:
        wrong += frames[:1] != [first]
        frames = frames[1:]
    turns[lines[0].split()[0]].append(frames[0] if frames else "")
want = ["odd_caller" if i & 1 else "even_caller" for i in range(calls)]
event = json.load(open("json"))["events"][0]
# On a busy machine the first samples come before the kernel has the tables; they say so.
early = event["stacks"]["stopped"].get("no-table", 0)
if early > event["stacks"]["total"] / 100:
    print(f"not tested: callers of {early} samples of {name}: no unwind tables yet")
bad = sum(len(got) != calls or any(g != w and (g or not early) for g, w in zip(got, want))
          for got in turns.values())
whole = (event["stacks"]["complete"] + early) / max(event["stacks"]["total"], 1)
print(f"{name}: {[len(t) for t in turns.values()]} samples, {whole:.2%} whole, weight {event['weight']}")
if len(turns) != threads or bad or wrong or whole < 0.99 or event["weight"] != threads * calls:
    sys.exit(f"{name}: {bad} threads differ, {wrong} samples begin elsewhere, {event}")
PY
}

# attached PROGRAM THREADS CALLS EVENT [FORK]: the program calls when its process is recorded, and its tables are there
attached() {
	mkfifo go control ack
	"./$1" "$3" "$2" wait ${5:-} <go &
	pid=$!
	exec 5>go
	wait_for is_asleep $pid "$1" || fail "$1 does not wait" # before its exec it is the shell
	timeout -k 1 -s KILL 60 "$CUPEL" record -e "$4" -D -1 --control fifo:control,ack -o a.data -p $pid 2>log &
	recorder=$!
	exec 6>control 7<ack
	echo enable >&6
	read -r -t 60 -u 7 || fail "$1: no answer from the recorder: $(cat log)"
	echo >&5
	wait $pid
	wait $recorder || fail "$1: status $?: $(head -n 3 log)"
	exec 5>&- 6>&- 7<&-
	rm go control ack
	grep -q ' 0 lost' log || fail "$1: $(head -n 3 log)"
}
for program in pie static stripped; do
	attached $program 4 1000 "probe:./$program:probed_call"
	check a.data 4 1000
done
attached pie 1 1000 "probe:./pie:probed_*"
check a.data 1 1000

# Stock perf reads it, with the fields that the kernel's own probes have.
if command -v perf >/dev/null; then
	calls=$(perf script -i a.data -F event,trace 2>perf.log | grep -c '^ *probe:./pie:probed_\*: *([0-9a-f]*)$')
	[ "$calls" = 1000 ] || fail "perf script prints $calls calls: $(head -n 3 perf.log)"
	perf report -i a.data --stdio -s symbol 2>&1 | grep "100.00% .*probed_call" >found || fail "perf report has no probed_call"
fi

# Values: each call's argument belongs to the caller in its stack.
attached pie 1 1000 'probe:./pie:probed_call n m=n*2'
"$CUPEL" script -i a.data -F trace,ip,sym >text 2>/dev/null
python3 - <<'PY' || failed=1
import re, sys

blocks = open("text").read().strip().split("\n\n")
for i, block in enumerate(blocks):
    n, m = map(int, re.search(r" n=(\d+) m=(\d+)", block).groups())
    if n != i or m != 2 * i or ("odd_caller" if i & 1 else "even_caller") not in block:
        sys.exit(f"call {i}: {block}")
if len(blocks) != 1000:
    sys.exit(f"{len(blocks)} calls with values")
PY
if command -v perf >/dev/null; then
	calls=$(perf script -i a.data -F trace 2>/dev/null | grep -c '([0-9a-f]*) n=[0-9]* m=[0-9]*$')
	[ "$calls" = 1000 ] || fail "perf script prints the values of $calls calls"
fi
"$CUPEL" report -i a.data -s n --stdio 2>/dev/null | grep -q ' 0.10%  *0.10%  *999 *$' || fail "report -s n"

# At returns the caller comes first.
attached pie 1 1000 'probe:./pie:probed_call%return'
check a.data 1 1000 ''

# events FILE: samples and weight of each event
events() {
	"$CUPEL" report --json -i "$1" 2>/dev/null |
		python3 -c 'import json, sys
for e in json.load(sys.stdin)["events"]: print(e["name"], e["samples"], e["weight"])'
}

# A program from its exec on, with children; several events; every 7th.
record -e probe:./pie:odd_caller,probe:./pie:even_caller,usdt:./pie:tick -o b.data -- ./pie 300 2 '' fork </dev/zero
[ $? = 5 ] || fail "$(head -n 3 log)"
[ "$(events b.data)" = "probe:./pie:odd_caller 450 450
probe:./pie:even_caller 450 450
usdt:./pie:tick 450 450" ] || fail "$(events b.data; cat log)"
record -c 7 -e probe:./pie:probed_call -o b.data -- ./pie 700
[ "$(events b.data)" = 'probe:./pie:probed_call 100 700' ] || fail "$(events b.data; cat log)"
record -a -e probe:./pie:probed_call -o b.data -- ./pie 300 2 '' fork </dev/zero
[ "$(events b.data)" = 'probe:./pie:probed_call 900 900' ] || fail "$(events b.data; cat log)"

# Counted, one row for each function of a glob.
timeout -k 1 -s KILL 60 "$CUPEL" stat -x, -e 'probe:./pie:*_caller,usdt:./pie:tick' -- ./pie 300 2 '' fork \
	</dev/zero 2>stat
[ "$(cut -d, -f 1,3 stat | sort)" = "450,probe:pie:even_caller
450,probe:pie:odd_caller
450,usdt:./pie:tick" ] || fail "$(cat stat)"
# Between the calls of a trace, in order.
timeout -k 1 -s KILL 60 "$CUPEL" trace -e read,probe:./pie:even_caller -o trace.txt -- ./pie 2 1 wait </dev/zero 2>log
[ "$(grep -c 'even_caller(' trace.txt)" = 1 ] && grep -A 1 'read(0' trace.txt | tail -n 1 | grep -q even_caller ||
	fail "$(cat log trace.txt)"
[ -z "$(timeout -k 1 -s KILL 60 "$CUPEL" record -e probe:./pie:nosuch -o no.data -- true 2>&1 >/dev/null |
	grep -v 'no function nosuch')" ] || fail "an unknown function"

# SIGKILL: the probe is gone with the process.
if command -v bpftool >/dev/null; then
	ids() {
		sed -n 's/^\(prog\|link\|map\)_id:[[:space:]]*/\1 /p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
	}
	mkfifo go
	"$CUPEL" record -e probe:./pie:probed_call -o b.data -- ./pie 10 1 wait <go 2>log &
	recorder=$!
	exec 5>go
	wait_for child_of $recorder pie
	ids $recorder >held
	grep -q link held || fail "it holds no link: $(cat log)"
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	gone() {
		while read -r kind id; do
			! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
		done <held
	}
	wait_for gone || fail "something of BPF is still there"
	echo >&5
	exec 5>&-
fi
exit $failed
