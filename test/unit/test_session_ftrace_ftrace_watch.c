/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/ftrace/ftrace_watch: a program is traced, or a reason given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/ftrace/ftrace_watch.h"

static int take(void *context, char *lines, size_t len, struct err *err)
{
	(void)err;
	return buf_append(context, lines, len);
}

static void test_watch__of_a_program(void **state)
{
	char shell[] = "/bin/sh", option[] = "-c", script[] = "exit 3";
	char *argv[] = { shell, option, script, NULL };
	struct ftrace_event event = { .name = "sched:sched_process_exec" };
	struct buf text = { 0 };
	struct ftrace_watch_options options = { .setup = { .event = &event, .event_count = 1 },
						.text = take,
						.context = &text };
	struct ftrace_watch_result result;
	struct err err = { 0 };

	(void)state;
	if (ftrace_watch(&options, argv, &result, &err)) {
		assert_true(err.msg[0] && err.hint[0]);
	} else {
		assert_true(result.launched);
		assert_int_equal(result.exit_status, 3);
		assert_int_equal(result.lost, 0);
		assert_non_null(strstr(text.data, "sched_process_exec: filename=/bin/sh"));
		assert_int_equal(text.data[text.len - 1], '\n');
	}
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch__of_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
