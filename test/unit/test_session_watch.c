/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/watch: it ends when a tick says so, when the time is over, and at a signal. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/watch.h"

struct counted {
	int ticks, last, end_at;
};

static int count(void *context, bool last, struct err *err)
{
	struct counted *counted = context;

	(void)err;
	counted->ticks++;
	counted->last += last;
	if (counted->end_at < 0)
		return counted->end_at;
	return counted->ticks == counted->end_at;
}

static void test_watch__ends_when_a_tick_says_so(void **state)
{
	struct counted counted = { .end_at = 3 };
	struct watch_options options = {
		.fd = -1, .interval_ns = 1000000, .tick = count, .context = &counted
	};
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_watch(&options, &err), 0);
	assert_int_equal(counted.ticks, 3);
	assert_int_equal(counted.last, 0);
}

static void test_watch__ticks_once_at_the_end_without_an_interval(void **state)
{
	struct counted counted = { 0 };
	struct watch_options options = {
		.fd = -1, .duration_ns = 1000000, .tick = count, .context = &counted
	};
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_watch(&options, &err), 0);
	assert_int_equal(counted.ticks, 1);
	assert_int_equal(counted.last, 1);
}

static int interrupt(void *context, bool last, struct err *err)
{
	struct counted *counted = context;

	(void)err;
	counted->ticks++;
	counted->last += last;
	return last ? 0 : kill(getpid(), SIGINT) ? -errno : 0;
}

static void test_watch__ends_at_a_signal(void **state)
{
	struct counted counted = { 0 };
	struct watch_options options = {
		.fd = -1, .interval_ns = 100000000, .tick = interrupt, .context = &counted
	};
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_watch(&options, &err), 0);
	assert_int_equal(counted.ticks, 2);
	assert_int_equal(counted.last, 1); /* what has come since the interval is told, too */
}

static void test_watch__hands_failures_on(void **state)
{
	struct counted counted = { .end_at = -EIO };
	struct watch_options options = {
		.fd = -1, .interval_ns = 1000000, .tick = count, .context = &counted
	};
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_watch(&options, &err), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch__ends_when_a_tick_says_so),
		cmocka_unit_test(test_watch__ticks_once_at_the_end_without_an_interval),
		cmocka_unit_test(test_watch__ends_at_a_signal),
		cmocka_unit_test(test_watch__hands_failures_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
