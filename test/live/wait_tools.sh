#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# offcputime, wakeuptime and offwaketime on a program with known waits and without frame pointers: sums
# equal the program's sleeps and its waits for a pipe, each wait is shown with its waker, and limits and
# filters work.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
if ! "$CUPEL" offcputime -f -- sleep 0.1 >probe 2>log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
cat >waits.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static int pipe_fd[2];
static volatile long sum;

static void nap(long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

__attribute__((noinline)) void long_naps(void)
{
	for (int i = 0; i < 10; i++)
		nap(40000);
	sum++;
}

__attribute__((noinline)) void short_naps(void)
{
	for (int i = 0; i < 400; i++)
		nap(500);
	sum++;
}

__attribute__((noinline)) void read_pipe(void)
{
	char byte;

	for (int i = 0; i < 10; i++)
		sum += read(pipe_fd[0], &byte, 1);
}

__attribute__((noinline)) void write_pipe(void)
{
	for (int i = 0; i < 10; i++) {
		nap(30000);
		sum += write(pipe_fd[1], "x", 1);
	}
}

static void *reader(void *unused)
{
	pthread_setname_np(pthread_self(), "reader");
	read_pipe();
	return unused;
}

int main(void)
{
	pthread_t thread;
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do { /* until the tables of libc are there */
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < 200000000);
	long_naps();
	short_naps();
	if (pipe(pipe_fd))
		return 1;
	pthread_create(&thread, NULL, reader, NULL);
	write_pipe();
	pthread_join(thread, NULL);
	return 3;
}
C
cc -O2 -fomit-frame-pointer -Wno-unused -o waits waits.c -lpthread || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# sum PATTERN: microseconds of the folded lines that match.
sum() {
	grep -E "$1" folded | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# near NAME GOT EXPECTED: a sleep takes at least the requested time, and longer on a busy machine.
near() {
	echo "$1: $2 of $3 us"
	[ "$2" -ge $(($3 * 97 / 100)) ] && [ "$2" -le $(($3 * 4)) ] && return
	fail "$1"
	cat log folded
}

"$CUPEL" offcputime -f -- ./waits >folded 2>log
[ $? -eq 3 ] || fail "the program's status is not handed on"
near long_naps "$(sum '^waits;.*;long_naps;')" 400000
near short_naps "$(sum '^waits;.*;short_naps;')" 200000
near read_pipe "$(sum '^reader;.*;read_pipe;')" 300000
grep -vE ';_start;|;clone3;|;__clone' folded | grep -E 'naps|pipe' && fail "stacks without a root"

"$CUPEL" offwaketime -f -- ./waits >folded 2>log
near "reader woken by write_pipe" "$(sum '^reader;.*;read_pipe;.*;--;.*;write_pipe;.*;waits ')" 300000
# Kernels in virtual machines sometimes do not report wakeups on an idle CPU.
timer='^waits;.*;long_naps;.*;--;.*hrtimer_wakeup;.*swapper '
near "sleeper woken by a timer, or untold" "$(sum "$timer|;long_naps;.*;--;\[unknown\] ")" 400000
[ "$(sum "$timer")" -ge 200000 ] || fail "hardly ever by a timer"

"$CUPEL" wakeuptime -f -- ./waits >folded 2>log
near "woken by write_pipe" "$(sum '^waits;.*;write_pipe;.*;reader ')" 300000
near "woken by timers" "$(sum '^swapper;.*hrtimer_wakeup.*;waits ')" 900000

"$CUPEL" offcputime -f -m 20000 -M 10000000 -- ./waits >folded 2>log
near "long ones alone" "$(sum ';long_naps;')" 400000
[ "$(sum short_naps)" -lt 200000 ] || fail "-m lets short ones through"
"$CUPEL" offcputime -f -U --comm reader -- ./waits >folded
grep -q read_pipe folded || fail "--comm: no reader"
grep -v '^reader;' folded && fail "--comm: others"
grep -E 'schedule|vfs_read' folded && fail "-U: functions of the kernel"
"$CUPEL" offcputime -f --state 2 -- ./waits >folded 2>log
grep -E 'naps|read_pipe' folded && fail "--state 2: interruptible sleeps"

"$CUPEL" offwaketime --json -- ./waits >waits.json
python3 - <<'PY' || fail "JSON"
import json
waits = json.load(open("waits.json"))
assert waits["cupel"] == 1
rows = [row for row in waits["stacks"] if "read_pipe" in row["user"]]
assert rows and all(row["comm"] == "reader" for row in rows), rows
assert any("write_pipe" in row["waker"]["user"] for row in rows if row["waker"]), rows
assert waits["total_ns"] == sum(row["ns"] for row in waits["stacks"])
PY
"$CUPEL" offcputime -d -- ./waits >text
grep -q '^Tracing off-CPU time (us) of the program by user + kernel stack' text || fail "heading"
grep -Eq '^    -                reader \([0-9]+\)$' text || fail "BCC's layout"

# Events are processed as they arrive, without a file.
# shellcheck disable=SC2016 # for the program's shell
"$CUPEL" offcputime -f -o folded -- sh -c 'ls -l "/proc/$PPID/fd"; sleep 0.1' >files || fail "files"
grep -q perf_event files || fail "its files are not seen: $(cat files)"
"$CUPEL" flamegraph --time 50%-100% -o flame.svg -- sh -c 'ls -l "/proc/$PPID/fd"; while :; do
	i=$((i+1)); [ $i -lt 200000 ] || exit 0; done' >>files 2>log || fail "flamegraph: $(cat log)"
[ "$(grep -c perf_event files)" -gt 1 ] || fail "flamegraph: its files are not seen"
grep -E '/#[0-9]+ \(deleted\)|memfd:cupel recording' files && fail "it records into a file"

# Selection by cgroup, if version 2 is mounted.
for root in /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ "$(stat -f -c %T "$root" 2>/dev/null)" = cgroup2fs ] || continue
	mkdir "$root/cupel_test_$$" 2>/dev/null || break
	sh -c "echo \$\$ >$root/cupel_test_$$/cgroup.procs && while :; do ./waits; done" &
	wait_for pgrep -P $! waits >/dev/null || exit 1
	"$CUPEL" offcputime -f -c "$root/cupel_test_$$" 500ms >folded
	# shellcheck disable=SC2046 # all that is in it
	kill $(cat "$root/cupel_test_$$/cgroup.procs")
	wait
	wait_for rmdir "$root/cupel_test_$$"
	grep -q '^waits;' folded || fail "cgroup: its program is not there"
	grep -v '^waits;\|^reader;\|^sh;' folded && fail "cgroup: others"
	break
done
exit $failed
