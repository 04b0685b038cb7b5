/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record/record_targets: the time of children that start later counts, whether they are
 * waited for or not; that of earlier ones does not. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/record/record_targets.h"

#define MS	1000000ull
#define WORK_MS 200
#define TICK_MS 10

static uint64_t cpu_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / MS;
}

/* A child that works, says so, and ends when it is killed. */
static pid_t start_worker(void)
{
	int done[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(done), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		while (cpu_ms() < WORK_MS)
			;
		(void)!write(done[1], "x", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(done[0], &byte, 1), 1);
	(void)close(done[0]);
	(void)close(done[1]);
	return child;
}

static void end_worker(pid_t child)
{
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static struct record_targets *begin(void)
{
	char pids[32];

	(void)snprintf(pids, sizeof(pids), "%d,%d", (int)getpid(), (int)getpid());
	return record_targets_begin(pids);
}

static void test_children_count(void **state)
{
	struct record_targets *targets = begin();
	pid_t child = start_worker();
	uint64_t alive_ns = record_targets_cpu_ns(targets), own_ns = (cpu_ms() + TICK_MS) * MS;

	(void)state;
	assert_true(alive_ns >= (WORK_MS - 2 * TICK_MS) * MS);
	assert_true(alive_ns <= (WORK_MS + 5 * TICK_MS) * MS + own_ns);
	end_worker(child);
	assert_true(record_targets_cpu_ns(targets) >= (WORK_MS - 2 * TICK_MS) * MS);
	record_targets_free(targets);
}

static void test_earlier_children_do_not(void **state)
{
	pid_t child = start_worker();
	struct record_targets *targets = begin();

	(void)state;
	assert_true(record_targets_cpu_ns(targets) < WORK_MS / 2 * MS);
	end_worker(child); /* its whole time is the parent's now */
	assert_int_equal(record_targets_cpu_ns(targets), 0);
	record_targets_free(targets);
}

static void test_ended_target(void **state)
{
	pid_t child = start_worker();
	struct record_targets *targets;
	char pid[16];

	(void)state;
	(void)snprintf(pid, sizeof(pid), "%d", (int)child);
	targets = record_targets_begin(pid);
	end_worker(child);
	assert_int_equal(record_targets_cpu_ns(targets), 0);
	assert_int_equal(record_targets_cpu_ns(NULL), 0);
	record_targets_free(targets);
	record_targets_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_count),
		cmocka_unit_test(test_earlier_children_do_not),
		cmocka_unit_test(test_ended_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
