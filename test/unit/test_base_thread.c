/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/thread: a thread gets no signals of the process; the starter's mask stays as it was. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/thread.h"

static void *look_at_mask(void *context)
{
	sigset_t *mask = context;

	(void)pthread_sigmask(SIG_SETMASK, NULL, mask);
	return NULL;
}

static void test_thread_takes_only_its_own_faults(void **state)
{
	static const int blocked[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR2 };
	sigset_t mask, own;
	struct err err = { 0 };
	pthread_t thread;

	(void)state;
	assert_int_equal(thread_start(&thread, "test", look_at_mask, &mask, &err), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (size_t i = 0; i < sizeof(blocked) / sizeof(*blocked); i++)
		assert_int_equal(sigismember(&mask, blocked[i]), 1);
	assert_int_equal(sigismember(&mask, SIGBUS), 0);
	assert_int_equal(sigismember(&mask, SIGSEGV), 0);
	(void)pthread_sigmask(SIG_SETMASK, NULL, &own);
	assert_int_equal(sigismember(&own, SIGINT), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_takes_only_its_own_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
