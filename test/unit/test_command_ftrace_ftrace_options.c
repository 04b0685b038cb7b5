/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/ftrace/ftrace_options: lines of text are parsed; targets that are not combined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/command.h"
#include "command/ftrace/ftrace_options.h"
#include "format/ftrace/ftrace_line.h"

static void count(void *context, const struct ftrace_line *line)
{
	unsigned *counts = context;

	counts[line->kind]++;
}

static void test_lines__are_all_taken(void **state)
{
	static const char text[] = "# x\n a-1 [000] 1.5: ev: x\n a-1 [000] 1.5: f <-g\n => h";
	unsigned counts[FTRACE_LINE_LOST + 1] = { 0 };

	(void)state;
	ftrace_command_lines(text, sizeof(text) - 1, count, counts);
	assert_int_equal(counts[FTRACE_LINE_OTHER], 1);
	assert_int_equal(counts[FTRACE_LINE_EVENT], 1);
	assert_int_equal(counts[FTRACE_LINE_FUNCTION], 1);
	assert_int_equal(counts[FTRACE_LINE_FRAME], 1);
}

static void test_setup__has_one_target(void **state)
{
	struct ftrace_command command = { .system_wide = true, .delay_ms = 3 };
	char name[] = "true";
	char *argv[] = { name, NULL };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ftrace_command_setup(&command, argv, &err), EXIT_STATUS_USAGE);
	command.system_wide = false;
	assert_int_equal(ftrace_command_setup(&command, argv, &err), 0);
	assert_int_equal(command.watch.delay_ns, 3000000);
	command.watch.setup.pids = "1";
	assert_int_equal(ftrace_command_setup(&command, argv, &err), EXIT_STATUS_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines__are_all_taken),
		cmocka_unit_test(test_setup__has_one_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
