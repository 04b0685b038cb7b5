/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/top/top_options: what follows from the options of `cupel top`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/top/top_options.h"

static void test_top_options__defaults(void **state)
{
	struct top_options options = { 0 };
	struct err err = { 0 };

	(void)state;
	top_options_defaults(&options);
	assert_int_equal(top_options_check(&options, NULL, &err), 0);
	top_options_settle(&options);
	assert_true(options.record.source.system_wide);
	assert_int_equal(options.record.source.frequency.hz, 999);
	assert_true(options.live.stacks);
	assert_int_equal(options.report.graph, REPORT_GRAPH_NONE);
	assert_int_equal(options.moments, 5);
}

static void test_top_options__follow(void **state)
{
	struct top_options options = { 0 };

	(void)state;
	top_options_defaults(&options);
	options.zero = true;
	options.report.children = true;
	options.record.source.pids = "1";
	options.record.source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
	top_options_settle(&options);
	assert_false(options.record.source.system_wide);
	assert_false(options.live.stacks);
	assert_true(options.report.caller);
	assert_int_equal(options.moments, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top_options__defaults),
		cmocka_unit_test(test_top_options__follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
