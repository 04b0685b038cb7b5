/* SPDX-License-Identifier: GPL-2.0-or-later */
/* THREADS that wait for each other in a circle: thread i keeps lock i and wants the next one, a
 * single thread its own.
 * Prints a line when all sleep, and does not end by itself before SECONDS. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 8

pthread_mutex_t circle[MAX_THREADS];
static pthread_barrier_t all;
static int threads;
static pid_t tid_of[MAX_THREADS];

static void __attribute__((noinline)) take_next(long self)
{
	pthread_mutex_lock(&circle[(self + 1) % threads]);
	__asm__ volatile(""); /* not a tail call */
}

static void *take_two(void *context)
{
	long self = (long)context;

	tid_of[self] = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(&circle[self]);
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	take_next(self);
	return NULL;
}

static int is_asleep(pid_t tid)
{
	char path[64], text[256] = "";
	unsigned long number, address;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = 0;
	if (fd >= 0)
		close(fd);
	return sscanf(text, "%lu %lx", &number, &address) == 2 && number == SYS_futex &&
	       address - (unsigned long)circle < sizeof(circle);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 2;
	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	pthread_barrier_init(&all, NULL, (unsigned)threads + 1);
	for (long i = 0; i < threads; i++) {
		pthread_mutex_init(&circle[i], NULL);
		pthread_create(&thread, NULL, take_two, (void *)i);
	}
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	for (int i = 0; i < threads; i++)
		while (!is_asleep(tid_of[i]))
			usleep(1000);
	printf("stuck\n");
	fflush(stdout);
	sleep(argc > 2 ? (unsigned)strtol(argv[2], NULL, 10) : 60);
	return 0;
}
