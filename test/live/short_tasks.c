/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with known shares: one child spins for LONG seconds; meanwhile COUNT other children,
 * one after the other, spin for SHORT milliseconds and exit. Prints the total time of the short
 * children in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The functions differ, else the compiler merges them. */
static volatile int short_turns, long_turns;

__attribute__((noinline)) static void short_spin(double end)
{
	while (cpu_s() < end)
		short_turns = 1;
}

__attribute__((noinline)) static void long_spin(double end)
{
	while (cpu_s() < end)
		long_turns = 1;
}

int main(int argc, char **argv)
{
	double milliseconds, seconds;
	long count;

	if (argc != 4)
		return 2;
	milliseconds = strtod(argv[1], NULL);
	count = strtol(argv[2], NULL, 10);
	seconds = strtod(argv[3], NULL);
	if (fork() == 0) {
		long_spin(seconds);
		_exit(0);
	}
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0) {
			short_spin(cpu_s() + milliseconds / 1e3);
			_exit(0);
		}
		(void)waitpid(child, NULL, 0);
	}
	while (wait(NULL) > 0)
		;
	(void)printf("%.6f\n", milliseconds / 1e3 * (double)count);
	return 0;
}
