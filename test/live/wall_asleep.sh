#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The ledger has the wait reasons of threads that sleep from before the start of `cupel wall` until
# after its end. Kernel threads without work are idle.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'kill "$program" 2>/dev/null; rm -rf "$work"' EXIT
program=
cd "$work" || exit 1
if ! "$CUPEL" wall -- true >log 2>&1; then
	echo "no ledger here: $(tail -n 1 log)"
	exit 77
fi
cat >asleep.c <<'C'
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int pipe_fd[2], sockets[2];

static void *in_pipe(void *name)
{
	char byte;

	return read(pipe_fd[0], &byte, 1) ? NULL : name;
}

static void *in_socket(void *name)
{
	char byte;

	return read(sockets[0], &byte, 1) ? NULL : name;
}

static void *in_poll(void *name)
{
	poll(NULL, 0, -1);
	return name;
}

static void *in_condition(void *name)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&condition, &mutex);
	return name;
}

static void *in_lock(void *name)
{
	pthread_mutex_lock(&held);
	return name;
}

static void *in_rwlock(void *name)
{
	pthread_rwlock_rdlock(&rwlock);
	return name;
}

static void *in_barrier(void *name)
{
	pthread_barrier_wait(&barrier);
	return name;
}

static void *in_semaphore(void *name)
{
	sem_wait(&semaphore);
	return name;
}

static pthread_t first;

static void *in_join(void *name)
{
	pthread_join(first, NULL);
	return name;
}

static void *in_child(void *name)
{
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(STDOUT_FILENO);
		read(pipe_fd[0], (char[1]){ 0 }, 1);
		_exit(0);
	}
	wait(NULL);
	return name;
}

static void *in_sleep(void *name)
{
	sleep(1000);
	return name;
}

int main(void)
{
	void *(*const waits[])(void *) = { in_pipe, in_socket, in_poll, in_condition,
					   in_lock, in_child,  in_sleep, in_rwlock,
					   in_barrier, in_semaphore, in_join };
	pthread_t thread;

	if (pipe(pipe_fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&rwlock);
	pthread_barrier_init(&barrier, NULL, 2);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		pthread_create(i ? &thread : &first, NULL, waits[i], NULL);
	sleep(1);
	puts("asleep");
	fflush(stdout);
	pause();
	return 0;
}
C
cc -O2 -Wno-unused-result -o asleep asleep.c -lpthread || exit 1
mkfifo ready
./asleep >ready &
program=$!
read -r _ <ready

"$CUPEL" wall -p "$program" -d 500ms --json >wall.json || exit 1
"$CUPEL" wall -a -d 500ms --json >machine.json || exit 1
python3 - <<'P'
import json, os
wall = json.load(open("wall.json"))
got = {(row["state"], row["reason"]): row["ns"] for row in wall["reasons"]}
version = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2])
old = version < (5, 18)
for state, reason, times in [("blocked", "pipe", 1), ("blocked", "net", 1), ("idle", "poll", 1),
                             ("idle", "condition", 3), ("blocked", "lock", 2), ("blocked", "child", 1),
                             ("blocked", "sleep", 1), ("idle", "signal", 1)] + [("idle", "join", 1)] * (not old):
    part = got.get((state, reason), 0) / wall["duration_ns"]
    print(f"{state}: {reason}: {part:.2f} of the time")
    assert part > .9 if old else .9 * times < part < 1.1 * times, got
if not old:
    (condition,) = [row for row in wall["reasons"] if row["reason"] == "condition"]
    events = {row["event"]: row["ns"] / wall["duration_ns"] for row in condition["events"]}
    assert all(.9 < events.get(name, 0) < 1.1 for name in ("condition variable", "barrier", "semaphore")), condition
    locks = {link.get("lock_name"): link for link in wall["blocked_by"] if link["reason"] == "lock"}
    assert version < (6, 2) or set(locks) == {"held", "rwlock"}, locks
    assert all(link["relation"] == "held-by" for link in locks.values()), locks
for thread in wall["threads"]:
    assert sum(thread["states"].values()) + thread["unaccounted_ns"] == thread["lifetime_ns"], thread
of_kernel = [thread for thread in json.load(open("machine.json"))["threads"] if thread["comm"] == "kthreadd"]
assert of_kernel and of_kernel[0]["states"]["idle"] > .9 * of_kernel[0]["lifetime_ns"], of_kernel
P

# A terminal's interrupt ends the program at the same time: all threads count nevertheless.
python3 - "$CUPEL" <<'P' || exit 1
import json, os, signal, subprocess, sys
for turn in range(4):
    run = subprocess.Popen([sys.argv[1], "wall", "--json", "-o", "ended.json", "--", "./asleep"],
                           stdout=subprocess.PIPE, start_new_session=True)
    assert run.stdout.readline() == b"asleep\n"
    os.killpg(run.pid, signal.SIGINT)
    run.wait()
    with open("ended.json") as file:
        names = [thread["comm"] for thread in json.load(file)["threads"]]
    print("interrupted with the program:", names.count("asleep"), "threads")
    assert names.count("asleep") == 13, names  # one is of a child
    os.unlink("ended.json")
P
