#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# funccount: calls are counted exactly, of functions with every kind of first instruction, from 1, 2 and
# 8 threads, in position-independent, static and stripped programs, as gdb's breakpoints count them; of
# processes and children; static probes and tracepoints; nothing stays behind after SIGKILL.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" funccount -d 10ms c:malloc >log 2>&1 || {
	echo "functions cannot be probed here: $(grep -v ^Tracing log | head -n 1)"
	exit 77
}
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

#define FUNCTION(name, code) \
	void name(long x); \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" code \
		"\n.size " #name ", .-" #name "\n");

FUNCTION(p_endbr_push, "endbr64; push %rbp; pop %rbp; ret")
FUNCTION(p_endbr_sub, "endbr64; sub $8, %rsp; add $8, %rsp; ret")
FUNCTION(p_push, "push %rbx; pop %rbx; ret")
FUNCTION(p_push12, "push %r12; pop %r12; ret")
FUNCTION(p_mov, "mov %rdi, %rax; push %rbp; pop %rbp; ret")
FUNCTION(p_test, "test %rdi, %rdi; je 1f; nop; 1: ret")
FUNCTION(p_nop5, ".byte 0x0f, 0x1f, 0x44, 0, 0; ret")
FUNCTION(p_sub, "sub $24, %rsp; add $24, %rsp; ret")
FUNCTION(p_lea, "lea 1(%rdi), %rax; ret")
FUNCTION(p_ret, "ret")
FUNCTION(p_odd, "nop; .p2align 4; push %rbp; pop %rbp; ret")
/* The second call of p_tail's target comes through a jump. */
FUNCTION(p_tail, "jmp p_tailed")
FUNCTION(p_tailed, "endbr64; push %rbp; pop %rbp; ret")
/* Comes by its second instruction twice in each call. */
FUNCTION(p_loop, "endbr64; push %rbp; pop %rbp; test %rdi, %rdi; jne 1f; ret; 1: xor %edi, %edi; jmp p_loop+4")

#define SDT(name, semaphore) \
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
		".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
		"993: .8byte 990b, 0, " semaphore "\n.asciz \"target\"\n.asciz \"" name "\"\n.asciz \"\"\n" \
		"994: .balign 4\n.popsection")
__attribute__((section(".probes"))) volatile unsigned short wanted;

static void nothing(long x)
{
	__asm__ volatile("" ::"r"(x));
}
static void (*choose(void))(long)
{
	return nothing;
}
void p_ifunc(long x) __attribute__((ifunc("choose")));

__attribute__((noinline, noclone)) static void p_static(long x)
{
	__asm__ volatile("" ::"r"(x) : "memory");
}
__attribute__((noinline, noclone, optimize("O0"))) long p_recursive(long x)
{
	__asm__ volatile("" ::: "memory");
	return x <= 0 ? 0 : 1 + p_recursive(x - 1) * x;
}

static void *work(void *argument)
{
	for (long i = 0, n = (long)argument; i < n; i++) {
		p_endbr_push(i), p_endbr_sub(i), p_push(i), p_push12(i), p_mov(i), p_test(i & 1);
		p_nop5(i), p_sub(i), p_lea(i), p_ret(i), p_odd(i), p_tail(i), p_loop(i);
		p_ifunc(i), p_static(i), p_recursive(3);
		SDT("tick", "0");
		if (wanted)
			SDT("asked", "wanted");
		getppid();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1;
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread[8];

	if (argc > 3 && fork() == 0)
		_exit(work((void *)calls) != NULL);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)calls);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		continue;
	return 5;
}
C
flags="-O2 -g -w"
cc $flags -fPIE -pie -o pie target.c -pthread || exit 1
cc $flags -no-pie -o fixed target.c -pthread || exit 1
cc $flags -static -o static target.c -pthread || exit 1
mkdir .debug
cp pie stripped
objcopy --only-keep-debug stripped .debug/stripped.debug
strip stripped
objcopy --add-gnu-debuglink=.debug/stripped.debug stripped || exit 1

# counts FILE CALLS [WITHOUT]: whether counts.json has that many calls of each function
counts() {
	python3 - "$@" <<'PY'
import json, sys
name, calls = sys.argv[1], int(sys.argv[2])
got = {f["name"]: f["calls"] for f in json.load(open("counts.json"))["functions"]}
kinds = ("endbr_push endbr_sub push push12 mov test nop5 sub lea ret odd tail tailed loop static").split()
want = {"p_" + kind: calls for kind in kinds if kind not in sys.argv[3:]}
want["p_recursive"] = 4 * calls
wrong = {k: (got.get(k), want.get(k)) for k in got.keys() | want.keys() if got.get(k) != want.get(k)}
if wrong:
	sys.exit("%s: counted, called: %s" % (name, wrong))
PY
}
for program in pie fixed static stripped; do
	for threads in $([ $program = pie ] && echo 1 8) 2; do
		timeout -s KILL 100 "$CUPEL" funccount --json "./$program:p_*" -- "./$program" 2000 $threads \
			>counts.json 2>log
		status=$?
		[ $status = 5 ] || fail "$program: status $status: $(head -n 3 log)"
		counts "$program, $threads threads" $((2000 * threads)) || failed=1
	done
done
timeout -s KILL 100 "$CUPEL" funccount --json --at-start './pie:p_*' -- ./pie 500 2 >counts.json 2>log
counts "at the start" 1000 nop5 || failed=1 # a probe there would harm the program
timeout -s KILL 100 "$CUPEL" funccount --json './pie:p_*' -- ./pie 500 1 fork >counts.json 2>log
counts "with a child" 1000 || failed=1

# Of one user.
timeout -s KILL 100 "$CUPEL" funccount --json --uid "$(id -u)" ./pie:p_sub -- ./pie 300 1 >counts.json 2>log
grep -q '"calls":300,' counts.json || fail "--uid: $(cat counts.json log)"
timeout -s KILL 100 "$CUPEL" funccount --json --uid 65533 ./pie:p_sub -- ./pie 300 1 >counts.json 2>log
grep -q '"calls":0,' counts.json || fail "another user: $(cat counts.json log)"

# ask NAME CALLS PROBE: how often the program passes it in 1000 rounds
ask() {
	timeout -s KILL 100 "$CUPEL" funccount --json "$3" -- ./${4:-fixed} 1000 1 >counts.json 2>log
	python3 -c 'import json, sys
calls = json.load(open("counts.json"))["calls"]
if calls != int(sys.argv[2]): sys.exit("%s: %d, not %s" % (sys.argv[1], calls, sys.argv[2]))' "$1" "$2" || {
		failed=1
		head -n 3 log
	}
}
ask "a static probe" 1000 usdt:./fixed:target:tick
ask "a static probe with a semaphore" 1000 u:./fixed:asked
ask "a function behind the PLT" 1000 c:getppid
ask "a system call's tracepoint" 1000 t:syscalls:sys_enter_getppid
ask "threads" 1 t:sched:sched_process_fork
ask "an address" 1000 "./fixed:0x$(nm fixed | awk '$3 == "p_sub" { print $1 }')"
ask "an offset" 1000 ./pie:p_sub+4 pie

line=$(grep -n 'getppid();' target.c | cut -d: -f1)
timeout -s KILL 100 "$CUPEL" funccount --json "./pie:target.c:$line" -- ./pie 1000 1 >counts.json 2>log
grep -q "\"target.c:$line\",\"calls\":[1-9]000}" counts.json || fail "a line: $(cat counts.json log)"

for threads in 1 2 8; do
	timeout -s KILL 100 "$CUPEL" funccount --json ./pie:p_endbr_push -- ./pie 1000000 $threads >counts.json 2>log
	grep -q "\"calls\":${threads}000000," counts.json || fail "a million calls, $threads threads: $(cat counts.json log)"
done

if command -v gdb >/dev/null; then
	for kind in endbr_push endbr_sub push push12 mov test nop5 sub lea ret odd tail tailed loop static; do
		echo "break *p_$kind"
	done >commands
	echo "break *p_recursive" >>commands
	seq -f 'ignore %g 1000000' "$(wc -l <commands)" >>commands
	printf 'run 20 1\ninfo breakpoints\n' >>commands
	timeout -s KILL 100 gdb -nx -batch -x commands ./fixed >hits 2>&1
	timeout -s KILL 100 "$CUPEL" funccount --json './fixed:p_*' -- ./fixed 20 1 >counts.json 2>log
	python3 - <<'PY' || failed=1
import json, re, sys
got = {f["name"]: f["calls"] for f in json.load(open("counts.json"))["functions"]}
hits = {}
for line in open("hits"):
    place = re.match(r"\d+ .*(?:in|<) ?(p_\w+)", line)
    if place:
        name = place[1]
    count = re.search(r"already hit (\d+) time", line)
    if count:
        hits[name] = int(count[1])
if got != hits:
    sys.exit("cupel and gdb differ: %s, %s" % (got, hits))
print("gdb counts the same: %d functions" % len(hits))
PY
else
	echo "not tested: the same counts as gdb: no gdb"
fi

# Names of Rust: methods, generic functions, traits.
if rustc --version >/dev/null 2>&1; then
	cat >shapes.rs <<'RS'
mod shapes {
    pub struct Square(pub u64);
    impl Square { #[inline(never)] pub fn area(&self) -> u64 { std::hint::black_box(self.0 * self.0) } }
    #[inline(never)] pub fn total<T: Into<u64>>(x: T) -> u64 { std::hint::black_box(x.into()) }
}
trait Named { fn name(&self) -> u64; }
impl Named for shapes::Square { #[inline(never)] fn name(&self) -> u64 { std::hint::black_box(3) } }
fn main() {
    let s = shapes::Square(std::hint::black_box(4));
    let mut n = 0;
    for _ in 0..7 { n += s.area() + shapes::total(3u32) + shapes::total(4u8) + s.name(); }
    std::process::exit((n == 0) as i32);
}
RS
	rustc -C opt-level=1 -o rust shapes.rs 2>log || fail "rustc: $(tail -n 3 log)"
	timeout -s KILL 100 "$CUPEL" funccount --json './rust:shapes::shapes::*' './rust:*Named*' -- ./rust >counts.json 2>log
	grep -q '"shapes::shapes::Square::area","calls":7}' counts.json &&
		grep -q '"shapes::shapes::total","calls":14}' counts.json &&
		grep -q 'Named>::name","calls":7}' counts.json || fail "Rust: $(cat counts.json log)"
else
	echo "not tested: names of Rust: no rustc that works here"
fi

# A function of which the compiler made another one, too: said.
cat >clone.c <<'C'
int main(void) { return 0; }
__asm__(".globl twice\n.type twice, @function\ntwice: push %rbp\npop %rbp\nret\n.size twice, . - twice\n"
	".type twice.isra.0, @function\ntwice.isra.0: push %rbp\npop %rbp\nret\n.size twice.isra.0, . - twice.isra.0");
C
cc $flags -o clone clone.c || exit 1
"$CUPEL" funccount -d 10ms ./clone:twice >out 2>log
grep -q 'another function of twice, twice.isra.0,' log || fail "a clone: $(cat log)"

# Functions that begin with a nop of five bytes: children of the program live on (probe_placement.h).
cat >forks.c <<'C'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int p_nop5(int x);
__asm__(".globl p_nop5\n.type p_nop5, @function\np_nop5: .byte 0x0f, 0x1f, 0x44, 0, 0\n"
	"lea 1(%rdi), %eax\nret\n.size p_nop5, . - p_nop5");
int main(void)
{
	int died = 0, status;

	for (int i = 0; i < 20; i++) {
		p_nop5(i);
		if (fork() == 0)
			_exit(p_nop5(i) - 1 - i);
		wait(&status);
		died += status != 0;
	}
	return died;
}
C
cc $flags -o forks forks.c || exit 1
timeout -s KILL 100 "$CUPEL" funccount --json ./forks:p_nop5 -- ./forks >counts.json 2>log || fail "children died: $(cat log)"
grep -q '"calls":40,' counts.json || fail "nop5: $(cat counts.json)"

# A process that runs: its calls alone, and its code is as before when funccount is killed.
./pie 1000000000 1 &
pid=$!
trap 'kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
first_byte() {
	python3 - "$pid" "$(nm pie | awk '$3 == "p_push" { print $1 }')" <<'PY'
import sys
pid, at = sys.argv[1], int(sys.argv[2], 16)
base = next(int(line.split("-")[0], 16) for line in open("/proc/%s/maps" % pid) if line.rstrip().endswith("/pie"))
with open("/proc/%s/mem" % pid, "rb") as memory:
    memory.seek(base + at)
    print(memory.read(1).hex())
PY
}
before=$(first_byte)
events=$(cat /sys/kernel/tracing/uprobe_events 2>/dev/null)
timeout -s KILL 100 "$CUPEL" funccount -p $pid -i 500ms -d 2500ms --json ./pie:p_push >lines 2>log || fail "-p: $(cat log)"
[ "$(grep -c '"calls":[1-9]' lines)" -ge 2 ] || fail "intervals: $(cat lines)"
timeout -s KILL 100 "$CUPEL" funccount -p $$ -d 200ms --json ./pie:p_push >counts.json 2>log
grep -q '"calls":0,' counts.json || fail "calls of another process: $(cat counts.json)"
for _ in 1 2 3 4 5; do
	"$CUPEL" funccount -p $pid ./pie:p_push >out 2>log &
	killed=$!
	has_probe() {
		[ "$(first_byte)" != "$before" ]
	}
	has_no_probe() {
		[ "$(first_byte)" = "$before" ]
	}
	wait_for has_probe || fail "no probe is seen in memory"
	# a second one sees the program's code, not the breakpoint
	"$CUPEL" funccount -p $$ -d 10ms ./pie:p_push >out 2>second || fail "beside another: $(cat second)"
	kill -9 $killed
	wait $killed 2>/dev/null
	wait_for has_no_probe || fail "a probe stayed behind"
done
[ "$events" = "$(cat /sys/kernel/tracing/uprobe_events 2>/dev/null)" ] || fail "uprobe_events changed"
kill -9 "$pid"
wait "$pid" 2>/dev/null

"$CUPEL" funccount -v -d 10ms './pie:p_*' >out 2>placed
grep -q '/pie:p_endbr_push+4: push, emulated$' placed || fail "placement: $(cat placed)"
grep -q '/pie:p_loop: endbr64, single-stepped; not further: it jumps back to there$' placed || fail "placement: $(cat placed)"
grep -q '1 functions with a version for each kind of CPU (IFUNC) were left out' placed || fail "IFUNC: $(cat placed)"
"$CUPEL" funccount ./pie:p_ifunc >out 2>log && fail "an IFUNC was probed"
grep -q 'p_ifunc has several versions' log || fail "IFUNC: $(cat log)"

# An interval that ends with the whole is one, not one and an empty one.
"$CUPEL" funccount -i 200ms -d 200ms --json -p $$ ./pie:p_push >lines 2>log || fail "one interval: $(cat log)"
[ "$(wc -l <lines)" = 1 ] || fail "one interval: $(cat lines)"

# The file of a running program was replaced: the process runs the old one.
cat >runs.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void turn(void) { usleep(1000); }
int main(void)
{
	for (;;)
		turn();
}
C
gcc -O1 -fno-optimize-sibling-calls -o runs runs.c && cp runs runs.new
./runs &
runs=$!
disown
is_program "$runs" runs || wait_for is_program "$runs" runs
mv runs.new runs
"$CUPEL" funccount -d 100ms -p "$runs" ./runs:turn >out 2>log || fail "a replaced file: $(cat log)"
old=$(sed -n 's,.*runs a file that this one has replaced: name \(/proc/.*\) instead,\1,p' log)
[ -n "$old" ] || fail "a replaced file: $(cat log)"
"$CUPEL" funccount -d 100ms -p "$runs" "$PWD/runs:turn" >out 2>log || fail "a replaced file: $(cat log)"
grep -qF "that this one has replaced: name $old instead" log || fail "a whole path: $(cat log)"
"$CUPEL" funccount -d 1s -p "$runs" --json "$old:turn" >out 2>log
grep -q '"calls":[1-9]' out || fail "the replaced file: $(cat out log)"
kill "$runs"
exit $failed
