/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/watch: a source is opened, looked at every interval, and closed, and the caller learns of
 * its beginning. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "session/watch.h"

struct looks {
	struct sink sink; /* first */
	struct watch watch;
	int opened, refuses, samples, last;
};

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	struct looks *looks = (struct looks *)sink;

	(void)err;
	assert_int_equal(EVENT_MACHINE, event->type);
	looks->samples++;
	looks->last += !watch_goes_on(&looks->watch);
	return 0;
}

static int on_open(void *context, struct err *err)
{
	struct looks *looks = context;

	looks->opened++;
	return looks->refuses ? err_set(err, -EPERM, "no") : 0;
}

static int watch(struct looks *looks)
{
	struct err err = { 0 };

	looks->sink.event = count;
	looks->watch = (struct watch){ .source = "machine",
				       .sink = &looks->sink,
				       .duration_ns = 30000000,
				       .opened = on_open,
				       .context = looks };
	return watch_source(&looks->watch, &err);
}

static void test_watch__lasts_as_long_as_it_should(void **state)
{
	struct looks looks = { 0 };

	(void)state;
	assert_int_equal(0, watch(&looks));
	assert_int_equal(RUN_DURATION, looks.watch.run.end);
	assert_int_equal(1, looks.opened);
	assert_int_equal(1, looks.last); /* what it says at its end */
	assert_int_equal(0, looks.watch.lost);
}

static void test_watch__ends_when_the_caller_says_no(void **state)
{
	struct looks looks = { .refuses = true };

	(void)state;
	assert_int_equal(-EPERM, watch(&looks));
	assert_int_equal(0, looks.samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch__lasts_as_long_as_it_should),
		cmocka_unit_test(test_watch__ends_when_the_caller_says_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
