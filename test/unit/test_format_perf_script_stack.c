/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines of call chains are the same line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/perf_script/perf_script_stack.h"

/* The number of distinct one-line stacks among the lines. */
static size_t count_stacks(unsigned keep, const char *const *lines)
{
	struct profile *profile = profile_new(keep);
	struct script_stacks *stacks = script_stacks_new(profile);
	uint64_t bad = 0;
	size_t count;

	for (size_t i = 0; lines[i]; i++) {
		struct slice line = { lines[i], strlen(lines[i]) };

		(void)script_stacks_get(stacks, &line, 1, NULL, &bad);
	}
	assert_int_equal(bad, 0);
	script_stacks_free(stacks);
	count = profile->nodes.count - 1;
	profile_free(profile);
	return count;
}

static void test_stacks__addresses_merge_only_when_asked(void **state)
{
	static const char *const lines[] = {
		"\tffffffff81000001 f+0x1 ([kernel.kallsyms])",
		"\tffffffff81000002 f+0x2 ([kernel.kallsyms])",
		"\tffffffff81000003 f ([kernel.kallsyms])",
		"\tffffffff81000004 [unknown] ([kernel.kallsyms])",
		"\tffffffff81000005 [unknown] ([kernel.kallsyms])",
		NULL,
	};

	(void)state;
	assert_int_equal(count_stacks(0, lines), 5);
	assert_int_equal(count_stacks(PROFILE_MERGE_FUNCTIONS, lines), 3);
	assert_int_equal(count_stacks(PROFILE_MERGE_NAMES, lines), 2);
}

/* Lines that look alike and mean different frames. */
static void test_stacks__what_differs_stays_apart(void **state)
{
	static const char *const lines[] = {
		"\t            1000 f+0x1 (/a)",
		"\t            1000 f+0x1 (/b)",
		"\t            1000 g+0x1 (/a)",
		"\tffffffff81000000 f+0x1 (/a)", /* the kernel's half */
		"\t            1000 f (/m+0x1 (deleted))",
		"\t            1000 f (/m+0x2 (deleted))",
		"\t            1000 f(+0x1 (/a)",
		"\t            1000 f+0x1 (inlined)",
		NULL,
	};

	(void)state;
	assert_int_equal(count_stacks(PROFILE_MERGE_NAMES, lines), 8);
}

static void test_stacks__columns_do_not_matter(void **state)
{
	static const char *const lines[] = {
		"\t            1000 f+0x1 (/a)",
		"\t1001 f+0x1 (/a)",
		"    1002 f+0x1 (/a)",
		"        00001002 f+0x1 (/a)",
		NULL,
	};

	(void)state;
	assert_int_equal(count_stacks(PROFILE_MERGE_NAMES, lines), 1);
}

static void test_stacks__bad_lines_are_counted_each_time(void **state)
{
	struct profile *profile = profile_new(PROFILE_MERGE_NAMES);
	struct script_stacks *stacks = script_stacks_new(profile);
	static const char text[] = "\t1 2 3 4 5 6 7\n";
	struct slice line[] = { { "\t1 f (/a)", 9 }, { "nonsense", 8 } };
	uint64_t bad = 0, key;
	stack_id stack;

	(void)state;
	assert_false(script_stacks_find(stacks, (struct slice){ text, 15 }, &key, &stack));
	(void)script_stacks_get(stacks, line, 2, &key, &bad);
	assert_false(script_stacks_find(stacks, (struct slice){ text, 15 }, &key, &stack));
	(void)script_stacks_get(stacks, line, 2, &key, &bad);
	assert_int_equal(bad, 2);
	(void)script_stacks_get(stacks, line, 1, &key, &bad);
	assert_true(script_stacks_find(stacks, (struct slice){ text, 15 }, &key, &stack));
	assert_int_equal(bad, 2);
	script_stacks_free(stacks);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks__addresses_merge_only_when_asked),
		cmocka_unit_test(test_stacks__what_differs_stays_apart),
		cmocka_unit_test(test_stacks__columns_do_not_matter),
		cmocka_unit_test(test_stacks__bad_lines_are_counted_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
