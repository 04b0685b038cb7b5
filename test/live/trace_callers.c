/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_callers [wait | short]: makes system calls through functions of known names, in known
 * numbers, and waits for known reasons. With "wait" it begins after SIGUSR1. With "short" it makes
 * 25 calls from each of eight stacks and ends: most sums are of its last moment. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile long done; /* no call is the last thing that a function does */

/* The same place in the code and on the stack for all callers. */
static NOINLINE void make_call(void)
{
	done += syscall(SYS_getppid) > 0;
}

static NOINLINE void caller_one(void)
{
	make_call();
	done++;
}

static NOINLINE void caller_two(void)
{
	make_call();
	done++;
}

static NOINLINE void alternate(void)
{
	for (int i = 0; i < 9000; i++) {
		caller_one();
		if (i % 3 == 0)
			caller_two();
	}
	done++;
}

static NOINLINE void call_below(int depth)
{
	if (depth)
		call_below(depth - 1);
	else
		make_call();
	done++;
}

static void call_from_stacks(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	(void)nanosleep(&pause, NULL);
	for (int i = 0; i < 200; i++)
		call_below(i % 8);
}

static NOINLINE void read_zeros(void)
{
	static char data[1 << 22];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 1500; i++)
		done += read(fd, data, sizeof(data));
	close(fd);
}

static NOINLINE void sleep_some(void)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	for (int i = 0; i < 20; i++)
		done += nanosleep(&pause, NULL);
}

/* Returns when the thread sleeps, however busy the machine is, or is gone. */
static NOINLINE void await_sleep(pid_t tid)
{
	char path[64], text[256];
	const char *state;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	do {
		int fd = open(path, O_RDONLY);
		ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		if (length <= 0)
			break;
		close(fd);
		text[length] = 0;
		state = strrchr(text, ')');
	} while (state && state[2] != 'S');
	done++;
}

static NOINLINE void wait_for_child(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		await_sleep(parent);
		(void)nanosleep(&pause, NULL);
		_exit(0);
	}
	done += waitpid(child, NULL, 0);
}

static NOINLINE void read_pipe(int fd)
{
	char byte;

	done += read(fd, &byte, 1);
}

static void wait_for_pipe(void)
{
	const struct timespec pause = { .tv_nsec = 80000000 };
	pid_t parent = getpid(), child;
	int end[2];

	if (pipe(end))
		return;
	child = fork();
	if (child == 0) {
		await_sleep(parent);
		(void)nanosleep(&pause, NULL);
		_exit(write(end[1], "x", 1) != 1);
	}
	read_pipe(end[0]);
	(void)waitpid(child, NULL, 0);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pid_t locker;

static NOINLINE void *take_lock(void *unused)
{
	locker = gettid();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void wait_for_lock(void)
{
	const struct timespec pause = { .tv_nsec = 90000000 };
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	if (pthread_create(&thread, NULL, take_lock, NULL))
		return;
	while (!locker)
		;
	await_sleep(locker);
	(void)nanosleep(&pause, NULL);
	pthread_mutex_unlock(&mutex);
	(void)pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	sigset_t set;
	int number;

	if (argc > 1 && strcmp(argv[1], "short") == 0) {
		call_from_stacks();
		return 0;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		(void)sigwait(&set, &number);
	sleep_some();
	wait_for_child();
	wait_for_pipe();
	wait_for_lock();
	alternate();
	read_zeros();
	return 0;
}
