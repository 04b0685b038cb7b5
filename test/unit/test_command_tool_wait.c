/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/tool/wait_tools: BCC's options as passed to the kernel part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "command/command.h"
#include "command/tool/wait_tools.h"
#include "event/ledger_account.h"
#include "source/options.h"

extern const struct command cmd_offcputime;

static struct recording_off_cpu chosen(const struct stack_tool *tool, const char **words)
{
	struct wait_tool_options options = { 0 };
	struct option_words line = { 0, (char **)(uintptr_t)words }; /* reordered, not written */
	struct recording_off_cpu ret = { 0 };
	struct err err = { 0 };

	while (words[line.argc])
		line.argc++;
	cmd_offcputime.defaults(&options);
	assert_int_equal(option_parse(&cmd_offcputime, &line, &options, &err), 0);
	assert_int_equal(wait_tool_choose(tool, &options, &ret, &err), 0);
	return ret;
}

static void test_choose__by_default_is_all_that_is_off_the_cpu(void **state)
{
	const char *words[] = { "offcputime", NULL };
	struct recording_off_cpu all = chosen(&offcputime, words);

	(void)state;
	assert_true(all.accounts & 1u << LEDGER_PREEMPTED);
	assert_true(all.accounts & 1u << LEDGER_POLL);
	assert_true(all.accounts & 1u << LEDGER_DISK);
	assert_false(all.accounts & 1u << LEDGER_WOKEN); /* part of the wait before it */
	assert_true(all.until_running);
	assert_int_equal(all.min_ns, 1000);
	assert_int_equal(all.max_ns, 0);
	assert_int_equal(all.task_states, 0);
}

static void test_choose__a_preemption_has_no_waker(void **state)
{
	const char *words[] = { "offcputime", NULL };

	(void)state;
	assert_false(chosen(&wakeuptime, words).accounts & 1u << LEDGER_PREEMPTED);
	assert_false(chosen(&wakeuptime, words).until_running);
	assert_false(chosen(&offwaketime, words).accounts & 1u << LEDGER_PREEMPTED);
	assert_true(chosen(&offwaketime, words).until_running);
}

static void test_choose__limits_are_whole_microseconds(void **state)
{
	const char *words[] = { "offcputime", "-m", "10", "-M", "20", "-u", NULL };
	struct recording_off_cpu some = chosen(&offcputime, words);

	(void)state;
	assert_int_equal(some.min_ns, 10000);
	assert_int_equal(some.max_ns, 20999);
	assert_true(some.no_kernel_threads);
	assert_false(some.no_user_threads);
}

static void test_choose__states(void **state)
{
	const char *running[] = { "offcputime", "--state", "0", NULL };
	const char *disk[] = { "offcputime", "--state", "2", NULL };

	(void)state;
	assert_int_equal(chosen(&offcputime, running).accounts, 1u << LEDGER_PREEMPTED);
	assert_int_equal(chosen(&offcputime, running).task_states, 0);
	assert_int_equal(chosen(&offcputime, disk).task_states, 2);
	assert_false(chosen(&offcputime, disk).accounts & 1u << LEDGER_PREEMPTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choose__by_default_is_all_that_is_off_the_cpu),
		cmocka_unit_test(test_choose__a_preemption_has_no_waker),
		cmocka_unit_test(test_choose__limits_are_whole_microseconds),
		cmocka_unit_test(test_choose__states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
