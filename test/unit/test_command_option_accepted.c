/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/option/accepted: such options parse in every form, change nothing, and say why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"

static const struct option_def *const tables[] = {
	accepted_reader_rows,	 accepted_sched_rows,	   accepted_record_rows,
	accepted_picture_rows,	 accepted_collapse_rows,   accepted_wait_rows,
	accepted_activity_rows,	 accepted_opensnoop_rows,  accepted_execsnoop_rows,
	accepted_exitsnoop_rows, accepted_tcpretrans_rows, accepted_lock_report_rows,
};

static void test_accepted__rows_say_why_they_have_no_effect(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct option_def *row = tables[i]; row->type != OPT_END; row++) {
			if (row->type == OPT_GROUP || row->type == OPT_INCLUDE)
				continue; /* --no-pager has an effect */
			assert_int_equal(OPT_CALL, row->type);
			assert_non_null(strstr(row->help, "no effect: "));
		}
}

static void test_accepted__values_are_taken_and_nothing_is_changed(void **state)
{
	const struct command command = { .name = "record",
					 .options = accepted_record_rows,
					 .options_size = 16 };
	char record[] = "record", buffering[] = "--no-buffering";
	char affinity[] = "--affinity", node[] = "node", aio[] = "--aio=4", file[] = "file";
	char *argv[] = { record, buffering, affinity, node, aio, file };
	struct option_words words = { 6, argv };
	uint64_t options[2] = { 1, 2 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(0, option_parse(&command, &words, options, &err));
	assert_int_equal(1, words.argc);
	assert_string_equal("file", words.argv[0]);
	assert_int_equal(1, options[0]);
	assert_int_equal(2, options[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted__rows_say_why_they_have_no_effect),
		cmocka_unit_test(test_accepted__values_are_taken_and_nothing_is_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
