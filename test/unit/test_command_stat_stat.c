/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of stat mean together, and where output goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/stat/stat_compare_run.h"
#include "command/stat/stat_options.h"
#include "command/stat/stat_output.h"
#include "session/stat/stat_metrics.h"

static int check(struct stat_command_options *options, bool program)
{
	struct err err = { 0 };

	return stat_options_check(options, program, &err);
}

static void test_stat_options__threads_of_everybody_are_followed_singly(void **state)
{
	struct stat_command_options o = { .stat = { .by = COUNTS_BY_THREAD, .repeat = 1 } };

	(void)state;
	o.stat.source.system_wide = true;
	assert_int_equal(check(&o, true), 0);
	assert_true(o.stat.source.all_threads);
	assert_false(o.stat.source.system_wide);
}

static void test_stat_options__refuses_what_makes_no_sense(void **state)
{
	struct stat_command_options by_cpu = { .stat = { .by = COUNTS_BY_CPU, .repeat = 1 } };
	struct stat_command_options nothing = { .stat.repeat = 1 };
	struct stat_command_options both = { .stat.repeat = 1, .json = true, .separator = "," };

	(void)state;
	assert_int_equal(check(&by_cpu, true), EXIT_STATUS_USAGE);
	assert_int_equal(check(&nothing, false), EXIT_STATUS_USAGE);
	assert_int_equal(check(&nothing, true), 0);
	assert_int_equal(check(&both, true), EXIT_STATUS_USAGE);
}

static void test_stat_output__writes_at_once(void **state)
{
	struct stat_command_options o = { .stat.repeat = 1 };
	struct stat_output output;
	struct buf text = { 0 };
	struct err err = { 0 };
	char got[8] = "";
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	o.log_fd = (uint64_t)pipes[1];
	assert_int_equal(stat_output_open(&output, &o, &err), 0);
	(void)buf_puts(&text, "a\x1b[b\n");
	assert_int_equal(stat_output_write(&output, &text, &err), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(read(pipes[0], got, sizeof(got) - 1), 5);
	assert_string_equal(got, "a?[b\n");
	stat_output_close(&output);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	buf_done(&text);
}

static void test_stat_compare__wants_two_programs(void **state)
{
	struct stat_command_options o = { .compare = "true", .margin_percent = 5 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(stat_options_check(&o, true, &err), 0);
	assert_int_equal(o.stat.repeat, 20);
	assert_int_equal(stat_compare_run(&o, NULL, &err), EXIT_STATUS_USAGE);
	assert_int_equal(stat_compare_run(&o, " ", &err), EXIT_STATUS_USAGE);
	o.stat.interval_ms = 10;
	assert_int_equal(stat_options_check(&o, true, &err), EXIT_STATUS_USAGE);
}

static void test_stat_metrics__names_stand_for_events(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_string_equal(stat_metric_find("ipc", &err)->events, "{cycles,instructions}");
	assert_null(stat_metric_find("insn_per_cycl", &err));
	assert_string_equal(err.msg, "unknown metric 'insn_per_cycl'");
	assert_string_equal(err.hint, "did you mean 'insn_per_cycle'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_options__threads_of_everybody_are_followed_singly),
		cmocka_unit_test(test_stat_options__refuses_what_makes_no_sense),
		cmocka_unit_test(test_stat_output__writes_at_once),
		cmocka_unit_test(test_stat_compare__wants_two_programs),
		cmocka_unit_test(test_stat_metrics__names_stand_for_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
