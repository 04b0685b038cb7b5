#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel wall on programs with known results: waits for a lock with its holder and the holder's
# activity, sleep, pipes, sockets, timers as wakers, short-lived threads, many threads. In all of them
# the states of a thread add up to its lifetime within 0.1 %.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wall.bash
. "$(dirname "$0")/wall.bash"
cat >scenes.c <<'C'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_held, is_wanted;

static void nap(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void burn(long ms)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	while ((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void *holder(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&mutex);
	is_held = true;
	while (!is_wanted)
		nap(1);
	nap(100); /* the waiter waits by now */
	burn(100);
	nap(300);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *waiter(void *name)
{
	pthread_setname_np(pthread_self(), name);
	while (!is_held) /* on a busy machine the holder may begin late */
		nap(1);
	nap(50);
	is_wanted = true;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *napper(void *context)
{
	nap(200);
	return context;
}

static void run(size_t count, void *(**start)(void *), const char **name)
{
	pthread_t *thread = calloc(count, sizeof(*thread));

	for (size_t i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, start[i % 2], (void *)name[i % 2]);
	for (size_t i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

/* The reader waits 400 ms for the writer, which sleeps. */
static void talk(int reader, int writer)
{
	char c = 0;

	if (fork() == 0) {
		nap(400);
		_exit(write(writer, &c, 1) != 1);
	}
	if (read(reader, &c, 1) != 1)
		abort();
	wait(NULL);
}

int main(int argc, char **argv)
{
	void *(*locks[])(void *) = { holder, waiter }, *(*naps[])(void *) = { napper, napper };
	const char *names[] = { "holder", "waiter" };
	int fd[2];

	(void)argc;
	if (strcmp(argv[1], "lock") == 0) {
		run(2, locks, names);
	} else if (strcmp(argv[1], "threads") == 0) {
		run((size_t)atoi(argv[2]), naps, names);
	} else if (strcmp(argv[1], "pipe") == 0 && pipe(fd) == 0) {
		talk(fd[0], fd[1]);
	} else if (strcmp(argv[1], "socket") == 0 &&
		   socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0) {
		talk(fd[0], fd[1]);
	} else if (strcmp(argv[1], "vfork") == 0) {
		if (vfork() == 0)
			_exit(poll(NULL, 0, 400));
	} else if (strcmp(argv[1], "poll") == 0) {
		poll(NULL, 0, 400);
	}
	return 0;
}
C
cc -O1 -pthread -o scenes scenes.c || exit 1


watch lock ./scenes lock
ask "the holder is named, and what it did" '
[b for b in by("waiter") if b["relation"] == "held-by" and b["holder"].startswith("holder:")
 and 350e6 < b["ns"] and did(b, "sleep") >= 300 and did(b, "running") >= 95]'
ask "the lock has the name of its variable" '
all(b.get("lock_name") == "mutex" for b in by("waiter") if b["reason"] == "lock")'
"$CUPEL" wall --flamegraph lock.svg --chrome-trace trace.json --timeline page.html -- ./scenes lock >text 2>log &&
	grep -q 'waiter:[0-9]* blocked lock mutex, held by holder:' text && grep -q '<title>mutex (' lock.svg &&
	grep -q '"mutex, held by holder:' trace.json || {
	echo "text and pictures have the lock: $(cat log; grep lock text; grep -o '.\{20\}mutex.\{20\}' lock.svg trace.json | head)"
	failed=1
}
python3 - <<'PY' || failed=1
import base64, json, re, zlib

packed = re.search('id="timeline-data">([^<]*)<', open("page.html").read()).group(1)
page = json.loads(zlib.decompress(base64.b64decode(packed)))
lanes = [lane for lane in page["lanes"] if lane["name"] == "lock mutex"]
assert len(lanes) == 1, f"no row of the lock in the timeline: {[lane['name'] for lane in page['lanes']]}"
slices = lanes[0]["slices"]
said = {page["labels"][label] for label in slices[4::5]}
kinds = {page["kinds"][kind]["name"] for kind in slices[3::5]}
assert said == {"1 thread waits"} and kinds == {"blocked: lock"} and sum(slices[1::5]) > 350e6, slices
PY
ask "timers wake sleepers" 'all(b["holder"] == "[timer]" for b in by("waiter") if b["reason"] == "sleep")'
watch pipe ./scenes pipe
ask "a reader of a pipe waits for its writer" 'reason("pipe") >= 390 and [b for b in r["blocked_by"]
 if b["reason"] == "pipe" and b["relation"] == "woken-by" and b["holder"].startswith("scenes:")]'
watch socket ./scenes socket
ask "a reader of a socket waits in net" 'reason("net") >= 390'
watch poll ./scenes poll
ask "poll is idle" 'reason("poll") >= 390 and r["threads"][0]["states"]["idle"] >= 390e6'
ask "the start by the recorder is no wait of the program" 'reason("pipe") == 0'
watch vfork ./scenes vfork
ask "vfork waits for the child" 'reason("child") >= 390 and reason("stopped") == 0'
watch threads ./scenes threads 300
ask "300 threads have ledgers" 'len(r["threads"]) == 301 and reason("sleep") >= 300 * 199'
# shellcheck disable=SC2016
watch storm sh -c 'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done'
ask "short lives are counted" 'len(r["threads"]) == 201 and reason("child") > 0'
sleep 60 &
"$CUPEL" wall --json -o result.json -p $! -d 200ms || failed=1
kill $!
wait
ask "a process that waits already" 'len(r["threads"]) == 1 and r["threads"][0]["lifetime_ns"] > 150e6'
[ "$failed" = 0 ] && echo "ledgers closed, holders named"
"$CUPEL" wall -- ./no-such-program 2>log
status=$?
[ "$status" = 127 ] && grep -q "no-such-program: No such file" log || {
	echo "no such program: exit status $status: $(cat log)"
	failed=1
}
exit "$failed"
