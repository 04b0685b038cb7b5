/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_calls WHAT [THREADS [CALLS]]: makes system calls in known numbers.
 *
 *     loop    getppid in each thread
 *     mixed   calls that fail, one that sleeps, an unknown number, 32-bit calls, a signal's return
 *     fork    as many processes, each with ten getppid */
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

static long calls = 1000;

static void *loop(void *unused)
{
	for (long i = 0; i < calls; i++)
		(void)syscall(SYS_getppid);
	return unused;
}

static int loop_in_threads(int threads)
{
	pthread_t thread[64];

	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread[i], NULL, loop, NULL))
			return 1;
	(void)loop(NULL);
	for (int i = 1; i < threads; i++)
		if (pthread_join(thread[i], NULL))
			return 1;
	return 0;
}

static void ignore(int number)
{
	(void)number;
}

#ifdef __x86_64__
/* getppid is 64 for 32-bit programs, semget for others. */
static long call_compat(long number)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}
#endif

static int mixed(void)
{
	const struct timespec pause = { 0, 50000000 };
	struct sigaction action = { .sa_handler = ignore };

	for (int i = 0; i < 5; i++) {
		(void)syscall(SYS_openat, -1, "nowhere", 0);
		(void)syscall(SYS_close, 9999);
	}
	(void)syscall(SYS_openat, AT_FDCWD, "/nowhere", 0);
	(void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	(void)syscall(999);
	(void)sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++)
		(void)raise(SIGUSR1);
#ifdef __x86_64__
	if (call_compat(64) != getppid())
		puts("no 32-bit calls here");
#endif
	return 0;
}

static int many_processes(int count)
{
	int status;

	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			for (int j = 0; j < 10; j++)
				(void)syscall(SYS_getppid);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;

	if (argc > 3)
		calls = strtol(argv[3], NULL, 10);
	if (argc > 1 && strcmp(argv[1], "loop") == 0)
		return loop_in_threads(count > 64 ? 64 : count);
	if (argc > 1 && strcmp(argv[1], "mixed") == 0)
		return mixed();
	if (argc > 1 && strcmp(argv[1], "fork") == 0)
		return many_processes(count);
	return 2;
}
