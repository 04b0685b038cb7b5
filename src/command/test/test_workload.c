/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/test/test_workload.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define MS    1000000u
#define ROUND (10 * MS) /* of both functions together */

#ifdef __clang__
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noipa))
#endif

/* The names of these two are looked for in the profile. */
void cupel_test_hot(volatile uint64_t *sink, uint64_t end_ns);
void cupel_test_warm(volatile uint64_t *sink, uint64_t end_ns);

OWN_FRAME void cupel_test_hot(volatile uint64_t *sink, uint64_t end_ns)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		for (int i = 0; i < 20000; i++)
			*sink += (uint64_t)i * 3;
}

OWN_FRAME void cupel_test_warm(volatile uint64_t *sink, uint64_t end_ns)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		for (int i = 0; i < 20000; i++)
			*sink ^= (uint64_t)i * 5;
}

/* Each turn ends at a time that is set beforehand, so that no error adds up. */
static void compute(void)
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	volatile uint64_t sink = 0;

	for (uint64_t at = begin; at < begin + (uint64_t)WORKLOAD_CPU_MS * MS; at += ROUND) {
		cupel_test_hot(&sink, at + (uint64_t)(ROUND * WORKLOAD_HOT_SHARE));
		cupel_test_warm(&sink, at + ROUND);
	}
}

static void sleep_ms(unsigned ms)
{
	const struct timespec time = { .tv_nsec = (long)ms * MS };

	(void)nanosleep(&time, NULL); /* no signal comes */
}

static void take_naps(void)
{
	for (int i = 0; i < 4; i++)
		sleep_ms(WORKLOAD_SLEEP_MS / 4);
}

static void *wait_for_lock(void *lock)
{
	(void)pthread_mutex_lock(lock); /* cannot fail: it is sound and not ours */
	(void)pthread_mutex_unlock(lock);
	return NULL;
}

static void hold_lock(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	(void)pthread_mutex_lock(&lock); /* cannot fail: it is free */
	if (pthread_create(&thread, NULL, wait_for_lock, &lock))
		return;
	sleep_ms(WORKLOAD_LOCK_MS);
	(void)pthread_mutex_unlock(&lock);
	(void)pthread_join(thread, NULL); /* made, and joined once */
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = WORKLOAD_PAGES * page;
	volatile char *memory =
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	(void)madvise((void *)memory, len, MADV_NOHUGEPAGE); /* else fewer faults */
	for (size_t at = 0; at < len; at += page)
		memory[at] = 1;
}

static void make_calls(void)
{
	for (int i = 0; i < WORKLOAD_CALLS; i++)
		(void)syscall(SYS_getppid);
}

bool test_workload_run(const char *name)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "cpu", compute },	   { "sleep", take_naps },  { "lock", hold_lock },
		{ "faults", touch_pages }, { "calls", make_calls }, { "nothing", NULL },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(name, all[i].name) != 0)
			continue;
		if (all[i].run)
			all[i].run();
		return true;
	}
	return false;
}
