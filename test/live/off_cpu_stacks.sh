#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# -e off-cpu and -e wakeup on a program with known waits and without frame pointers: weights equal its
# long sleeps, the sums of short ones, and the waits for its pipe. Stacks reach the root. The pipe's
# writer wakes its reader; sleepers have no waker. Stock perf reads the file. The recording has CPU
# samples, too.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
if ! "$CUPEL" record -q -e off-cpu -o probe.data -- sleep 0.1 2>log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
cat >waits.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int pipe_fd[2];
static double slept;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void nap(long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

static volatile long sum;

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

__attribute__((noinline)) void burn(void)
{
	double end = now() + 0.2;

	while (now() < end)
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
	read_pipe();
	return unused;
}

int main(void)
{
	pthread_t thread;
	double start;

	burn(); /* until the tables of libc are there */
	start = now();
	long_naps();
	printf("long_naps %.0f\n", (now() - start) * 1e9);
	start = now();
	short_naps();
	printf("short_naps %.0f\n", (now() - start) * 1e9);
	if (pipe(pipe_fd))
		return 1;
	start = now();
	pthread_create(&thread, NULL, reader, NULL);
	write_pipe();
	pthread_join(thread, NULL);
	printf("read_pipe %.0f\n", (now() - start) * 1e9);
	return 0;
}
C
cc -O2 -fomit-frame-pointer -Wno-unused -o waits waits.c -lpthread || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# weight FUNCTION: of the folded stacks that contain it.
weight() {
	grep ";$1[;_]*" folded | grep -w "$1" | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# near NAME GOT LEAST MOST
near() {
	echo "$1: $2 ns of $3..$4"
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1"
}

"$CUPEL" record -q -e cpu-clock,off-cpu,wakeup -o both.data -- ./waits >truth || exit 1
"$CUPEL" collapse --event-filter offcpu-time both.data >folded || exit 1
# A sleep takes slightly longer than requested. Its time includes the wait for a CPU after the wakeup,
# which is long on a busy machine.
for name in long_naps:400000000 short_naps:200000000; do
	took=$(sed -n "s/^${name%:*} //p" truth)
	near "${name%:*}" "$(weight "${name%:*}")" $((${name#*:} * 98 / 100)) $((took * 102 / 100))
done
near read_pipe "$(weight read_pipe)" 290000000 "$(sed -n 's/^read_pipe //p' truth)"
grep -v ';_start;\|;clone3;\|^[^;]*;__clone' folded >short && fail "stacks without a root: $(cat short)"

# On-CPU and off-CPU time in one picture: together they are the lifetime of main.
"$CUPEL" record -q -e cpu-clock,off-cpu --off-cpu-states blocked,idle,runnable -o wall.data -- ./waits >took || exit 1
"$CUPEL" flamegraph -q --wall --no-javascript -o wall.svg wall.data || exit 1
took=$(awk '{ sum += $2 } END { printf "%.0f\n", sum + 200000000 }' took)
near "main, computing and waiting" \
	"$(sed -n 's/.*<title>main (\([0-9,]*\) ns.*/\1/p' wall.svg | tr -d ,)" \
	$((took * 90 / 100)) $((took * 110 / 100))

"$CUPEL" collapse --event-filter wakeup-time both.data >folded || exit 1
near "woken by write_pipe" "$(weight write_pipe)" 290000000 "$(sed -n 's/^read_pipe //p' truth)"
grep -E '^waits' folded | grep -E 'burn|hrtimer' && fail "a timer's wake-up is blamed on a thread"
grep -q 'hrtimer' folded || fail "no wake-up by timers"

"$CUPEL" collapse --event-filter cpu-clock both.data | grep -q burn || fail "no CPU samples of burn()"
"$CUPEL" script -i both.data 2>/dev/null | grep -q '^waits .* \[-01\] .* offcpu-time:' ||
	fail "script: a sum over several CPUs has none"
if command -v perf >/dev/null; then
	perf report --no-inline -i both.data --stdio -g none --sort sym 2>/dev/null >report
	grep -q "of event 'offcpu-time'" report || fail "perf does not show the event"
fi
"$CUPEL" flamegraph --off-cpu --off-cpu-states sleep -o f.svg -- ./waits >/dev/null 2>log ||
	fail "flamegraph: $(cat log)"
grep -q nanosleep f.svg || fail "flamegraph: no sleep"
grep -q read_pipe f.svg && fail "flamegraph: a pipe wait counts as sleep"
"$CUPEL" record -q --call-graph fp -e off-cpu -o no.data -- true 2>log &&
	fail "--call-graph fp was accepted for off-cpu"
"$CUPEL" record -q -g -e off-cpu -o g.data -- sleep 0.1 2>log || fail "-g: $(cat log)"
exit $failed
