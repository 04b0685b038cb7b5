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
#include "session/trace/trace_between.h"
#include "session/trace/trace_collect.h"
#include "session/trace/trace_samples.h"
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

struct seen {
	size_t lines, faults, flushes;
};

static int see_line(void *context, const struct syscall_line *line, struct err *err)
{
	(void)line;
	(void)err;
	((struct seen *)context)->lines++;
	return 0;
}

static int see_event(void *context, const struct trace_event *event, struct err *err)
{
	(void)err;
	((struct seen *)context)->faults += strcmp(event->name, "minfault") == 0;
	return 0;
}

static int see_flush(void *context, struct err *err)
{
	(void)err;
	((struct seen *)context)->flushes++;
	return 0;
}

static void test_between__calls_are_faults(void **state)
{
	char program[] = "/bin/true";
	char *argv[] = { program, NULL };
	struct seen seen = { 0 };
	struct trace_watch_options options = {
		.line = see_line, .event = see_event, .flush = see_flush, .context = &seen
	};
	const struct record_selector selector = { .text = "minor-faults" };
	struct trace_watch_result result = { 0 };
	struct err err = { 0 };

	(void)state;
	syscall_choice_all(&options.calls);
	options.calls.lines = true;
	vec_push(&options.source.selector, selector);
	if (trace_between(&options, argv, &result, &err)) {
		assert_true(err.msg[0]);
	} else {
		assert_int_equal(result.exit_status, 0);
		assert_true(seen.lines > 3 && seen.faults > 3 && seen.flushes > 0);
	}
	trace_watch_result_done(&result);
	vec_done(&options.source.selector);
}

static void test_collect__ends_with_enough(void **state)
{
	const bool enough = true;
	const struct trace_watch_options options = { .enough = &enough };
	struct syscall_sums sums = { 0 };
	struct run run = { .end = RUN_GOES_ON };
	struct trace_collect collect;

	(void)state;
	trace_collect_init(&collect, &options, &sums);
	collect.run = &run;
	trace_collect_look(&collect);
	assert_int_equal(run.end, RUN_ENOUGH);
	trace_collect_close(&collect, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch__of_a_program),
		cmocka_unit_test(test_between__calls_are_faults),
		cmocka_unit_test(test_collect__ends_with_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
