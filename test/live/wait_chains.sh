#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Chains of three waits with known causes: main waits for a byte from bravo, bravo for a condition
# variable of charlie, charlie for a timer. The parts of main's wait add up to the whole, from a
# recording and drawn directly. Two threads that wait for each other in turns do not form an endless
# chain.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
if ! "$CUPEL" record -q -e off-cpu -o probe.data -- sleep 0.1 2>log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
cat >stages.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int pipe_fd[2], back_fd[2];
static volatile pid_t bravo_tid;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;
static volatile long sum;

static void burn(long ms)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	while ((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static int is_asleep(pid_t tid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%*d %*s %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'S';
}

__attribute__((noinline)) void first_stage(void)
{
	char byte;

	sum += read(pipe_fd[0], &byte, 1);
}

__attribute__((noinline)) void second_stage(void)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	burn(100);
	sum += write(pipe_fd[1], "x", 1);
}

__attribute__((noinline)) void third_stage(void)
{
	struct timespec time = { 0, 150000000 };

	nanosleep(&time, NULL);
	burn(200);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	sum++;
}

static void *bravo(void *unused)
{
	pthread_setname_np(pthread_self(), "bravo");
	bravo_tid = gettid();
	second_stage();
	return unused;
}

static void *charlie(void *unused)
{
	pthread_setname_np(pthread_self(), "charlie");
	while (!bravo_tid || !is_asleep(bravo_tid) || !is_asleep(getpid()))
		; /* the others wait before this one sleeps, on a busy machine too */
	third_stage();
	return unused;
}

static void *partner(void *unused)
{
	char byte;

	pthread_setname_np(pthread_self(), "partner");
	for (int i = 0; i < 50; i++) {
		sum += read(pipe_fd[0], &byte, 1);
		burn(2);
		sum += write(back_fd[1], &byte, 1);
	}
	return unused;
}

static void take_turns(void)
{
	pthread_t thread;
	char byte = 0;

	pthread_create(&thread, NULL, partner, NULL);
	for (int i = 0; i < 50; i++) {
		burn(2);
		sum += write(pipe_fd[1], &byte, 1);
		sum += read(back_fd[0], &byte, 1);
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread[2];

	burn(200); /* until the tables of libc are there */
	if (pipe(pipe_fd) || pipe(back_fd))
		return 1;
	if (argc > 1 && strcmp(argv[1], "turns") == 0) {
		take_turns();
		return 0;
	}
	pthread_create(&thread[0], NULL, bravo, NULL);
	pthread_create(&thread[1], NULL, charlie, NULL);
	first_stage();
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}
C
cc -O2 -fomit-frame-pointer -Wno-unused -o stages stages.c -lpthread || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# weight FILE PATTERN [NOT]: ns of the folded stacks that match, and do not match NOT
weight() {
	grep -E "$2" "$1" | grep -vE "${3:-^$}" | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# part NAME NS LEAST: NS is at least LEAST, and not more than the whole wait
part() {
	echo "$1: $2 ns of at least $3"
	[ "$2" -ge "$3" ] && [ "$2" -le "$(weight chains ';first_stage;')" ] || fail "$1"
}

# conserved FILE: the weights in chains add up to the waits
conserved() {
	"$CUPEL" collapse --event-filter offcpu-time "$1" >waits || fail "collapse $1"
	"$CUPEL" collapse --wake-chain "$1" >chains || fail "collapse --wake-chain $1"
	[ "$(weight waits .)" -gt 0 ] && [ "$(weight waits .)" = "$(weight chains .)" ] ||
		fail "$1: $(weight waits .) ns of waits, $(weight chains .) in chains"
}

states=blocked,idle
"$CUPEL" record -q -e off-cpu,wakeup --off-cpu-states $states -o stages.data -- ./stages || exit 1
conserved stages.data
by_bravo=';first_stage;.*;woken by bravo;.*;second_stage;'
by_charlie="$by_bravo.*;meanwhile waited: bravo;.*;second_stage;.*;woken by charlie;.*;third_stage;"
part "main waits for bravo" "$(weight chains "$by_bravo")" 440000000
part "which computed" "$(weight chains "$by_bravo" meanwhile)" 95000000
part "or waited for charlie, which computed" \
	"$(weight chains "$by_charlie" 'meanwhile waited: charlie')" 190000000
part "or slept" "$(weight chains "$by_charlie.*;meanwhile waited: charlie;.*hrtimer_wakeup")" 140000000
grep 'woken by charlie.*woken by bravo\|circle' chains && fail "backwards"
"$CUPEL" collapse --wake-stack stages.data | grep meanwhile && fail "--wake-stack has more than one level"

"$CUPEL" flamegraph --chain --save live.data -o live.svg -- ./stages || fail "flamegraph --chain"
grep -q 'meanwhile waited: bravo' live.svg || fail "flamegraph --chain: no second level"
"$CUPEL" flamegraph --chain --comms bravo live.data >bravo.svg || fail "flamegraph --comms"
grep -q 'woken by charlie' bravo.svg || fail "--comms leaves out the waker"
grep -q first_stage bravo.svg && fail "--comms lets others through"
"$CUPEL" flamegraph --chain probe.data >none.svg 2>log && fail "chains without wake-ups"
grep -q 'no wakeup events' log || fail "no message about that: $(cat log)"

"$CUPEL" record -q -e off-cpu,wakeup --off-cpu-states $states --off-cpu-thresh 0 -o turns.data \
	-- ./stages turns || exit 1
conserved turns.data
[ "$(weight chains '^stages;.*;main;.*;woken by partner;')" -ge 1000000 ] || # less if both share a CPU
	fail "turns: $(cat chains)"
exit $failed
