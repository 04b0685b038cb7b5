/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers that are recognised have the same contents when they are parsed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/perf_script/perf_script_head.h"

/* Takes the line apart and has it learned, under the ids 7 and 9. */
static bool learn(struct script_heads *heads, const char *text)
{
	const char *end = text + strlen(text);
	struct script_header header;

	if (!script_header_parse((struct slice){ text, (size_t)(end - text) - 1 }, false, &header))
		return false;
	script_head_learn(heads, text, end, &header,
			  &(struct script_head){ .thread = { 7 },
						 .event = 9,
						 .cpu = header.cpu,
						 .time_ns = header.time_ns,
						 .period = header.period });
	return true;
}

static bool find(struct script_heads *heads, const char *text, struct script_head *ret)
{
	const char *end = text + strlen(text), *next = script_head_find(heads, text, end, ret);

	assert_true(!next || next == strchr(text, '\n') + 1);
	return next;
}

static void test_head__another_time_and_period(void **state)
{
	struct script_heads heads = { 0 };
	struct script_head head;

	(void)state;
	assert_false(find(&heads, "a b 12/13 [003] 5.000001: 10 cycles: \n", &head));
	assert_true(learn(&heads, "a b 12/13 [003] 5.000001: 10 cycles: \n"));
	assert_true(find(&heads, "a b 12/13 [003] 17.25:     234 cycles: \n\t1 f (g)\n", &head));
	assert_int_equal(head.thread.v, 7);
	assert_int_equal(head.event, 9);
	assert_int_equal(head.cpu, 3);
	assert_int_equal(head.time_ns, 17250000000);
	assert_int_equal(head.period, 234);
	assert_true(find(&heads, "a b 12/13 [003] 17.25: cycles: \n", &head));
	assert_int_equal(head.period, 0);
}

static void test_head__what_differs_is_not_found(void **state)
{
	static const char *const others[] = {
		"a b 12/14 [003] 5.000001: 10 cycles: \n",
		"a b 12/13 [004] 5.000001: 10 cycles: \n",
		"a b 12/13 [003] 5.000001: 10 cycles:u: \n",
		"a b 12/13 [003] 5.000001: 10 cycles: x=1\n",
		"a b 12/13 [003] 5.000001: 1x0 cycles: \n",
		"a b 12/13 [003] 5: 10 cycles: \n",
		"a b 12/13 [003] 5.0000000001: 10 cycles: \n",
		"a b 12/13 [003] 12345678901.5: 10 cycles: \n",
		"a b 12/13 [003] 5.000001: 10 cycles: ",
		"a b 12/13 [003] ",
		"",
	};
	struct script_heads heads = { 0 };
	struct script_head head;

	(void)state;
	assert_true(learn(&heads, "a b 12/13 [003] 5.000001: 10 cycles: \n"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(find(&heads, others[i], &head));
}

/* Several threads and events take turns. */
static void test_head__many(void **state)
{
	struct script_heads heads = { 0 };
	char line[64];
	struct script_head head;
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 60; i++) {
			(void)snprintf(line, sizeof(line), "x %d [%03d] 1.5: 1 e%d: \n", i, i % 4,
				       i % SCRIPT_EVENTS);
			if (find(&heads, line, &head)) {
				found++;
				assert_int_equal(head.cpu, i % 4);
			}
			assert_true(learn(&heads, line));
		}
	assert_in_range(found, 30, 60);
}

/* Only a CPU in front of the time shows where the comm ends. */
static void test_head__other_layouts_are_not_learned(void **state)
{
	static const char *const lines[] = {
		"a 12 5.000001: 10 cycles: \n",
		"a 12 [003] cycles: \n",
		"a 12 [003] 5.5: 10 sched:sched_switch: prev_pid=1\n",
	};
	struct script_heads heads = { 0 };
	struct script_head head;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_true(learn(&heads, lines[i]));
		assert_false(find(&heads, lines[i], &head));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head__another_time_and_period),
		cmocka_unit_test(test_head__what_differs_is_not_found),
		cmocka_unit_test(test_head__many),
		cmocka_unit_test(test_head__other_layouts_are_not_learned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
