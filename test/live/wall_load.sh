#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: it loads every CPU and expects no loss
# cupel wall and -e off-cpu under load: 5000 threads, programs that start, fork and execute others while
# others exit, 100,000 switches in about a second, and a stopped reader. All losses are counted.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wall.bash
. "$(dirname "$0")/wall.bash"
cat >load.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 50

extern char **environ;

static void nap(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void *napper(void *unused)
{
	nap(300);
	return unused;
}

static void run(size_t count, void *(*start)(void *))
{
	pthread_t *thread = calloc(count, sizeof(*thread));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&thread[i], &small, start, NULL))
			abort();
	for (size_t i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

/* Threads of a child, one of which becomes another program and so ends the others. */
static void *replace(void *unused)
{
	execl("/bin/true", "true", (char *)NULL);
	return unused;
}

static void *spawn(void *unused)
{
	char *words[] = { "true", NULL };
	pid_t pid;

	for (int i = 0; i < ROUNDS; i++) {
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ))
			abort();
		waitpid(pid, NULL, 0);
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		pid = fork();
		if (!pid) {
			run(3, i % 2 ? replace : napper);
			_exit(0);
		}
		if (i % 2 == 0)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return unused;
}

static void play(long rounds, int in, int out)
{
	char byte = 0;

	while (rounds--)
		if (read(in, &byte, 1) != 1 || write(out, &byte, 1) != 1)
			abort();
}

/* Prints for how many ns. */
static void tennis(long rounds)
{
	struct timespec from, to;
	int there[2], back[2];
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && seen++)
			CPU_CLR(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (pipe(there) || pipe(back) || write(there[1], "x", 1) != 1)
		abort();
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (fork() == 0) {
		play(rounds, there[0], back[1]);
		_exit(0);
	}
	play(rounds, back[0], there[1]);
	clock_gettime(CLOCK_MONOTONIC, &to);
	wait(NULL);
	printf("%.0f\n", (to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "threads") == 0) {
		run(5000, napper);
	} else if (argc > 1 && strcmp(argv[1], "races") == 0) {
		run(4, spawn);
	} else if (argc > 1 && strcmp(argv[1], "unread") == 0) {
		kill(getppid(), SIGSTOP);
		tennis(20000);
		kill(getppid(), SIGCONT);
	} else {
		tennis(50000);
	}
	return 0;
}
C
cc -O1 -pthread -o load load.c || exit 1
fail() {
	echo "FAIL: $*"
	failed=1
}

# fact FILE EXPRESSION: the value of EXPRESSION, with r = `report --json` of FILE, event = its first event
fact() {
	"$CUPEL" report --json -i "$1" 2>/dev/null | python3 -c '
import json, sys
r = json.load(sys.stdin)
event = r["events"][0]
print(eval(sys.argv[1]))' "$2"
}

watch_lossy threads ./load threads
ask "5000 threads have ledgers, or are counted" '
len(r["threads"]) + r["lost"]["threads"] + r["lost"]["untracked"] == 5001
and reason("sleep") >= 299 * (len(r["threads"]) - 1)'
"$CUPEL" record -q -e off-cpu --off-cpu-states sleep -o threads.data -- ./load threads 2>log
[ "$(fact threads.data 'event["weight"] >= 298e6 * (5000 - event["lost"])')" = True ] ||
	fail "5000 threads slept $(fact threads.data 'event["weight"], event["lost"]'): $(cat log)"

# The process tree: 4 threads with 150 children each.
watch races ./load races
ask "every child has a ledger" 'len([t for t in r["threads"] if t["pid"] == t["tid"]]) == 1 + 4 * 150'
"$CUPEL" record -q -e off-cpu,wakeup -o races.data -- ./load races 2>log || fail "races: $(cat log)"
[ "$(fact races.data 'event["stacks"]["complete"] >= 0.9 * event["stacks"]["total"]')" = True ] ||
	fail "races: $(fact races.data 'event["stacks"]')"

watch switches ./load >took
ask "100,000 switches" '
sum(x["count"] for x in r["reasons"] if x["reason"] in ("pipe", "preempted")) >= 90000'
"$CUPEL" wall --json -o result.json --chrome-trace trace.json -- ./load >took 2>log
ask "every one of them is in the timeline, to the ns" '
all(abs(sum(e["dur"] for e in trace(t["tid"])) * 1000 - t["lifetime_ns"]) < 1000 + 10**6 * r["lost"]["intervals"]
	for t in r["threads"])
and sum(len(trace(t["tid"])) for t in r["threads"]) >= 190000 - r["lost"]["intervals"]'
"$CUPEL" record -q -e off-cpu --off-cpu-states pipe -o switches.data -- ./load >took 2>log
# At any time one of the two waits, or waits for a CPU after its wakeup.
[ "$(fact switches.data "0.2 * $(cat took) <= event['weight'] <= 1.1 * $(cat took)")" = True ] ||
	fail "switches: $(fact switches.data 'event["weight"], event["lost"]') of $(cat took) ns"

"$CUPEL" record -e off-cpu --off-cpu-states pipe --off-cpu-thresh 0 -o unread.data -- ./load unread \
	>took 2>log
lost=$(sed -n 's/.* \([0-9,]*\) lost.*/\1/p' log | head -n 1 | tr -d ,)
told=$(fact unread.data 'event["samples"]')
echo "without a reader: $told waits reported, $lost lost"
# If the buffer has no room for single waits, they are summed: all time is recorded, or losses are counted.
[ $((told + lost)) -ge 15000 ] ||
	[ "$(fact unread.data "0.2 * $(cat took) <= event['weight'] <= 1.1 * $(cat took)")" = True ] ||
	fail "without a reader: losses not counted: $(fact unread.data 'event["weight"]') of $(cat took) ns: $(cat log)"
exit "$failed"
