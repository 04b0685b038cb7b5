/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a text shares with the one before is whole lines at its end, no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/perf_script/perf_script_trail.h"

static struct slice slice_of(const char *text)
{
	return (struct slice){ text, strlen(text) };
}

/* Root first; the mark of line i is { 100 + i, i + 1 }. */
static struct script_trail *leave(struct script_trails *trails, const char *text,
				  const char *const *lines, size_t count)
{
	struct script_trail *trail = script_trail_find(trails, slice_of(text));

	script_trail_cut(trail, 0);
	for (size_t i = 0; i < count; i++)
		script_trail_add(trail, slice_of(lines[i]),
				 (struct script_mark){ 100 + i, { (uint32_t)i + 1 } });
	return trail;
}

static void test_trail__shares_whole_lines(void **state)
{
	static const char *const lines[] = { "\tmain", "\tparse", "\tread" };
	static const struct {
		const char *text;
		size_t shared;
		uint64_t hash;
	} cases[] = {
		{ "\tread\n\tparse\n\tmain", 18, 102 },
		{ "\tread\n\tsparse\n\tmain", 5, 100 },
		{ "\tbread\n\tparse\n\tmain", 12, 101 },
		{ "\tparse\n\tmain", 12, 101 },
		{ "parse\n\tmain", 5, 100 },
		{ "xmain", 0, 0 },
		{ "\tx\n\tread\n\tparse\n\tmain", 18, 102 },
		{ "", 0, 0 },
	};
	struct script_trails *trails = script_trails_new();
	const struct script_trail *trail = leave(trails, "\tmain", lines, 3);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct script_mark mark;

		assert_int_equal(script_trail_shared(trail, slice_of(cases[i].text), &mark),
				 cases[i].shared);
		assert_int_equal(mark.hash, cases[i].hash);
	}
	script_trails_free(trails);
}

static void test_trail__nothing_goes_on_from_an_unfinished_line(void **state)
{
	struct script_trails *trails = script_trails_new();
	struct script_trail *trail = script_trail_find(trails, slice_of("\tb\n\ta"));
	struct script_mark mark;

	(void)state;
	script_trail_add(trail, slice_of("\ta"), (struct script_mark){ 1, { 1 } });
	script_trail_add(trail, slice_of("\tb"), (struct script_mark){ 2, SCRIPT_NO_STACK });
	assert_int_equal(script_trail_shared(trail, slice_of("\tb\n\ta"), &mark), 2);
	assert_int_equal(mark.stack.v, 1);
	script_trails_free(trails);
}

/* Of a very long stack the root's side is kept. */
static void test_trail__keeps_the_end_of_long_texts(void **state)
{
	struct script_trails *trails = script_trails_new();
	struct script_trail *trail = script_trail_find(trails, slice_of("\tf"));
	char text[20001], line[] = "\tfunction";
	struct script_mark mark;
	size_t shared;

	(void)state;
	memset(text, 0, sizeof(text));
	for (size_t i = 0; i < 2000; i++) {
		memcpy(text + i * 10, "\tfunction\n", 10);
		script_trail_add(trail, slice_of(line), (struct script_mark){ i, { 1 } });
	}
	shared = script_trail_shared(trail, (struct slice){ text, 19999 }, &mark);
	assert_in_range(shared, 4000, 19999);
	assert_int_equal(mark.hash, shared / 10);
	script_trails_free(trails);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trail__shares_whole_lines),
		cmocka_unit_test(test_trail__nothing_goes_on_from_an_unfinished_line),
		cmocka_unit_test(test_trail__keeps_the_end_of_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
