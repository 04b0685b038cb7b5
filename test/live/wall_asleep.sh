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
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
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
					   in_lock, in_child,  in_sleep };
	pthread_t thread;

	if (pipe(pipe_fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	pthread_mutex_lock(&held);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		pthread_create(&thread, NULL, waits[i], NULL);
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
import json
wall = json.load(open("wall.json"))
got = {(row["state"], row["reason"]): row["ns"] for row in wall["reasons"]}
for state, reason in [("blocked", "pipe"), ("blocked", "net"), ("idle", "poll"), ("idle", "condition"),
                      ("blocked", "lock"), ("blocked", "child"), ("blocked", "sleep"), ("idle", "signal")]:
    part = got.get((state, reason), 0) / wall["duration_ns"]
    print(f"{state}: {reason}: {part:.2f} of the time")
    assert .9 < part < 1.1, got
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
    assert names.count("asleep") == 9, names  # one is of a child
    os.unlink("ended.json")
P
