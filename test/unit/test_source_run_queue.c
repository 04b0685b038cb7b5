/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/ledger/run_queue: it watches, or says why it cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/run_queue.h"

static void test_lengths__are_counted_or_refused(void **state)
{
	struct run_queue *queue;
	struct err err = { 0 };
	uint64_t *lengths;
	uint32_t cpus;

	(void)state;
	if (run_queue_open_lengths(99, &queue, &err)) {
		assert_non_null(strstr(err.msg, "watching run queues"));
		assert_true(err.hint[0]);
		return;
	}
	assert_int_equal(run_queue_lengths(queue, &cpus, &lengths, &err), 0);
	assert_true(cpus > 0);
	free(lengths);
	run_queue_close(queue);
}

static void ignore(void *context, const struct run_queue_delay *delay)
{
	(void)delay;
	++*(unsigned *)context;
}

static void test_delays__are_told_or_refused(void **state)
{
	unsigned count = 0;
	struct run_queue_delays delays = { .min_ns = UINT64_MAX,
					   .delay = ignore,
					   .context = &count };
	struct run_queue *queue;
	struct err err = { 0 };

	(void)state;
	if (run_queue_open_delays(&delays, &queue, &err)) {
		assert_non_null(strstr(err.msg, "watching run queues"));
		return;
	}
	assert_int_equal(run_queue_drain(queue, &err), 0);
	assert_int_equal(count, 0); /* nobody waits for centuries */
	run_queue_close(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths__are_counted_or_refused),
		cmocka_unit_test(test_delays__are_told_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
