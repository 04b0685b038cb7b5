#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Locks that look like condition variables to the kernel, as in Java and Python: threads that take turns
# block each other; a pool of threads that waits for requests is idle.
if [ "$(id -u)" != 0 ] || ! command -v python3 >/dev/null || ! command -v cc >/dev/null; then
	echo "needs root, python3 and cc"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/live/wall.bash
. "$here/wall.bash"

cat >turns.c <<'C'
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#define THREADS 4

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int held, requests, stop;

static void work(long us)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < us);
}

/* A lock as runtimes make them. */
static void *lock_by_condition(void *unused)
{
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&mutex);
		while (held)
			pthread_cond_wait(&condition, &mutex);
		held = 1;
		pthread_mutex_unlock(&mutex);
		work(2000);
		pthread_mutex_lock(&mutex);
		held = 0;
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&mutex);
		work(50);
	}
	return unused;
}

static void *lock_by_semaphore(void *unused)
{
	for (int i = 0; i < 50; i++) {
		sem_wait(&semaphore);
		work(2000);
		sem_post(&semaphore);
		work(50);
	}
	return unused;
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!stop) {
		if (!requests) {
			pthread_cond_wait(&condition, &mutex);
			continue;
		}
		requests--;
		pthread_mutex_unlock(&mutex);
		work(300);
		pthread_mutex_lock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Requests come from outside. */
static void receive(void)
{
	for (int i = 0; i <= 100; i++) {
		poll(NULL, 0, 5);
		pthread_mutex_lock(&mutex);
		requests++;
		stop = i == 100;
		if (stop)
			pthread_cond_broadcast(&condition);
		else
			pthread_cond_signal(&condition);
		pthread_mutex_unlock(&mutex);
	}
}

int main(int count, char **word)
{
	void *(*run)(void *) = strcmp(word[1], "condition") == 0   ? lock_by_condition
			       : strcmp(word[1], "semaphore") == 0 ? lock_by_semaphore
								   : serve;
	pthread_t thread[THREADS];

	sem_init(&semaphore, 0, 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	if (run == serve)
		receive();
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return count != 2;
}
C
cc -O1 -pthread -o turns turns.c || exit 1

# stacks WORD: blocked off-CPU time in ms, from the stacks
stacks() {
	"$CUPEL" record -q -e off-cpu -o off.data -- ./turns "$1" 2>log || cat log >&2
	"$CUPEL" report --json -i off.data 2>/dev/null | python3 -c '
import json, sys
print(int(sum(e["weight"] for e in json.load(sys.stdin)["events"]) / 1e6))' 2>/dev/null || echo 0
}

for word in condition semaphore; do
	watch "$word" ./turns $word
	ask "$word: turns are no idleness" 'reason("thread") >= 300 and reason("thread") > 5 * reason("condition")'
	ask "$word: who let them go on" '[b for b in by("turns") if b["relation"] == "released-by"
	and b["reason"] == "thread" and b["holder"].startswith("turns:")]'
	ask "$word: main joins" 'reason("join") >= 100'
	blocked=$(stacks $word)
	[ "$blocked" -ge 300 ] || {
		echo "$word: -e off-cpu has $blocked ms"
		failed=1
	}
done
watch pool ./turns pool
ask "a pool is idle" 'reason("condition") >= 1000 and reason("thread") * 10 < reason("condition")'

cat >turns.py <<'PY'
import sys, threading
lock = threading.Lock()
def work():
    for _ in range(50):
        with lock:
            sum(range(200000))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
PY
watch_lossy "python" "$(python3 -c 'import sys; print(sys.executable)')" turns.py
ask "python: turns are no idleness" 'reason("thread") >= 20 and sum(t["states"]["blocked"]
	for t in r["threads"][1:]) > 2 * sum(t["states"]["idle"] for t in r["threads"][1:])'

if command -v javac >/dev/null; then
	cat >Turns.java <<'JAVA'
public class Turns {
	static final Object lock = new Object();
	static volatile long sum;
	public static void main(String[] words) throws Exception {
		Thread[] threads = new Thread[4];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				for (int turn = 0; turn < 200; turn++)
					synchronized (lock) {
						for (int k = 0; k < 400000; k++)
							sum += k;
					}
			}, "turn" + i);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
	}
}
JAVA
	javac Turns.java && watch_lossy java java -cp . Turns
	# before the code of the wait is known, it is a condition that a thread fulfilled
	monitor=lock
	library=$(find -L "$(dirname "$(readlink -f "$(command -v java)")")/.." -name libjvm.so | head -n 1)
	nm -C "$library" 2>/dev/null | grep -q 'ObjectMonitor::wait' || {
		echo "not tested: monitors as locks: libjvm.so has no symbols"
		monitor=thread
	}
	ask "java: who let a thread have the monitor" '[b for i in range(4) for b in by("turn%d" % i)
	if b["relation"] == "released-by" and b["reason"] == "'$monitor'" and b["holder"].startswith("turn")]'
	[ $monitor = thread ] || ask "java: a monitor is a lock" 'reason("lock") > reason("thread")'
	ask "java: who waits for a monitor is blocked" 'sum(t["states"]["blocked"] for t in r["threads"]
	if t["comm"].startswith("turn")) > 2 * sum(t["states"]["idle"] for t in r["threads"]
	if t["comm"].startswith("turn"))'
	ask "java: its service threads only wait for work" 'all(t["states"]["blocked"] * 10 < t["lifetime_ns"]
	for t in r["threads"] if t["comm"].startswith(("Signal Dispatch", "Finalizer", "Reference Handl")))'
	cat >Pool.java <<'JAVA'
public class Pool {
	static final Object lock = new Object();
	static int requests;
	public static void main(String[] words) throws Exception {
		for (int i = 0; i < 3; i++) {
			Thread thread = new Thread(() -> {
				synchronized (lock) {
					while (true) {
						while (requests == 0)
							try { lock.wait(); } catch (InterruptedException e) { return; }
						requests--;
					}
				}
			}, "pool" + i);
			thread.setDaemon(true);
			thread.start();
		}
		for (int i = 0; i < 100; i++) {
			Thread.sleep(5);
			synchronized (lock) {
				requests++;
				lock.notifyAll();
			}
		}
	}
}
JAVA
	javac Pool.java && watch_lossy "java pool" java -cp . Pool
	ask "java: Object.wait() is no lock" 'all(t["states"]["blocked"] * 5 < t["states"]["idle"]
	for t in r["threads"] if t["comm"].startswith("pool"))'
else
	echo "not tested: java: not installed"
fi
exit "$failed"
