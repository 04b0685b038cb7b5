/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/trace/trace_callers: a program's calls have their stacks, or a reason is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/trace/trace_callers.h"
#include "source/syscall/syscall_choice.h"

static void test_callers__of_a_program(void **state)
{
	char shell[] = "/bin/sh", option[] = "-c", script[] = "exit 3";
	char *argv[] = { shell, option, script, NULL };
	const struct source_options targets = { 0 };
	struct syscall_choice calls = { 0 };
	const struct trace_callers_options options = { .targets = &targets, .calls = &calls };
	struct trace_callers_result result;
	struct err err = { 0 };
	uint64_t exits = 0;

	(void)state;
	syscall_choice_all(&calls);
	if (trace_callers(&options, argv, &result, &err)) {
		assert_true(err.msg[0]);
	} else {
		assert_true(result.recording.launched);
		assert_int_equal(result.recording.exit_status, 3);
		for (size_t i = 0; i < result.callers.row.count; i++)
			if (strcmp(result.callers.row.item[i].name, "exit_group") == 0)
				exits += result.callers.row.item[i].calls;
		assert_int_equal(exits, 1);
		assert_int_equal(result.lost, 0);
	}
	trace_callers_result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers__of_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
