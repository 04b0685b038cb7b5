/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_watch: a program is traced, or a reason given. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/trace/trace_watch.h"

static void test_watch__of_a_program(void **state)
{
	char shell[] = "/bin/sh", option[] = "-c", script[] = "exit 3";
	char *argv[] = { shell, option, script, NULL };
	struct trace_watch_options options = { 0 };
	struct trace_watch_result result;
	struct err err = { 0 };

	(void)state;
	syscall_choice_all(&options.calls);
	if (trace_watch(&options, argv, &result, &err)) {
		assert_true(err.msg[0] && err.hint[0]);
	} else {
		assert_true(result.launched);
		assert_int_equal(result.exit_status, 3);
		assert_int_equal(result.sums.thread.count, 1);
		assert_true(result.sums.row.count > 3);
		assert_true(result.sums.call_name.count > 3);
	}
	trace_watch_result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch__of_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
