/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/ftrace/ftrace_instance: what is written back; refusals. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "source/ftrace/ftrace_event.h"
#include "source/ftrace/ftrace_instance.h"
#include "source/ftrace/ftrace_setup.h"

static void check_old(const char *text, const char *want)
{
	struct buf got = { 0 };

	ftrace_old_content(text, &got);
	assert_string_equal(got.data ? got.data : "", want);
	buf_done(&got);
}

static void test_old_content__is_what_can_be_written(void **state)
{
	(void)state;
	check_old("function\n", "function\n");
	check_old("7 (expanded: 1408)\n", "1408\n");
	check_old("#### all functions enabled ####\n", "");
	check_old("vfs_read\next4_read [ext4]\n", "vfs_read\next4_read\n");
	check_old("no pid\n", "");
	check_old("12\n13\n", "12\n13\n");
	check_old("none\n", "0\n");
	check_old("prev_pid > 1\n", "prev_pid > 1\n");
	check_old("", "");
}

/* NULL where no instance can be made. */
static struct ftrace_instance *open_instance(void)
{
	struct ftrace_instance *instance = NULL;
	struct err err = { 0 };

	if (ftrace_instance_open(NULL, &instance, &err) && (geteuid() == 0 || !err.hint[0]))
		assert_true(err.code == -ENOENT || err.code == -EACCES || err.code == -EROFS);
	return instance;
}

static void test_instance__refuses_unknown_tracers(void **state)
{
	struct ftrace_instance *instance = open_instance();
	struct err err = { 0 };

	(void)state;
	if (!instance)
		skip();
	ftrace_instance_close(instance);
	assert_int_equal(ftrace_instance_open("no_such_tracer", &instance, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "no_such_tracer: this kernel does not have this tracer"));
	assert_non_null(strstr(err.hint, "nop"));
}

static void test_event__refusals_give_the_reason(void **state)
{
	struct ftrace_instance *instance = open_instance();
	struct ftrace_event event = { .name = "sched:sched_swich" };
	struct err err = { 0 };

	(void)state;
	if (!instance)
		skip();
	assert_true(ftrace_enable_events(instance, &event, 1, &err) < 0);
	assert_non_null(strstr(err.hint, "sched:sched_switch"));
	event = (struct ftrace_event){ .name = "sched:sched_switch", .filter = "nothing > 1" };
	assert_true(ftrace_enable_events(instance, &event, 1, &err) < 0);
	assert_non_null(strstr(err.msg, "Field not found"));
	ftrace_instance_close(instance);
}

static void test_setup__parses_options_of_tracers(void **state)
{
	struct ftrace_setup setup = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(ftrace_parse_graph_options(&setup, "noirqs,thresh=20,depth=3", &err), 0);
	assert_int_equal(setup.options, FTRACE_NO_IRQS);
	assert_int_equal(setup.min_us, 20);
	assert_int_equal(setup.depth, 3);
	assert_int_equal(ftrace_parse_graph_options(&setup, "call-graph", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "expected nosleep-time, noirqs"));
	assert_int_equal(ftrace_parse_graph_options(&setup, "depth=x", &err), -EINVAL);
	assert_int_equal(ftrace_parse_function_options(&setup, "call-graph,irq-info", &err), 0);
	assert_int_equal(setup.options, FTRACE_NO_IRQS | FTRACE_CALL_GRAPH | FTRACE_IRQ_INFO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_content__is_what_can_be_written),
		cmocka_unit_test(test_instance__refuses_unknown_tracers),
		cmocka_unit_test(test_event__refusals_give_the_reason),
		cmocka_unit_test(test_setup__parses_options_of_tracers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
