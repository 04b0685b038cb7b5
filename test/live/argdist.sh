#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# argdist: values of arguments are those that gdb prints at breakpoints, for programs of both compilers,
# with each kind of debug info and of first instruction; of signatures alone, of static probes and results;
# filters, histograms, strings, memory that cannot be read.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" argdist -d 10ms -C 'p:c:malloc()' >log 2>&1 || {
	echo "functions cannot be probed here: $(grep -v ^Tracing log | head -n 1)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >target.c <<'C'
#include <stdint.h>
#include <string.h>

enum color { RED = -1, GREEN = 7 };
struct item {
	const char *name;
	unsigned low : 3, high : 9;
	int bits : 5;
	short grid[3][4];
	char tag[8];
	struct item *next;
	enum color color;
	union { int whole; short part; };
};
int64_t total = -9;

__attribute__((noinline)) int work(struct item *s, int x, const char *text, unsigned char c)
{
	__asm__ volatile("" ::"r"(s), "r"(x), "r"(text), "r"(c) : "memory");
	total += x;
	return x * 3;
}

__attribute__((noinline)) int probed(int a, const char *b)
{
#ifdef __x86_64__
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n"
		".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
		"993: .8byte 990b, 0, 0\n.asciz \"target\"\n.asciz \"hit\"\n"
		".asciz \"-4@%%eax 8@%%rcx 4@$5 -2@(%%rdx)\"\n994: .balign 4\n.popsection"
		:: "a"(a), "c"(b), "d"(&a) : "memory");
#endif
	return a;
}

int main(void)
{
	struct item two = { "second", 2, 20, 3, { { 0 }, { 9, 8, 7, 6 } }, "b", 0, GREEN, { 70000 } };
	struct item one = { "first", 5, 300, -7, { { 0 }, { 1, 2, -3, 4 } }, "tagged", &two, RED, { 5 } };
	int sum = 0;

	for (int i = 0; i < 60; i++)
		sum += work(i % 3 ? &one : &two, i % 5 - 2, i % 2 ? "odd" : "even", (unsigned char)(i % 4 + 250));
	for (int i = 0; i < 10; i++)
		sum += probed(-i, i % 2 ? "odd" : "even");
	return sum == 77;
}
C

# rows: the counts and values of an output, sorted
rows() {
	sed -n 's/^\t\([0-9][0-9]*\) *\(.* = .*\)/\1 \2/p' "$1" | sort
}

count() {
	timeout -k 1 -s KILL 30 "$CUPEL" argdist -i 20 "$@" >out 2>log || true
}

# The same line from gdb and from argdist.
cat >commands <<'GDB'
set pagination off
set confirm off
break work
commands
silent
printf "s->name = \"%s\", x = %d, text = \"%s\", s->low = %d, s->bits = %d, s->grid[1][2] = %d, c = %d, s->whole = %d\n", s->name, x, text, s->low, s->bits, s->grid[1][2], c, s->whole
continue
end
run
GDB
spec=':char*,int,char*,int,int,int,u8,int:s->name,x,text,s->low,s->bits,s->grid[1][2],c,s->whole'
builds=0
for flags in "gcc -O0" "gcc -O1 -gdwarf-4" "gcc -O2" "gcc -O2 -fcf-protection=full" "gcc -O1 -no-pie" \
	"gcc -O1 -static" "gcc -O1 -gsplit-dwarf" "gcc -O1 -fno-omit-frame-pointer -pg" \
	"clang -O1" "clang -O0" "clang -O2 -gdwarf-4"; do
	$flags -g -o target target.c 2>/dev/null || continue
	builds=$((builds + 1))
	count -C "p:./target:work()$spec" -- ./target
	rows out >ours
	if command -v gdb >/dev/null; then
		gdb -batch -x commands ./target 2>/dev/null | grep '^s->name' | sort | uniq -c |
			sed 's/^ *//' | sort >theirs
	else
		cp ours theirs
	fi
	[ -s ours ] && cmp -s ours theirs || fail "$flags: $(diff theirs ours | head -n 6; head -n 3 log)"
	count -C "p:./target:work():int:x:x > 0 && c == 251" -C "r:./target:work():int:\$retval" \
		-C "p:./target:work():long,int:total,s->next->color" -- ./target
	[ "$(rows out | grep -c ' x = ')" = 2 ] || fail "$flags: filter: $(cat out)"
	[ "$(rows out | grep ' .retval = ' | awk '{ n += $1 } END { print n }')" = 60 ] ||
		fail "$flags: results: $(cat out)"
	grep -q 'total = -9, s->next->color = (unreadable)' out || fail "$flags: unreadable: $(cat out log)"
done
[ "$builds" -ge 6 ] || fail "only $builds builds"

# a signature is enough without debug info
gcc -O1 -o plain target.c
count -C 'p:./plain:work(void *s, int x, char *text):char*,int:text,x:x==-2' -- ./plain
[ "$(rows out)" = '6 text = "even", x = -2
6 text = "odd", x = -2' ] || fail "signature: $(cat out log)"

# floating-point parameters take no registers of integers
cat >floats.c <<'C'
__attribute__((noinline)) int mixed(double a, float b, int n)
{
	__asm__ volatile("" ::: "memory");
	return n + (int)(a * b);
}
int main(void) { return mixed(1.5, 2, 3) != 6; }
C
gcc -O1 -o floats floats.c
count -C 'p:./floats:mixed(double a,float b,int n):int,int:n,arg3' -- ./floats
[ "$(rows out)" = '1 n = 3, arg3 = 3' ] || fail "after floats: $(cat out log)"
"$CUPEL" argdist -C 'p:./floats:mixed(double a,float b,int n):int:a' -- ./floats >out 2>log &&
	fail "a double was fetched: $(cat out)"

# arguments on the stack; types that are larger than a register; programs of 32 bits
cat >many.c <<'C'
struct pair { long a, b, c; };
__attribute__((noinline)) int many(int a, long b, int c, int d, int e, int f, int g, const char *h)
{
	__asm__ volatile("" ::"r"(h) : "memory");
	return a + (int)b + c + d + e + f + g;
}
__attribute__((noinline)) struct pair wide(int x)
{
	__asm__ volatile("" : "+r"(x));
	return (struct pair){ x, x, x };
}
int main(void)
{
	return many(1, 2, 3, 4, 5, 6, -7, "eight") + many(1, 2, 3, 4, 5, 6, -7, "eight") + (int)wide(3).b == 0;
}
C
cc -O0 -g -w -o many many.c && cc -O2 -w -o many2 many.c || exit 1
for call in "many:many()" "many2:many(int a,long b,int c,int d,int e,int f,int g,char *h)"; do
	count -C "p:./$call:int,char*:g,h" -- ./${call%%:*}
	[ "$(rows out)" = '2 g = -7, h = "eight"' ] || fail "$call: $(cat out log)"
done
for wrong in 'p:./many2:many(__int128 a,int b):int:b' 'p:./many2:many(struct pair a,int b):int:arg2' \
	'p:./many:wide():int:x' 'r:./many:wide():long:$retval' 'p:./many2:many+1(int a,long b,int c,int d,int e,int f,int g):int:g'; do
	"$CUPEL" argdist -d 10ms -C "$wrong" >out 2>log && fail "not refused: $wrong: $(cat out)"
done
if cc -m32 -g -nostdlib -static -fno-pie -no-pie -Dmain=_start -o many32 many.c 2>/dev/null; then
	"$CUPEL" argdist -d 10ms -C 'p:./many32:many():int:a' >out 2>log && fail "a program of 32 bits: $(cat out)"
	grep -q '32 bits' log || fail "a program of 32 bits: $(cat log)"
	"$CUPEL" funclatency -d 10ms ./many32:many >out 2>log && fail "returns of 32 bits: $(cat out)"
fi

# results as a histogram: -6 -3 0 3 6, twelve of each
count -H 'r:./plain:work():int:$retval' -- ./plain
grep -q '^ *-7 -> -4  *: 12 ' out && grep -q '^ *-3 -> -2  *: 12 ' out || fail "negative numbers: $(cat out log)"
grep -q '^ *0 -> 1  *: 12 ' out || fail "histogram: $(cat out log)"
grep -q '^ *4 -> 7  *: 12 ' out || fail "histogram: $(cat out log)"

if [ "$(uname -m)" = x86_64 ]; then
	count -C 'u:./plain:hit():int,char*,int,short:arg1,arg2,arg3,arg4:arg1 > -3' -- ./plain
	[ "$(rows out)" = '1 arg1 = -1, arg2 = "odd", arg3 = 5, arg4 = -1
1 arg1 = -2, arg2 = "even", arg3 = 5, arg4 = -2
1 arg1 = 0, arg2 = "even", arg3 = 5, arg4 = 0' ] || fail "static probe: $(cat out log)"
fi

# Of a return: arguments as they were when the call began, and how long it took; of functions that call
# themselves as well.
count -C 'r:./plain:work(void *s, int x, char *text):int,int,char*:$retval,$entry(x),$entry(text):$entry(x)==2' -- ./plain
[ "$(rows out)" = '6 $retval = 6, $entry(x) = 2, $entry(text) = "even"
6 $retval = 6, $entry(x) = 2, $entry(text) = "odd"' ] || fail "entry: $(cat out log)"
gcc -O1 -g -o target target.c
count -C 'r:./target:work():char*,int:$entry(s->name),$entry(s->grid[1][2])' -- ./target
[ "$(rows out)" = '20 $entry(s->name) = "second", $entry(s->grid[1][2]) = 7
40 $entry(s->name) = "first", $entry(s->grid[1][2]) = -3' ] || fail "entry, members: $(cat out log)"
count --json -H 'r:./plain:work():u64:$latency' -- ./plain
[ "$(grep -o '"count":[0-9]*' out | awk -F: '{ n += $2 } END { print n }')" = 60 ] || fail "latency: $(cat out log)"
cat >deep.c <<'C'
#include <unistd.h>
int deep(int n) { int more = n ? deep(n - 1) : 0; if (n == 3) usleep(30000); __asm__ volatile(""); return more + n; }
int main(void) { return deep(5) + deep(2) == 0; }
C
cc -O1 -w -o deep deep.c || exit 1
count -C 'r:./deep:deep(int n):int,int,int:$entry(n),$retval,$latency>=25000000' -- ./deep
[ "$(rows out | sed '/(n) = [0-2],/s/[01]$/?/')" = '1 $entry(n) = 3, $retval = 6, $latency>=25000000 = 1
1 $entry(n) = 4, $retval = 10, $latency>=25000000 = 1
1 $entry(n) = 5, $retval = 15, $latency>=25000000 = 1
2 $entry(n) = 0, $retval = 0, $latency>=25000000 = ?
2 $entry(n) = 1, $retval = 1, $latency>=25000000 = ?
2 $entry(n) = 2, $retval = 3, $latency>=25000000 = ?' ] || fail "recursion: $(cat out log)"
for wrong in 'p:./plain:work():int:$latency' 'p:./plain:work(int a):int:$entry(a)' 'r:./plain:work(int a):int:$entry(b)' \
	'r:./plain:work(int a):int:$entry(a'; do
	"$CUPEL" argdist -d 10ms -C "$wrong" >out 2>log && fail "not refused: $wrong: $(cat out)"
done

# Fields of tracepoints: numbers, texts of the program and of the record; beside a function.
if "$CUPEL" argdist -d 10ms -C 't:sched:sched_switch()' >out 2>log; then
	echo one >one
	count -C 't:syscalls:sys_enter_openat():char*,int:args->filename,args->flags' -- cat one one
	[ "$(rows out | grep '"one"')" = '2 args->filename = "one", args->flags = 0' ] || fail "fields: $(cat out log)"
	count -C 't:sched:sched_process_exec():char*:args->filename' -C 'p:./plain:work():int:1' -- ./plain
	[ "$(rows out)" = '1 args->filename = "./plain"
60 1 = 1' ] || fail "a text in a record: $(cat out log)"
	count -C 't:sched:sched_process_exit():char*:args->comm' -- ./plain
	[ "$(rows out)" = '1 args->comm = "plain"' ] || fail "an array: $(cat out log)"
	count -H 't:syscalls:sys_exit_read():long:args->ret:args->ret<0' -- cat .
	grep -q '^ *-31 -> -16  *: 1 ' out || fail "EISDIR: $(cat out log)"
	"$CUPEL" argdist -d 10ms -C 't:sched:sched_switch():int:args->prev_pri' >out 2>log && fail "no such field"
	grep -q "did you mean 'prev_prio'" log || fail "no near field: $(cat log)"
else
	echo "not tested: fields of tracepoints: $(head -n 1 log)"
fi

# cut strings, the most frequent ones, JSON
count -z 2 -T 1 -C 'p:./plain:work(void *s, int x, char *text):char*:text' -- ./plain
[ "$(rows out)" = '30 text = "od"' ] || fail "strings: $(cat out log)"
count --json -C 'p:./plain:work()#calls' -- ./plain
grep -q '"collections":\[{"label":"calls","values":\[{"value":"total calls","count":60}\]}\]' out ||
	fail "JSON: $(cat out log)"
exit $failed
