/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/time_text: moments as users write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "store/time_text.h"

#define NOW_S ((uint64_t)1764000000) /* 2025-11-24 16:00:00 UTC */

static uint64_t seconds_of(const char *text)
{
	struct err err = { 0 };
	uint64_t time;

	if (time_text_parse(text, NOW_S * 1000000000, &time, &err))
		fail_msg("%s", err.msg);
	return time / 1000000000;
}

static void test_time_text__moments(void **state)
{
	(void)state;
	(void)setenv("TZ", "CET-1", 1);
	tzset();
	assert_int_equal(seconds_of("now"), NOW_S);
	assert_int_equal(seconds_of("-90s"), NOW_S - 90);
	assert_int_equal(seconds_of("-1h30m"), NOW_S - 5400);
	assert_int_equal(seconds_of("-2w"), NOW_S - 14 * 86400);
	assert_int_equal(seconds_of("@1764000001"), NOW_S + 1);
	assert_int_equal(seconds_of("2025-11-24T16:00:00Z"), NOW_S);
	assert_int_equal(seconds_of("2025-11-24 17:00"), NOW_S);
	assert_int_equal(seconds_of("2025-11-24"), NOW_S - 17 * 3600);
	assert_int_equal(seconds_of("today"), NOW_S - 17 * 3600);
	assert_int_equal(seconds_of("yesterday"), NOW_S - 41 * 3600);
	assert_int_equal(seconds_of("17:00:05"), NOW_S + 5);
	assert_int_equal(seconds_of("16:00Z"), NOW_S + 3600 - 3600);
}

static void test_time_text__others_are_refused(void **state)
{
	static const char *const wrong[] = { "",
					     "-",
					     "-1",
					     "-1x",
					     "@",
					     "@1x",
					     "tomorrow",
					     "2025-13-01",
					     "2025-11-24 25:00",
					     "1969-01-01",
					     "-99999999999w",
					     "2025-11-24 17:00 x",
					     "17",
					     "17:0x" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = { 0 };
		uint64_t time;

		if (!time_text_parse(wrong[i], NOW_S * 1000000000, &time, &err))
			fail_msg("%s is no time", wrong[i]);
		assert_true(err.usage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_text__moments),
		cmocka_unit_test(test_time_text__others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
