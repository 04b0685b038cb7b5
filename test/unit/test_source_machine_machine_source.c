/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/machine/machine_source: a sample each time, one at the end unless too little time passed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "event/machine.h"
#include "source/machine/machine_source.h"

struct counted {
	struct sink sink; /* first */
	unsigned samples;
	uint64_t cpus, interval_ns;
};

static int count(struct sink *sink, const struct event *event, struct err *err)
{
	struct counted *counted = (struct counted *)sink;

	(void)err;
	assert_int_equal(EVENT_MACHINE, event->type);
	assert_true(event->time_ns == event->machine->time_ns);
	counted->samples++;
	counted->cpus = event->machine->cpu.count;
	counted->interval_ns = event->machine->interval_ns;
	return 0;
}

static struct source *open_source(void)
{
	const struct source_options options = { 0 };
	struct source *source;
	struct err err;

	assert_int_equal(0, source_find("machine")->open(&source, &options, &err));
	assert_true(source->fd < 0 && source->sweep_ns == 1000000000);
	assert_int_equal(0, source->ops->start(source, &err));
	return source;
}

static void test_machine_source__samples(void **state)
{
	struct counted counted = { .sink.event = count };
	struct source *source = open_source();
	struct err err;

	(void)state;
	assert_int_equal(0, source_ready(source, &counted.sink, &err));
	assert_int_equal(1, counted.samples);
	assert_true(counted.cpus > 0);
	(void)usleep(30000);
	assert_int_equal(0, source->ops->stop(source, &counted.sink, &err));
	assert_int_equal(2, counted.samples);
	assert_true(counted.interval_ns >= 30000000);
	source_close(source);
}

/* CPU time is counted in ticks: an interval of few of them says nothing. */
static void test_machine_source__a_short_rest_is_dropped(void **state)
{
	struct counted counted = { .sink.event = count };
	struct source *source = open_source();
	struct err err;

	(void)state;
	assert_int_equal(0, source_ready(source, &counted.sink, &err));
	if (counted.interval_ns < 1000000) { /* else this machine is too slow for the check */
		assert_int_equal(0, source->ops->stop(source, &counted.sink, &err));
		assert_int_equal(1, counted.samples);
	}
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine_source__samples),
		cmocka_unit_test(test_machine_source__a_short_rest_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
