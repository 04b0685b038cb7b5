#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What watching threads off the CPU costs them: two processes pinned to one CPU pass a byte to and fro,
# alone, watched by cupel with stacks and without, and by its peers, in turn; the median of the ratios
# to the run alone right before. Peers that are not installed are named. Likewise for two threads that
# hand a condition to and fro, for Python processes with a pipe, and for one thread that reads 4 KiB at a
# time past the page cache, as every request of a disk is followed, too.
#
# Then what watching costs by itself, start left out: CPU time of the recorder, judged, and what is
# added to the watched programs, which the ratios above show better, at 100,000 switches a second and with two dozen threads that do
# a little now and then; and how many stacks of programs built without frame pointers are whole.
#
# The scheduler's tables and recordings beside perf's come last, from sched.sh.
#
# bcc's offcputime needs the running kernel's headers, so the bench only reports whether it is installed.
#
# Environment: CUPEL; BENCH_ROUNDS (300000), each of two switches; BENCH_RUNS (5), three times as many
# for what is judged.
set -u
export LC_ALL=C
: "${CUPEL:?path of the cupel binary}"
here=$(cd "$(dirname "$0")" && pwd)
rounds=${BENCH_ROUNDS:-300000}
runs=${BENCH_RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
missed=0
# shellcheck source=bench/timing.bash
. "$here/timing.bash"
need cc
cat >pingpong.c <<'C'
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void play(long rounds, int in, int out, int begins)
{
	char c = 0;

	if (begins && write(out, &c, 1) != 1)
		abort();
	while (rounds--)
		if (read(in, &c, 1) != 1 || ((rounds || !begins) && write(out, &c, 1) != 1))
			abort();
}

int main(int argc, char **argv)
{
	long rounds = atol(argv[argc - 1]);
	struct timespec from, to;
	int there[2], back[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(there) || pipe(back))
		return 1;
	if (fork() == 0) {
		play(rounds, there[0], back[1], 0);
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	play(rounds, back[0], there[1], 1);
	clock_gettime(CLOCK_MONOTONIC, &to);
	wait(NULL);
	fprintf(stderr, "switch %.0f ns\n",
		((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / (2.0 * rounds));
	return 0;
}
C
cc -O2 -D_GNU_SOURCE -o pingpong pingpong.c || exit 1

cat >reads.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long count = atol(argv[argc - 1]);
	int fd = open("disk.tmp", O_RDONLY | O_DIRECT);
	off_t blocks = lseek(fd, 0, SEEK_END) / 4096;
	void *block = aligned_alloc(4096, 4096);
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (long i = 0; i < count; i++)
		if (pread(fd, block, 4096, i * 7919 % blocks * 4096) != 4096)
			return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	fprintf(stderr, "switch %.0f ns\n",
		((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / count);
	return 0;
}
C
cc -O2 -D_GNU_SOURCE -o reads reads.c || exit 1

cat >turns.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static long turn, rounds;

static void *play(void *which)
{
	long own = (long)which;

	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		while (turn != own)
			pthread_cond_wait(&changed[own], &lock);
		turn = !own;
		pthread_cond_signal(&changed[turn]);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec from, to;
	pthread_t other;
	cpu_set_t one;

	rounds = atol(argv[argc - 1]);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	clock_gettime(CLOCK_MONOTONIC, &from);
	pthread_create(&other, NULL, play, (void *)1);
	play(NULL);
	pthread_join(other, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	fprintf(stderr, "switch %.0f ns\n",
		((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / (2.0 * rounds));
	return 0;
}
C
cc -O2 -D_GNU_SOURCE -o turns turns.c -lpthread || exit 1

cat >pass.py <<'P'
#!/usr/bin/python3
import os, sys, time
rounds = int(sys.argv[-1])
there, back = os.pipe(), os.pipe()
os.sched_setaffinity(0, {0})
if os.fork() == 0:
    for i in range(rounds):
        os.read(there[0], 1)
        os.write(back[1], b"x")
    os._exit(0)
start = time.monotonic_ns()
for i in range(rounds):
    os.write(there[1], b"x")
    os.read(back[0], 1)
print("switch %d ns" % ((time.monotonic_ns() - start) / 2 / rounds), file=sys.stderr)
os.wait()
P
chmod +x pass.py

# once COMMAND…: ns of a switch, or of a read
once() {
	"$@" "./${program:-pingpong}" "${count:-$rounds}" 2>&1 >/dev/null |
		sed -n 's/^switch \([0-9]*\) ns$/\1/p'
}

# slowdown NAME COMMAND…: median ratio of $pairs pairs to the run alone, into $work/NAME; empty when it
# does not run. With the quarters of the pairs below and above it.
slowdown() {
	local name=$1 alone with pairs=${pairs:-$runs}
	shift
	rm -f "$name.ratios"
	for _ in $(seq "$pairs"); do
		alone=$(once env)
		with=$(once "$@")
		[ -n "$with" ] &&
			awk -v a="$alone" -v w="$with" 'BEGIN { print w / a, a, w }' >>"$name.ratios"
	done
	[ -s "$name.ratios" ] || return
	sort -n -o "$name.ratios" "$name.ratios"
	sed -n "$(((pairs + 1) / 2))p" "$name.ratios" >"$name"
	awk -v name="$name" '{ ratio[NR] = $1; with[NR] = $3; alone[NR] = $2 }
		END {
			half = int((NR + 1) / 2)
			printf "%-34s %5.2fx  (%.2f-%.2f; %d ns each, %d alone)\n", name, ratio[half],
				ratio[int((NR + 3) / 4)], ratio[int((3 * NR + 3) / 4)], with[half], alone[half]
		}' "$name.ratios"
}

# Those two are judged, and a pair strays by a tenth on a shared machine.
pairs=$((3 * runs)) slowdown stacks "$CUPEL" record -q -e off-cpu -o stacks.data --
pairs=$((3 * runs)) slowdown ledger "$CUPEL" wall -o ledger.txt --
slowdown timeline "$CUPEL" wall --timeline ledger.html -o ledger.txt --
if command -v perf >/dev/null; then
	slowdown perf perf record -q -g -e sched:sched_switch -o perf.data --
else
	echo "perf is not installed"
fi
if command -v offcputime-bpfcc >/dev/null; then
	echo "offcputime-bpfcc is installed, but not measured here"
else
	echo "offcputime-bpfcc is not installed"
fi
threads=$((rounds / 3))
program=turns count=$threads slowdown "stacks of a condition" \
	"$CUPEL" record -q -e off-cpu --off-cpu-states blocked,idle -o turns.data --
program=turns count=$threads slowdown "ledger of a condition" "$CUPEL" wall -o ledger.txt --
if [ -x /usr/bin/python3 ]; then
	program=pass.py count=$threads slowdown "stacks of Python" \
		"$CUPEL" record -q -e off-cpu -o pass.data --
	program=pass.py count=$threads slowdown "ledger of Python" "$CUPEL" wall -o ledger.txt --
fi
if dd if=/dev/urandom of=disk.tmp bs=1M count=64 conv=fsync 2>/dev/null && [ -n "$(program=reads count=10 once env)" ]; then
	program=reads count=20000 slowdown "ledger of reads" "$CUPEL" wall -o ledger.txt --
	program=reads count=20000 slowdown "stacks of reads" "$CUPEL" record -q -e off-cpu -o reads.data --
else
	echo "no disk can be read past the page cache here: not measured"
fi
rm -f disk.tmp
cat >paced.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 10000000L
#define ROUNDS	500 /* of two switches, each tick */

static int ticks;

static void wait_until(struct timespec *next)
{
	next->tv_nsec += TICK_NS;
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static void pass(int in, int out, long rounds)
{
	char c = 0;

	while (rounds--)
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			_exit(1);
}

static void play(void)
{
	struct timespec next;
	int there[2], back[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(there) || pipe(back))
		exit(1);
	if (fork() == 0) {
		pass(there[0], back[1], (long)ROUNDS * ticks);
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < ticks; i++) {
		for (int j = 0; j < ROUNDS; j++) {
			char c = 0;

			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				exit(1);
		}
		wait_until(&next);
	}
	wait(NULL);
}

/* A hundred times a second each thread computes for a tenth of a millisecond. */
static void *potter(void *context)
{
	struct timespec next;
	volatile long sum = 0;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < ticks; i++) {
		for (int j = 0; j < 30000; j++)
			sum += j;
		wait_until(&next);
	}
	return context;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage self, child;
	pthread_t thread[24];

	ticks = atoi(argv[1]) * 100;
	if (argc > 2) {
		for (int i = 0; i < 24; i++)
			pthread_create(&thread[i], NULL, potter, NULL);
		for (int i = 0; i < 24; i++)
			pthread_join(thread[i], NULL);
	} else {
		play();
	}
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &child);
	fprintf(stderr, "cpu %.6f\n", seconds(self.ru_utime) + seconds(self.ru_stime) +
					      seconds(child.ru_utime) + seconds(child.ru_stime));
	return 0;
}
C
cc -O2 -D_GNU_SOURCE -pthread -o paced paced.c || exit 1

# used PID: seconds of CPU time of a process so far
used() {
	cat /proc/"$1"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.6f\n", sum / 1e9 }'
}

# own NAME ARGUMENTS...: percent of a CPU that `cupel record ARGUMENTS` and its programs use in the
# second to the sixth second beside ./paced 7 $load, into $work/NAME
own() {
	local name=$1 alone with from to recorder
	shift
	# shellcheck disable=SC2154,SC2086 # a word or none
	alone=$(./paced 7 $load 2>&1 | sed -n 's/^cpu //p')
	# shellcheck disable=SC2086
	./paced 7 $load 2>with &
	with=$!
	"$CUPEL" record -q "$@" -o own.data &
	recorder=$!
	sleep 2
	from=$(used $recorder)
	sleep 4
	to=$(used $recorder)
	wait $with
	kill -INT $recorder
	wait $recorder
	awk -v alone="$alone" -v with="$(sed -n 's/^cpu //p' with)" -v from="$from" -v to="$to" \
		-v name="$name" 'BEGIN {
		own = (to - from) / 4 * 100
		added = (with - alone) / 7 * 100
		printf "%-34s %5.2f %% of a CPU for the recorder, %+.2f %% for the programs beside it\n",
			name, own, added
		printf "%.2f\n", own >name
	}'
}
load=
own switches -e off-cpu -a
load=many
own desktop -e off-cpu -a

# Whole stacks: installed programs that wait for disks, pipes, children and locks.
cat >mix.sh <<'SH'
cc -O2 -D_GNU_SOURCE -c -o /dev/null paced.c
dd if=/dev/zero of=mix.tmp bs=64k count=100 oflag=dsync 2>/dev/null
python3 -c 'import subprocess, threading, time
threads = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(10)]
[t.start() for t in threads]
subprocess.run(["sort", "-R", "/etc/services"], stdout=subprocess.DEVNULL)
[t.join() for t in threads]'
yes 2>/dev/null | head -c 20000000 | xz -T2 -1 | xz -d >/dev/null
./paced 1 many 2>/dev/null
rm -f mix.tmp
SH
"$CUPEL" record -q -e off-cpu --off-cpu-states blocked,idle -o mix.data -- sh mix.sh
"$CUPEL" report --json -i mix.data | python3 -c '
import json, sys
stacks = json.load(sys.stdin)["events"][0]["stacks"]
print("%d stacks of waits, cut short:" % stacks["total"], stacks["stopped"])
open("cut", "w").write("%.3f\n" % (100 * (1 - stacks["complete"] / stacks["total"])))'

goal "slowdown with stacks" "$(cut -d' ' -f1 stacks)" x 1.3
goal "slowdown of the ledger" "$(cut -d' ' -f1 ledger)" x 1.15
goal "bytes written per switch" "$(stat -c %s stacks.data | awk -v n="$rounds" '{ print $1 / n / 2 }')" B 4
goal "the recorder's own CPU at 100k switches/s" "$(cat switches)" % 5
goal "the recorder's own CPU on a load like a desktop" "$(cat desktop)" % 1
goal "off-CPU user stacks that do not reach the root" "$(cat cut)" % 0.5
echo
"$here/sched.sh" || missed=1
exit "$missed"
