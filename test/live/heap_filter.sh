#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap and programs with a filter of system calls (seccomp) that ends them for each call that they
# do not make themselves: launched ones, also with new threads; running ones, with the filter before
# and after the library came; static ones, by probes. And cgo: the C blocks of a Go program.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
pid=
trap '[[ -n $pid ]] && kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
wait_for() {
	for _ in $(seq 1000); do
		"$@" && return
		sleep 0.01
	done
	fail "waited too long for: $*"
}

cat >known.c <<'C'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int allowed[] = { /* what malloc, threads and this file need */
	SYS_write, SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_futex,
	SYS_nanosleep, SYS_clock_nanosleep, SYS_exit, SYS_exit_group, SYS_rt_sigreturn,
	SYS_restart_syscall, SYS_clone3, SYS_clone, SYS_set_robust_list, SYS_rseq, SYS_rt_sigprocmask,
	SYS_rt_sigaction, SYS_sched_getaffinity, SYS_prlimit64, SYS_gettid, SYS_newfstatat,
};
static void filter(void)
{
	const size_t count = sizeof(allowed) / sizeof(allowed[0]);
	struct sock_filter code[64] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { count + 3, code };

	for (size_t i = 0; i < count; i++)
		code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], count - i, 0);
	code[count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[count + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		_exit(77);
	(void)!write(1, "filtered\n", 9);
}
static int is_there(const char *file)
{
	struct stat s;
	return fstatat(AT_FDCWD, file, &s, 0) == 0;
}
static char *volatile kept[300];
static long wrong;
__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 300; i++) {
		wrong += kept[i] && kept[i][0] != (char)i;
		free(kept[i]);
		kept[i] = malloc(500 + i);
		kept[i][0] = (char)i;
	}
}
static void *thread(void *x)
{
	for (int i = 0; i < 300; i++) {
		char *volatile block = malloc(1000);
		free(block);
	}
	return x;
}
int main(int argc, char **argv)
{
	int rounds = atoi(argv[2]), later = strcmp(argv[1], "later") == 0;

	(void)argc;
	work(); /* libc has its random numbers */
	if (!later)
		filter();
	for (int i = 0; i < rounds && !is_there("end"); i++) {
		struct timespec wait = { 0, 5000000 };
		pthread_t t;

		if (later && is_there("filter"))
			filter(), later = 0;
		work();
		if (pthread_create(&t, 0, thread, 0))
			wrong++;
		else
			pthread_join(t, 0);
		nanosleep(&wait, 0);
	}
	(void)!write(1, wrong ? "wrong\n" : "right\n", 6);
	return 7;
}
C
sed -i '1i #define _GNU_SOURCE\n#include <fcntl.h>' known.c
gcc -O1 -g -pthread -o known known.c || exit 1
./known first 3 >out 2>&1
status=$?
if [[ $status -ne 7 ]]; then
	echo "a filter of system calls: the program alone ends with status $status"
	exit 77
fi

# check WHAT STATUS: the program ended with that, and its output is in out
check() {
	[[ $2 -eq 7 ]] && grep -q right out || fail "$1: status $2: $(cat out log)"
}
bytes() {
	grep -q '"allocated": { "value": [1-9]' heap.json || fail "$1: no bytes: $(cat log)"
}

"$CUPEL" heap --rate 16K --json -o heap.json -- ./known first 50 >out 2>log
status=$?
if grep -q '^cupel: heap' log && [[ $status -eq 1 ]]; then
	echo "no heap here: $(grep -m 1 '^cupel: heap' log)"
	exit 77
fi
check launched $status
bytes launched

# running WHAT MODE OPTIONS…: what cupel says is in log, its status in $told
running() {
	local what=$1 mode=$2

	shift 2
	rm -f end filter heap.json heap.data
	"./${program:-known}" "$mode" 100000 >out &
	pid=$!
	[[ $mode == later ]] || wait_for grep -qs filtered out
	"$CUPEL" heap "$@" --json -o heap.json --save heap.data -d 1 -p "$pid" 2>log &
	watcher=$!
	if [[ $mode == later ]]; then
		wait_for test -s heap.data
		touch filter
	fi
	wait "$watcher"
	told=$?
	touch end
	wait "$pid"
	check "$what" $?
	pid=
	[[ $mode != later ]] || grep -q filtered out || fail "$what: no filter"
}
running "filter before" first --rate 16K
[[ $told -eq 0 ]] || fail "filter before: $(cat log)"
bytes "filter before"
running "filter after" later --rate 16K
[[ $told -eq 0 ]] || fail "filter after: $(cat log)"
bytes "filter after"
if gcc -O1 -g -static -pthread -o static known.c 2>/dev/null; then
	program=static
	running probes first --probes ./static
	# a fast machine has too many calls for it, and says so
	[[ $told -eq 0 ]] || grep -q 'hits a second' log || fail "probes: $(cat log)"
	[[ $told -ne 0 ]] || bytes probes
fi

if ! command -v go >/dev/null || ! go env CGO_ENABLED 2>/dev/null | grep -q 1; then
	echo "not tested: cgo: no Go here"
	exit $failed
fi
mkdir go # its compiler would take the C files, too
cat >go/main.go <<'GO'
package main

// #include <stdlib.h>
// static void *volatile kept[2000];
// static __attribute__((noinline)) void c_keep(int i) { kept[i] = malloc(3000); }
import "C"

func main() {
	for i := 0; i < 2000; i++ {
		C.c_keep(C.int(i))
	}
}
GO
cat >go/go.mod <<'GO'
module known
go 1.19
GO
if ! (cd go && go build -o ../cgo .) 2>log; then
	echo "not tested: cgo: $(tail -n 1 log)"
	exit $failed
fi
"$CUPEL" heap --exact --json -o heap.json -- ./cgo 2>log || fail "cgo: $(cat log)"
python3 - <<'PY' || failed=1
import json
kept = 0
for row in json.load(open("heap.json"))["stacks"]:
    names = [frame["function"] for frame in row["stack"]]
    if "c_keep" in names:
        kept += row["live"]
if kept != 2000 * 3000:
    raise SystemExit(f"FAIL: cgo: {kept} bytes")
PY
"$CUPEL" heap --probes ./cgo -- ./cgo >/dev/null 2>log && fail "--probes of a Go program"
grep -q '^cupel: hint: ' log || fail "--probes of a Go program: $(cat log)"
exit $failed
