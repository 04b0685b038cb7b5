/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/top/top_recording: refuses before there is something; the rest needs a terminal
 * (test/live/top_terminal.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/top/top_recording.h"
#include "session/live.h"

static void test_top_recording__needs_samples(void **state)
{
	const struct live_options options = { .symbol = { .symfs = "" }, .moments = 2 };
	struct top_recording *recording = NULL;
	struct err err = { 0 };
	struct live *live;

	(void)state;
	assert_int_equal(live_start(&options, &live, &err), 0);
	assert_int_not_equal(top_recording_take(live, &options.symbol, &recording, &err), 0);
	assert_non_null(strstr(err.msg, "no samples yet"));
	assert_null(recording);
	top_recording_free(recording);
	live_free(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_recording__needs_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
