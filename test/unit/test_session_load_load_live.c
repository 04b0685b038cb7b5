/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/load/load_live: loads what goes through the queue like a file; the
 * result need not be taken. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/byte_queue.h"
#include "base/err.h"
#include "event/desc.h"
#include "format/perf_data/perf_data_write.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"

#define SAMPLES 3

static const struct load_options options = { .symbol.symfs = "", .detail = RESOLVE_FUNCTIONS };

static void write_samples(struct perf_data_writer *writer)
{
	struct sample {
		struct perf_event_header header;
		uint64_t identifier, ip;
		uint32_t pid, tid;
		uint64_t time, period;
	} sample = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		     .identifier = 17,
		     .ip = 0x401000,
		     .pid = 42,
		     .tid = 43,
		     .period = 5 };
	struct err err = { 0 };

	for (sample.time = 1; sample.time <= SAMPLES; sample.time++)
		assert_int_equal(perf_data_writer_records(writer, &sample, sizeof(sample), &err),
				 0);
}

static void record_into(struct byte_queue *queue)
{
	static const char *const words[] = { "cupel", "record", "worker" };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	struct perf_data_facts facts = { .pipe = true, .cmdline = words, .cmdline_count = 3 };
	struct perf_data_summary summary = { .lost_samples = 9 };
	struct perf_data_writer *writer = NULL;
	struct event_set set = { 0 };
	struct err err = { 0 };

	facts.queue = queue;
	event_set_add_id(&set, event_set_add(&set, &attr, "cpu-clock"), 17);
	assert_int_equal(perf_data_writer_open(&set, &facts, &writer, &err), 0);
	write_samples(writer);
	assert_int_equal(perf_data_writer_finish(writer, &summary, &err), 0);
	perf_data_writer_free(writer);
	event_set_done(&set);
}

static void test_what_is_recorded_is_loaded(void **state)
{
	struct profile *profile;
	struct load_live *live;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(load_live_start(&options, &live, &err), 0);
	record_into(load_live_queue(live));
	assert_int_equal(load_live_finish(live, &profile, &err), 0);
	assert_int_equal(profile->events.item[0].samples, SAMPLES);
	assert_int_equal(profile->events.item[0].weight, SAMPLES * 5);
	assert_int_equal(profile->events.item[0].frames, SAMPLES);
	assert_int_equal(profile->meta.words.count, 3);
	assert_int_equal(profile->threads.item[profile->samples.item[0].thread.v].tid, 43);
	profile_free(profile);
}

/* The requested part of a recording is known at its end. */
static void test_time_range(void **state)
{
	struct load_options range = options;
	struct profile *profile;
	struct load_live *live;
	struct err err = { 0 };

	(void)state;
	range.time = "50%-100%";
	assert_int_equal(load_live_start(&range, &live, &err), 0);
	record_into(load_live_queue(live));
	assert_int_equal(load_live_finish(live, &profile, &err), 0);
	assert_int_equal(profile->events.item[0].samples, SAMPLES - 1);
	assert_int_equal(profile->samples.count, 1); /* equal ones are one, as without a range */
	assert_int_equal(profile->meta.first_ns, 2);
	assert_int_equal(profile->meta.last_ns, SAMPLES);
	profile_free(profile);

	range.time = "1,2";
	assert_int_equal(load_live_start(&range, &live, &err), 0);
	record_into(load_live_queue(live));
	assert_int_equal(load_live_finish(live, &profile, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "outside the recording"));
}

static void test_nothing_recorded_is_an_error_that_says_so(void **state)
{
	struct profile *profile;
	struct load_live *live;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(load_live_start(&options, &live, &err), 0);
	assert_int_not_equal(load_live_finish(live, &profile, &err), 0);
	assert_int_not_equal(err.msg[0], 0);
}

static void test_result_may_be_unwanted(void **state)
{
	struct load_live *live;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(load_live_start(&options, &live, &err), 0);
	record_into(load_live_queue(live));
	assert_int_equal(load_live_finish(live, NULL, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_recorded_is_loaded),
		cmocka_unit_test(test_time_range),
		cmocka_unit_test(test_nothing_recorded_is_an_error_that_says_so),
		cmocka_unit_test(test_result_may_be_unwanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
