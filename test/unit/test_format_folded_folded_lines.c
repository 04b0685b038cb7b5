/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of many parts, written by all cores, is the text of one: every line once, sorted by bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "profile/profile.h"

#define LINES 20000

static uint32_t draw(uint32_t below)
{
	static uint64_t state = 42;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % below);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Stacks with few names to begin with, so that some nodes hold nearly all text and others have
 * thousands of children; bytes on both sides of ';' say which of "a" and "a;" is first. */
static char *make_stack(size_t i)
{
	static const char *const names[] = { "a", "a-b", "a:", "a<int>", "", "main", "zz" };
	struct buf line = { 0 };

	(void)buf_printf(&line, "%s", draw(50) ? "app" : "a");
	for (uint32_t depth = draw(12); depth > 0; depth--)
		(void)buf_printf(&line, ";%s_of_some_length", names[draw(7)]);
	if (draw(4))
		(void)buf_printf(&line, ";leaf%zu", i);
	return line.data;
}

static void sort_once(char **stack, size_t *count)
{
	size_t kept = 0;

	qsort(stack, *count, sizeof(*stack), compare);
	for (size_t i = 0; i < *count; i++)
		if (!kept || strcmp(stack[kept - 1], stack[i]) != 0)
			stack[kept++] = stack[i];
		else
			free(stack[i]);
	*count = kept;
}

static void check(const char *fraction)
{
	static const struct fold_options options = { .names = FOLD_NAMES_WHOLE };
	char *stack[LINES];
	size_t count = LINES;
	struct profile *profile = profile_new(0);
	struct buf in = { 0 }, wanted = { 0 }, out = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < count; i++)
		stack[i] = make_stack(i);
	sort_once(stack, &count);
	for (size_t i = 0; i < count; i++) /* 7919 is prime: each once, in another order */
		(void)buf_printf(&in, "%s %zu%s\n", stack[i * 7919 % count], i * 7919 % count + 1,
				 fraction);
	for (size_t i = 0; i < count; i++) {
		(void)buf_printf(&wanted, "%s %zu%s\n", stack[i], i + 1, fraction);
		free(stack[i]);
	}
	folded_parse(in.data, in.len, profile);
	assert_int_equal(0, folded_write(profile, &options, &out, &err));
	assert_true(out.len > (1 << 20));
	assert_string_equal(out.data, wanted.data);
	buf_done(&in);
	buf_done(&wanted);
	buf_done(&out);
	profile_free(profile);
}

static void test_lines__of_many_parts(void **state)
{
	(void)state;
	check("");
	check(".25");
}

static void test_lines__follow_what_is_there(void **state)
{
	static const struct fold_options options = { .names = FOLD_NAMES_WHOLE };
	struct profile *profile = profile_new(0);
	struct buf out = { .limit = 20 };
	struct err err = { 0 };

	(void)state;
	folded_parse("b 2\na;b 1\n", 10, profile);
	(void)buf_puts(&out, "# first\n");
	assert_int_equal(0, folded_write(profile, &options, &out, &err));
	assert_string_equal(out.data, "# first\na;b 1\nb 2\n");
	assert_true(folded_write(profile, &options, &out, &err) < 0); /* the limit */
	assert_string_equal(out.data, "# first\na;b 1\nb 2\n");
	buf_done(&out);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines__of_many_parts),
		cmocka_unit_test(test_lines__follow_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
