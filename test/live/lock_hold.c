/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds locks for known times and prints for each its address, how often it was held, and the least
 * and the most that it can have been, in nanoseconds: measured between the calls that take it and
 * let it go, and around them. With -u N it takes a lock N times without anybody else, and prints
 * how long a pair of calls took. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOLDS 10

struct known {
	const void *lock;
	uint64_t count, least_ns, most_ns;
};

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, nested,
		       waited = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static struct known all[4];

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void add(struct known *known, const uint64_t at[4])
{
	known->count++;
	known->least_ns += at[2] - at[1];
	known->most_ns += at[3] - at[0];
}

static void hold_plain(struct known *known)
{
	uint64_t at[4] = { now() };

	pthread_mutex_lock(&plain);
	at[1] = now();
	usleep(2000);
	at[2] = now();
	pthread_mutex_unlock(&plain);
	at[3] = now();
	add(known, at);
}

static void hold_nested(struct known *known)
{
	uint64_t at[4] = { now() };

	pthread_mutex_lock(&nested);
	at[1] = now();
	usleep(1000);
	pthread_mutex_lock(&nested);
	pthread_mutex_unlock(&nested);
	usleep(1000);
	at[2] = now();
	pthread_mutex_unlock(&nested);
	at[3] = now();
	add(known, at);
}

static void hold_written(struct known *known)
{
	uint64_t at[4] = { now() };

	pthread_rwlock_wrlock(&written);
	at[1] = now();
	usleep(2000);
	at[2] = now();
	pthread_rwlock_unlock(&written);
	at[3] = now();
	add(known, at);
}

/* Before and after the wait, during which it does not hold the lock. */
static void hold_waited(struct known *known)
{
	uint64_t at[4] = { now() };
	struct timespec until;

	pthread_mutex_lock(&waited);
	at[1] = now();
	usleep(1000);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	at[2] = now();
	pthread_cond_timedwait(&condition, &waited, &until);
	at[3] = now();
	known->count++;
	known->least_ns += at[2] - at[1];
	known->most_ns += at[3] - at[0] - 20000000;
	at[1] = now();
	usleep(1000);
	at[2] = now();
	pthread_mutex_unlock(&waited);
	known->count++;
	known->least_ns += at[2] - at[1];
	known->most_ns += now() - at[1];
}

static void loop(long times)
{
	uint64_t from = now();

	for (long i = 0; i < times; i++) {
		pthread_mutex_lock(&plain);
		pthread_mutex_unlock(&plain);
	}
	printf("%.1f\n", (double)(now() - from) / (double)times);
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;

	if (argc == 3 && strcmp(argv[1], "-u") == 0) {
		loop(strtol(argv[2], NULL, 10));
		return 0;
	}
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&nested, &attr);
	for (int i = 0; i < HOLDS; i++) {
		hold_plain(&all[0]);
		hold_nested(&all[1]);
		hold_written(&all[2]);
		hold_waited(&all[3]);
	}
	all[0].lock = &plain;
	all[1].lock = &nested;
	all[2].lock = &written;
	all[3].lock = &waited;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		printf("%lu %lu %lu %lu\n", (unsigned long)(uintptr_t)all[i].lock,
		       (unsigned long)all[i].count, (unsigned long)all[i].least_ns,
		       (unsigned long)all[i].most_ns);
	return 0;
}
