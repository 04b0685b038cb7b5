/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/sched/sched_locks: a thread waits from the entry to the exit, and for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/sched/sched.h"
#include "session/capture.h"
#include "session/sched/sched_locks.h"
#include "session/sched/sched_plan.h"

#define PRIVATE	     128
#define WAIT	     0
#define WAKE	     1
#define LOCK_PI	     6
#define WAIT_BITSET  9
#define WITH_WAITERS 0x80000000u
#define SPIN	     1
#define MUTEX	     32

static struct sched_task a = { .index = 1, .pid = 10, .tid = 10, .comm = "a" };
static struct sched_task b = { .index = 2, .pid = 10, .tid = 11, .comm = "b" };

struct fixture {
	struct capture capture;
	struct sched_locks *locks;
};

static int setup(void **state)
{
	static struct fixture fixture;

	capture_open(&fixture.capture);
	fixture.locks = sched_locks_new("");
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sched_locks_free(f->locks);
	capture_close(&f->capture);
	return 0;
}

static void take(struct fixture *f, enum sched_tracepoint is, int64_t x, int64_t y, int64_t z)
{
	const struct sched_plan plan = { .is = is };
	const struct sched_sample sample = { .plan = &plan, .number = { x, y, z } };

	sched_locks_take(f->locks, &sample, &a, a.pid);
}

static const char *text_of(struct fixture *f, const struct sched_task *task)
{
	return sched_locks_text(f->locks, task, f->capture.procs);
}

static void futex(struct fixture *f, int64_t op, int64_t word, const char *expected)
{
	take(f, TRACEPOINT_FUTEX_ENTER, 0x1000, op, word);
	if (expected)
		assert_string_equal(text_of(f, &a), expected);
	else
		assert_null(text_of(f, &a));
	assert_null(text_of(f, &b));
	take(f, TRACEPOINT_FUTEX_EXIT, 0, 0, 0);
	assert_null(text_of(f, &a));
}

static void test_futexes(void **state)
{
	struct fixture *f = *state;

	futex(f, WAIT | PRIVATE, 2, "[lock 0x1000]");
	futex(f, WAIT, (int64_t)(WITH_WAITERS | 10), "[lock 0x1000]");
	futex(f, LOCK_PI | PRIVATE, 0, "[lock 0x1000]");
	futex(f, WAIT_BITSET | PRIVATE, 2, "[futex 0x1000]");
	futex(f, WAKE | PRIVATE, 2, NULL);
}

/* A barrier of two threads counts 0, 2, 4. */
static void test_words_of_other_values_are_no_mutex(void **state)
{
	struct fixture *f = *state;

	futex(f, WAIT | PRIVATE, 2, "[lock 0x1000]");
	futex(f, WAIT | PRIVATE, 0, "[futex 0x1000]");
	futex(f, WAIT | PRIVATE, 2, "[futex 0x1000]");
	futex(f, WAIT | PRIVATE, (int64_t)(WITH_WAITERS | 10), "[lock 0x1000]");
	sched_locks_renew(f->locks, a.pid);
	futex(f, WAIT | PRIVATE, 2, "[lock 0x1000]");
}

static void test_locks_of_the_kernel(void **state)
{
	struct fixture *f = *state;

	take(f, TRACEPOINT_LOCK_BEGIN, 0x5000, MUTEX | SPIN, 0);
	assert_null(text_of(f, &a));
	take(f, TRACEPOINT_FUTEX_ENTER, 0x1000, WAIT, 2);
	take(f, TRACEPOINT_LOCK_BEGIN, 0x5000, MUTEX, 0);
	assert_string_equal(text_of(f, &a), "[lock mutex 0x5000]");
	take(f, TRACEPOINT_LOCK_END, 0x6000, 0, 0); /* of one that spun */
	assert_string_equal(text_of(f, &a), "[lock mutex 0x5000]");
	take(f, TRACEPOINT_LOCK_END, 0x5000, 0, 0);
	assert_string_equal(text_of(f, &a), "[lock 0x1000]");
}

static void test_lost_records_end_all(void **state)
{
	struct fixture *f = *state;

	take(f, TRACEPOINT_FUTEX_ENTER, 0x1000, WAIT, 2);
	take(f, TRACEPOINT_LOCK_BEGIN, 0x5000, 4, 0);
	assert_string_equal(text_of(f, &a), "[lock rwsem:W 0x5000]");
	sched_locks_renew(f->locks, a.pid);
	assert_string_equal(text_of(f, &a), "[lock rwsem:W 0x5000]");
	sched_locks_forget(f->locks);
	assert_null(text_of(f, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_futexes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_words_of_other_values_are_no_mutex, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_locks_of_the_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_records_end_all, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
