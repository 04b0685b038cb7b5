/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/filter: perf's lists and time ranges, and that nonsense is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/profile.h"
#include "session/filter.h"

#define SECOND 1000000000ull

static bool passes(const char *time, uint64_t time_ns)
{
	struct filter_spec spec = { .time = time };
	struct filter_subject subject = { .comm = "x", .has_time = true, .time_ns = time_ns };
	struct filter *filter = NULL;
	struct err err = { 0 };
	bool ret;

	assert_int_equal(0, filter_parse(&spec, 100 * SECOND, 200 * SECOND, &filter, &err));
	ret = filter_match(filter, &subject);
	filter_free(filter);
	return ret;
}

static void test_filter__no_lists_let_everything_through(void **state)
{
	struct filter_spec spec = { .comms = "", .pids = NULL };
	struct filter_subject subject = { .comm = "x" };
	struct filter *filter = (struct filter *)1;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, filter_parse(&spec, 0, 0, &filter, &err));
	assert_null(filter);
	assert_true(filter_match(filter, &subject));
}

static void test_filter__lists_are_joined_by_and(void **state)
{
	struct filter_spec spec = { .comms = "bash,perl", .pids = "7,10-12", .cpus = "0-1" };
	struct filter_subject subject = { .comm = "perl", .pid = 11, .cpu = 1 };
	struct filter *filter = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, filter_parse(&spec, 0, 0, &filter, &err));
	assert_true(filter_match(filter, &subject));
	subject.pid = 8;
	assert_false(filter_match(filter, &subject));
	subject.pid = 7;
	subject.comm = "per";
	assert_false(filter_match(filter, &subject));
	filter_free(filter);
}

static void test_filter__times_are_seconds_or_percentages(void **state)
{
	(void)state;
	assert_true(passes("110,120", 115 * SECOND));
	assert_false(passes("110,120", 121 * SECOND));
	assert_true(passes("110.5,", 199 * SECOND));
	assert_false(passes(",110", 111 * SECOND));
	assert_true(passes("1,2 110,120", 111 * SECOND));
	assert_true(passes("10%/2", 115 * SECOND));
	assert_false(passes("10%/2", 109 * SECOND));
	assert_true(passes("0%-20%", 119 * SECOND));
	assert_true(passes("10%", 109 * SECOND));
	assert_false(passes("10%", 111 * SECOND));
	assert_true(passes("0%-1%,50%-60%", 155 * SECOND));
}

static void test_filter__nonsense_is_refused(void **state)
{
	static const char *const times[] = { "x",	"5",   "9,1",	"10%/11", "-1%",
					     "20%-10%", "5%-", "1,2,3", "10%/0",  "101%" };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct filter_spec spec = { .time = times[i] };
		struct filter *filter = NULL;
		struct err err = { 0 };

		assert_int_equal(-EINVAL, filter_parse(&spec, 1, 1000, &filter, &err));
		assert_non_null(err.msg);
	}
	for (size_t i = 0; i < 2; i++) {
		struct filter_spec spec = { .pids = i ? "1-" : "a", .time = NULL };
		struct filter *filter = NULL;
		struct err err = { 0 };

		assert_int_equal(-EINVAL, filter_parse(&spec, 0, 0, &filter, &err));
	}
}

static void test_filter__times_before_the_start_count_from_it(void **state)
{
	const struct filter_spec before = { .time = "101,102" }, outside = { .time = "300,301" };
	struct filter *filter = NULL;
	struct err err = { 0 };

	(void)state;
	assert_true(passes("10,20", 115 * SECOND));
	assert_false(passes("10,20", 121 * SECOND));
	assert_true(passes("0.5,", 199 * SECOND));
	assert_true(passes(",10", 109 * SECOND));
	assert_false(passes(",10", 111 * SECOND));
	assert_true(passes("0,10 20,30", 125 * SECOND));
	assert_int_equal(0, filter_parse(&before, 100 * SECOND, 200 * SECOND, &filter, &err));
	filter_free(filter);
	assert_int_equal(-ENODATA,
			 filter_parse(&outside, 100 * SECOND, 200 * SECOND, &filter, &err));
	assert_non_null(strstr(err.hint, "0 to 100.000000 seconds from the start"));
	assert_non_null(strstr(err.hint, "100.000000 to 200.000000"));
}

static void test_filter__percentages_need_known_times(void **state)
{
	struct filter_spec spec = { .time = "10%" };
	struct filter *filter = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(-ENODATA, filter_parse(&spec, 0, 0, &filter, &err));
}

static void test_filter__sums_are_of_what_passes(void **state)
{
	struct filter_spec spec = { .comms = "wanted" };
	struct profile *profile = profile_new(filter_keeps(&spec));
	struct profile_sample sample = { .stack = profile_stack_or_unknown(profile, STACK_EMPTY),
					 .event = profile_event(profile, "cycles", "count"),
					 .cpu = PROFILE_NO_CPU,
					 .weight = 10,
					 .count = 1 };
	const struct profile_event *event = &profile->events.item[sample.event];
	struct err err = { 0 };

	(void)state;
	sample.thread = profile_thread(profile, 1, 1, "wanted");
	profile_add(profile, &sample);
	sample.thread = profile_thread(profile, 2, 2, "other");
	profile_add(profile, &sample);
	profile_count(profile);
	assert_int_equal(filter_profile(&spec, profile, "x", &err), 0);
	profile_count(profile);
	assert_int_equal(event->samples, 1);
	assert_int_equal(event->weight, 10);
	assert_float_equal(event->squares, 100, 0.1);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter__no_lists_let_everything_through),
		cmocka_unit_test(test_filter__lists_are_joined_by_and),
		cmocka_unit_test(test_filter__times_are_seconds_or_percentages),
		cmocka_unit_test(test_filter__nonsense_is_refused),
		cmocka_unit_test(test_filter__times_before_the_start_count_from_it),
		cmocka_unit_test(test_filter__percentages_need_known_times),
		cmocka_unit_test(test_filter__sums_are_of_what_passes),
	};

	return cmocka_run_group_tests_name("session/filter", tests, NULL, NULL);
}
