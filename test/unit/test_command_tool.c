/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/tool/tool: intervals and counts of the tools, and the threads they watch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/tool/tool.h"

static int parse(const char *first, const char *second, uint64_t map_ns, struct tool_interval *ret)
{
	const char *word[] = { first, second };
	struct option_words words = { !!first + !!second, (char **)(uintptr_t)word };
	struct err err = { 0 };

	return tool_interval_parse(words, map_ns, ret, &err);
}

static void test_tool__intervals(void **state)
{
	struct tool_interval interval;

	(void)state;
	assert_int_equal(parse(NULL, NULL, 0, &interval), 0);
	assert_int_equal(interval.ns, 0);
	assert_false(interval.prints);
	assert_false(tool_interval_ends(&interval));
	assert_int_equal(parse("2", "2", 5, &interval), 0);
	assert_int_equal(interval.ns, 2000000000);
	assert_true(interval.prints);
	assert_false(tool_interval_ends(&interval));
	assert_true(tool_interval_ends(&interval));
	/* a heat map needs looks that print nothing */
	assert_int_equal(parse(NULL, NULL, 5, &interval), 0);
	assert_int_equal(interval.ns, 5);
	assert_false(interval.prints);
	assert_int_equal(parse("soon", NULL, 0, &interval), EXIT_STATUS_USAGE);
}

static void test_tool__threads(void **state)
{
	const struct tool_threads none = { 0 }, some = { .pids = "1,2" };
	const struct tool_threads both = { .pids = "1", .tids = "1" }, bad = { .tids = "x" };
	struct err err = { 0 };
	uint64_t cgroup = 7;

	(void)state;
	assert_int_equal(tool_threads_check(&none, &err), 0);
	assert_int_equal(tool_threads_check(&some, &err), 0);
	assert_int_equal(tool_threads_check(&both, &err), EXIT_STATUS_USAGE);
	assert_int_equal(tool_threads_check(&bad, &err), EXIT_STATUS_USAGE);
	assert_int_equal(tool_cgroup(NULL, &cgroup, &err), 0);
	assert_int_equal(cgroup, 0);
	assert_int_not_equal(tool_cgroup("/nowhere", &cgroup, &err), 0);
}

static void test_tool__heads(void **state)
{
	struct buf out = { 0 };

	(void)state;
	tool_put_head(false, &out);
	assert_string_equal(out.data, "\n");
	tool_put_head(true, &out);
	assert_int_equal(out.len, 2 + 8 + 1); /* 12:34:56 */
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tool__intervals),
		cmocka_unit_test(test_tool__threads),
		cmocka_unit_test(test_tool__heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
