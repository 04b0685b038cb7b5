/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines of call chains are the same line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
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

		(void)script_stacks_lines(stacks, &line, 1, &bad);
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

static stack_id text_stack(struct script_stacks *stacks, const char *text, uint64_t *bad)
{
	struct script_body body =
		script_stacks_expect(stacks, (struct slice){ text, strlen(text) });

	script_stacks_texts(stacks, &body, 1, bad);
	return body.stack;
}

static void test_stacks__bad_lines_are_counted_each_time(void **state)
{
	struct profile *profile = profile_new(PROFILE_MERGE_NAMES);
	struct script_stacks *stacks = script_stacks_new(profile);
	uint64_t bad = 0;

	(void)state;
	(void)text_stack(stacks, "\t1 f (/a)\n\tnonsense\n\t3 g (/a)\n", &bad);
	assert_int_equal(bad, 1);
	(void)text_stack(stacks, "\t1 f (/a)\n\tnonsense\n\t3 g (/a)\n", &bad);
	assert_int_equal(bad, 2);
	(void)text_stack(stacks, "\t1 f (/a)\n\t3 g (/a)\n", &bad);
	(void)text_stack(stacks, "\t1 f (/a)\n\t3 g (/a)\n", &bad);
	assert_int_equal(bad, 2);
	script_stacks_free(stacks);
	profile_free(profile);
}

#define INNER 6
#define OUTER 70 /* lines: more than the bytes from which on halves are looked up, too */

static const char *random_line(uint32_t *seed)
{
	static const char *const lines[] = {
		"\t            1000 f+0x1 (/a)",
		"\t            1001 f+0x2 (/a)",
		"\t            2000 [unknown] (/a)",
		"\tffffffff81000001 [unknown] ([kernel.kallsyms])",
		"\t            3000 g+0x1 (inlined)",
		"\t  file.c:12",
		"\t            4000 La;->x->Lb;->y (/tmp/perf-1.map)",
		"\t(comm)",
	};

	return lines[(*seed = *seed * 1664525 + 1013904223) >> 29];
}

/* A text of a few lines, at random, most with many more below them that other texts have, too; the
 * same lines in `split`. */
static size_t random_text(uint32_t *seed, const char *end, struct buf *ret, struct slice *split)
{
	uint32_t outer = *seed >> 20 & 7;
	size_t count = 0, all;

	buf_clear(ret);
	for (; count < INNER && (count == 0 || *seed >> 28); count++)
		split[count].s = random_line(seed);
	for (all = count + outer * (OUTER / 7); count < all; count++)
		split[count].s = random_line(&outer);
	for (size_t i = 0; i < count; i++) {
		split[i].len = strlen(split[i].s);
		(void)buf_printf(ret, "%s%s", split[i].s, end);
	}
	return count;
}

#define TEXTS 32

/* Random texts, many at once, through caches, against the same lines in a reader that
 * has seen nothing. */
static void check_random_texts(unsigned keep, const char *end)
{
	struct profile *profile = profile_new(keep);
	struct script_stacks *stacks = script_stacks_new(profile);
	struct buf text[TEXTS] = { 0 };
	uint32_t seed = 1;

	for (size_t round = 0; round < 200; round++) {
		struct script_body body[TEXTS];
		struct slice split[TEXTS][INNER + OUTER];
		size_t count[TEXTS];
		uint64_t bad = 0, fresh_bad = 0;

		for (size_t i = 0; i < TEXTS; i++) {
			count[i] = random_text(&seed, end, &text[i], split[i]);
			body[i] = script_stacks_expect(stacks,
						       (struct slice){ text[i].data, text[i].len });
		}
		script_stacks_texts(stacks, body, TEXTS, &bad);
		for (size_t i = 0; i < TEXTS; i++) {
			struct script_stacks *fresh = script_stacks_new(profile);

			assert_int_equal(
				body[i].stack.v,
				script_stacks_lines(fresh, split[i], count[i], &fresh_bad).v);
			script_stacks_free(fresh);
		}
		assert_int_equal(bad, fresh_bad);
	}
	for (size_t i = 0; i < TEXTS; i++)
		buf_done(&text[i]);
	script_stacks_free(stacks);
	profile_free(profile);
}

static void test_stacks__what_was_seen_before_does_not_matter(void **state)
{
	(void)state;
	check_random_texts(0, "\n");
	check_random_texts(PROFILE_MERGE_NAMES, "\n");
	check_random_texts(PROFILE_MERGE_NAMES, "\r\n");
}

static void test_stacks__known_ones_stay(void **state)
{
	struct profile *profile = profile_new(0);
	struct script_stacks *stacks = script_stacks_new(profile);
	struct script_body body = { .stack = { 7 } };
	uint64_t bad = 0;

	(void)state;
	script_stacks_texts(stacks, &body, 1, &bad);
	assert_int_equal(body.stack.v, 7);
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
		cmocka_unit_test(test_stacks__what_was_seen_before_does_not_matter),
		cmocka_unit_test(test_stacks__known_ones_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
