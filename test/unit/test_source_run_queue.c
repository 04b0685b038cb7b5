/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/run_queue: it watches, or says why it cannot. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "source/run_queue.h"

struct counted {
	struct sink sink; /* first */
	unsigned events;
	uint32_t cpus;
};

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	struct counted *counted = (struct counted *)sink;

	(void)err;
	counted->events++;
	if (event->type == EVENT_OWN)
		counted->cpus = (uint32_t)(event->own.len / RUN_QUEUE_LENGTHS / sizeof(uint64_t));
	return 0;
}

static void test_lengths__are_counted_or_refused(void **state)
{
	const struct source_options options = { .frequency.hz = 99 };
	struct counted counted = { .sink.event = count };
	struct source *source;
	struct err err = { 0 };

	(void)state;
	if (source_find("run_lengths")->open(&source, &options, &err)) {
		assert_non_null(strstr(err.msg, "run queues: "));
		assert_true(err.hint[0]);
		return;
	}
	assert_int_equal(source->ops->start(source, &err), 0);
	assert_int_equal(source_ready(source, &counted.sink, &err), 0);
	assert_int_equal(counted.events, 0); /* no events without a request */
	assert_int_equal(source_snapshot(source, &counted.sink, &err), 0);
	assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
	assert_int_equal(counted.events, 2);
	assert_true(counted.cpus > 0);
	source_close(source);
}

static void test_delays__are_delivered_or_refused(void **state)
{
	const struct source_options options = { .min_ns = UINT64_MAX };
	struct counted counted = { .sink.event = count };
	struct source *source;
	struct err err = { 0 };

	(void)state;
	if (source_find("run_delay")->open(&source, &options, &err)) {
		assert_non_null(strstr(err.msg, "run queues: "));
		return;
	}
	assert_int_equal(source->ops->start(source, &err), 0);
	assert_int_equal(source_ready(source, &counted.sink, &err), 0);
	assert_int_equal(source->ops->stop(source, &counted.sink, &err), 0);
	assert_int_equal(counted.events, 0); /* no thread waits for centuries */
	assert_int_equal(source->loss_count, 1);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths__are_counted_or_refused),
		cmocka_unit_test(test_delays__are_delivered_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
