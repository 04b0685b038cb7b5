#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What tracing system calls costs: CPU time of a loop of getppid, alone and under `cupel trace -s`, with
# counts only and with times, and with a line for each, beside strace -c and perf trace -s where they
# run, and beside programs of BPF that do nothing at the end of calls, and at both ends: so much the
# kernel of this machine takes in any case. Calls without a line; bytes of a recording; the bill by caller
# of dd with blocks of a byte; the wall time of `cupel trace -s true`. What a probe costs a call, where it
# is moved to a cheap instruction and where not, and how long 1,000 of them take. Best of several, in
# turns. Exit status 1 if a goal is missed.
#
# Environment: CUPEL; BENCH_RUNS (15), how often each.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
missed=0
limit=60
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"
need python3 cc

cat >loop.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1;
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	fprintf(stderr, "ns %.2f\n",
		((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / calls);
}
C
cc -O2 -o loop loop.c || exit 1

# The links end with the process.
cat >load.c <<'C'
#include <bpf/libbpf.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	struct bpf_object *object = bpf_object__open(argv[1]);
	struct bpf_program *program;

	if (argc < 3 || !object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			return 1;
	return system(argv[2]) != 0;
}
C
# empty FILE END...: programs that do nothing
empty() {
	local file=$1
	shift
	printf '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\nchar terms[] SEC("license") = "GPL";\n' >"$file.c"
	printf 'SEC("raw_tp/sys_%s") int on_%s(void *context) { return 0; }\n' "$@" >>"$file.c"
	clang -O2 -g -target bpf -I"/usr/include/$(cc -print-multiarch)" -c -o "$file" "$file.c" 2>/dev/null
}
cc -o load load.c -lbpf 2>/dev/null && empty end.o exit exit && empty both.o exit exit enter enter

python3 - "$CUPEL" "${BENCH_RUNS:-15}" >figures <<'PYTHON'
import os, re, subprocess, sys, time
cupel, runs = sys.argv[1], int(sys.argv[2])
commands = {
    "bare": ([], 200000),
    "counts": ([cupel, "trace", "-s", "--counts", "-o", "/dev/null", "--"], 200000),
    "times": ([cupel, "trace", "-s", "-o", "/dev/null", "--"], 200000),
    "lines": ([cupel, "trace", "-o", "lines.txt", "--"], 200000),
    "end": (["./load", "end.o"], 200000),
    "both": (["./load", "both.o"], 200000),
    "strace": (["strace", "-c", "-o", "/dev/null"], 5000),
    "perf": (["perf", "trace", "-s", "-o", "/dev/null", "--"], 50000),
    "perf_lines": (["perf", "trace", "-o", "perf.txt", "--"], 50000),
}
best, lost = {}, 0
for _ in range(runs):
    for name, (before, calls) in commands.items():
        try:
            program = ["./loop %d" % calls] if before[:1] == ["./load"] else ["./loop", str(calls)]
            done = subprocess.run(before + program, capture_output=True, text=True, timeout=60)
        except (FileNotFoundError, subprocess.TimeoutExpired):
            continue
        if done.returncode: # a tracer that aborts leaves the program running without it
            continue
        if name == "lines":
            lost += 200000 - open("lines.txt").read().count("getppid()")
        found = re.search(r"^ns ([0-9.]+)$", done.stderr, re.M)
        if found:
            best[name] = min(best.get(name, 1e12), float(found.group(1)))
took = []
for _ in range(runs):
    start = time.perf_counter()
    subprocess.run([cupel, "trace", "-s", "-o", "/dev/null", "--", "true"], stderr=subprocess.DEVNULL)
    took.append((time.perf_counter() - start) * 1e3)
print("bare %.1f" % best["bare"])
for name in ("counts", "times", "lines", "end", "both", "strace", "perf", "perf_lines"):
    print("%s %.2f" % (name, best[name] / best["bare"]) if name in best else "%s " % name)
print("lost %d" % lost)
# Bytes of a call in a file; perf's is what its lines have, or its recording.
def bytes_of(command, calls, name):
    try:
        done = subprocess.run(command + ["./loop", str(calls)], capture_output=True, text=True, timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    return os.path.getsize(name) / calls
ours = bytes_of([cupel, "trace", "record", "-z", "-o", "calls.data", "--"], 200000, "calls.data")
theirs = [bytes_of(["perf", "trace", "record", "-o", "perf.data"], 200000, "perf.data"),
          bytes_of(["perf", "trace", "-o", "perf.txt", "--"], 50000, "perf.txt")]
theirs = [size for size in theirs if size]
print("bytes %.1f" % ours)
print("bytes_ratio %s" % ("%.3f" % (ours / min(theirs)) if theirs else ""))
dd = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=300000"]
wall = {}
for _ in range(max(3, runs // 3)):
    for name, before in (("bare", []), ("callers", [cupel, "trace", "--by-caller", "-o", "/dev/null", "--"])):
        done = subprocess.run(before + dd, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        found = re.search(r"copied, ([0-9.]+) s", done.stderr)
        wall[name] = min(wall.get(name, 1e9), float(found.group(1)))
print("callers %.2f" % (wall["callers"] / wall["bare"]))
print("start %.1f" % sorted(took)[len(took) // 2])
PYTHON
value() {
	awk -v name="$1" '$1 == name { print $2 }' figures
}
printf '%-58s %9s ns\n' "getppid alone" "$(value bare)"
printf '%-58s %9s x\n' "strace -c" "$(value strace)"
printf '%-58s %9s x\n' "perf trace -s (- = it fails here)" "$(value perf | grep . || echo -)"
printf '%-58s %9s x\n' "perf trace (- = it fails here)" "$(value perf_lines | grep . || echo -)"
printf '%-58s %9s bytes\n' "trace record -z, a call" "$(value bytes)"
printf '%-58s %9s x\n' "an empty program at the end of calls" "$(value end | grep . || echo -)"
goal "trace -s --counts" "$(value counts)" x 1.35
printf '%-58s %9s x\n' "empty programs at both ends" "$(value both | grep . || echo -)"
goal "trace -s" "$(value times)" x 2
goal "trace, each call on a line" "$(value lines)" x 4
[ -z "$(value bytes_ratio)" ] || goal "trace record -z, bytes beside perf's" "$(value bytes_ratio)" x 0.333
goal "trace --by-caller, dd bs=1" "$(value callers)" x 2
goal "calls without a line" "$(value lost)" calls 0
goal "trace -s true, median wall time" "$(value start)" ms 30

{
	echo '#include "loop.c"'
	seq 1000 | awk '{ printf "__attribute__((noinline)) void fn_%d(void) { __asm__(\"\"); }\n", $1 }'
} >many.c
cc -O1 -fcf-protection -o many many.c || exit 1
cat >probed.c <<'C'
#include <stdio.h>
#include <time.h>
void endbr(void), move(void);
__asm__(".globl endbr, move\n.type endbr, @function\n.type move, @function\n"
	"endbr: endbr64; push %rbp; pop %rbp; ret\n.size endbr, .-endbr\n"
	"move: mov %rdi, %rax; push %rbp; pop %rbp; ret\n.size move, .-move");
int main(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (int i = 0; i < 100000; i++)
		endbr(), move();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	fprintf(stderr, "ns %.2f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 1e5);
}
C
cc -O1 -o probed probed.c || exit 1
# probed OPTIONS FUNCTION: microseconds that a probe adds to a call
probed() {
	for _ in 1 2 3; do
		"$CUPEL" funccount "$@" -- ./probed 2>&1 >/dev/null | awk '$1 == "ns" { print $2 / 1000 }'
	done | sort -n | head -n 1
}
goal "a probe on a function that begins with endbr64" "$(probed ./probed:endbr)" us 0.8
goal "a probe on a function that begins with mov" "$(probed ./probed:move)" us 0.8
printf '%-58s %9s us\n' "... at its first instruction" "$(probed --at-start ./probed:move)"
for _ in 1 2 3; do
	before=$(date +%s%N)
	"$CUPEL" funccount './many:fn_*' -- ./many >/dev/null 2>&1
	echo $((($(date +%s%N) - before) / 1000000))
done | sort -n | head -n 1 >many_ms
goal "1,000 functions, attached and detached" "$(cat many_ms)" ms 1000
exit "$missed"
