/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/tool/stack_tool: invalid words and options fail before a tool is asked, a tool's own
 * refusal ends it, and nothing is recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/command.h"
#include "command/tool/stack_tool.h"
#include "session/record/recording_options.h"

struct picky_options {
	struct stack_tool_options stacks; /* first */
	int *asked;
	uint64_t *duration_ns;
};

static int set_up(const struct stack_tool *tool, const void *options,
		  struct recording_options *record, struct err *err)
{
	const struct picky_options *o = options;

	(void)tool;
	++*o->asked;
	*o->duration_ns = record->duration_ns;
	return command_usage(err, "no");
}

static int run(const struct stack_tool_options *stacks, const char **words, uint64_t *duration_ns)
{
	static const struct stack_tool picky = { .set_up = set_up };
	struct option_words line = { 0, (char **)(uintptr_t)words }; /* not written */
	int asked = 0;
	const struct picky_options options = { *stacks, &asked, duration_ns };
	struct err err = { 0 };

	while (words[line.argc])
		line.argc++;
	assert_int_equal(stack_tool_main(&picky, &options, line, &err), EXIT_STATUS_USAGE);
	assert_true(err.msg[0]);
	return asked;
}

static void test_stack_tool__words(void **state)
{
	const struct stack_tool_options none = { 0 };
	uint64_t duration_ns = 0;

	(void)state;
	assert_int_equal(run(&none, (const char *[]){ "1", "2", NULL }, &duration_ns), 0);
	assert_int_equal(run(&none, (const char *[]){ "soon", NULL }, &duration_ns), 0);
	assert_int_equal(run(&none, (const char *[]){ "0", NULL }, &duration_ns), 0);
	assert_int_equal(run(&none, (const char *[]){ "--", NULL }, &duration_ns), 0);
	assert_int_equal(run(&none, (const char *[]){ "--", "true", NULL }, &duration_ns), 1);
	assert_int_equal(duration_ns, 0);
	assert_int_equal(run(&none, (const char *[]){ "500ms", NULL }, &duration_ns), 1);
	assert_int_equal(duration_ns, 500000000);
}

static void test_stack_tool__options(void **state)
{
	const struct stack_tool_options halves = { .user_stacks = true, .kernel_stacks = true };
	const struct stack_tool_options forms = { .folded = true, .json = true };
	const struct stack_tool_options threads = { .threads = { .pids = "1", .tids = "1" } };
	const char *words[] = { NULL };
	uint64_t duration_ns;

	(void)state;
	assert_int_equal(run(&halves, words, &duration_ns), 0);
	assert_int_equal(run(&forms, words, &duration_ns), 0);
	assert_int_equal(run(&threads, words, &duration_ns), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_tool__words),
		cmocka_unit_test(test_stack_tool__options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
