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

/* Leaves the text, all of it. From the root on lines hash to 100, 101, … */
static void leave(struct script_trails *trails, const char *text, bool leaf_waits)
{
	struct script_mark mark[2048];
	size_t count = 0, len = strlen(text);
	struct script_trail *trail;

	for (size_t i = 0; i < len; i++)
		if (i == 0 || text[i - 1] == '\n')
			mark[count++] = (struct script_mark){ .from_end = (uint32_t)(len - i) };
	for (size_t i = 0; i < count; i++)
		mark[i].hash = 100 + count - 1 - i;
	mark[0].waits = leaf_waits;
	(void)script_trail_find(trails, slice_of(text)); /* the first of its kind is not kept */
	trail = script_trail_find(trails, slice_of(text));
	assert_non_null(trail);
	script_trail_keep(trail, slice_of(text), 0, mark, count);
}

static size_t shared(struct script_trails *trails, const char *end, const char *text,
		     uint64_t *ret_hash)
{
	return script_trail_shared(script_trail_find(trails, slice_of(end)), slice_of(text),
				   ret_hash);
}

static void test_trail__shares_whole_lines(void **state)
{
	static const char whole[] = "\tread\n\tparse\n\tmain\n";
	static const struct {
		const char *text;
		size_t shared;
		uint64_t hash;
	} cases[] = {
		{ "\tread\n\tparse\n\tmain\n", 19, 102 },
		{ "\tread\n\tsparse\n\tmain\n", 6, 100 },
		{ "\tbread\n\tparse\n\tmain\n", 13, 101 },
		{ "\tparse\n\tmain\n", 13, 101 },
		{ "parse\n\tmain\n", 6, 100 },
		{ "xmain\n", 0, 0 },
		{ "\tx\n\tread\n\tparse\n\tmain\n", 19, 102 },
		{ "", 0, 0 },
	};
	struct script_trails *trails = script_trails_new();

	(void)state;
	leave(trails, whole, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t hash;

		assert_int_equal(shared(trails, whole, cases[i].text, &hash), cases[i].shared);
		assert_int_equal(hash, cases[i].hash);
	}
	script_trails_free(trails);
}

static void test_trail__nothing_goes_on_from_a_line_that_waits(void **state)
{
	struct script_trails *trails = script_trails_new();
	uint64_t hash;

	(void)state;
	leave(trails, "\tb\n\ta\n", true);
	assert_int_equal(shared(trails, "\tb\n\ta\n", "\tb\n\ta\n", &hash), 3);
	assert_int_equal(hash, 100);
	script_trails_free(trails);
}

static void test_trail__is_kept_for_ends_that_come_again(void **state)
{
	struct script_trails *trails = script_trails_new();
	struct script_trail *trail;

	(void)state;
	assert_null(script_trail_find(trails, slice_of("\ta\n")));
	trail = script_trail_find(trails, slice_of("\ta\n"));
	assert_non_null(trail);
	assert_ptr_equal(script_trail_find(trails, slice_of("\ta\n")), trail);
	script_trails_free(trails);
}

/* Lines in front of those that stay are exchanged. */
static void test_trail__keeps_what_is_shared(void **state)
{
	static const char first[] = "\tone\n\tmain\n", second[] = "\tother\n\tmain\n";
	static const struct script_mark leaf = { .hash = 200, .from_end = sizeof(second) - 1 };
	struct script_trails *trails = script_trails_new();
	struct script_trail *trail;
	uint64_t hash;

	(void)state;
	leave(trails, first, false);
	trail = script_trail_find(trails, slice_of(first));
	script_trail_keep(trail, slice_of(second), 6, &leaf, 1);
	assert_int_equal(script_trail_shared(trail, slice_of(second), &hash), sizeof(second) - 1);
	assert_int_equal(hash, 200);
	assert_int_equal(script_trail_shared(trail, slice_of(first), &hash), 6);
	assert_int_equal(hash, 100);
	script_trails_free(trails);
}

/* Of a very long stack the root's side is kept. */
static void test_trail__keeps_the_end_of_long_texts(void **state)
{
	struct script_trails *trails = script_trails_new();
	char text[20001] = "";
	uint64_t hash;
	size_t len;

	(void)state;
	for (size_t i = 0; i < 2000; i++)
		memcpy(text + i * 10, "\tfunction\n", 10);
	leave(trails, text, false);
	len = shared(trails, text, text, &hash);
	assert_in_range(len, 4000, 20000);
	assert_int_equal(hash, 99 + len / 10);
	script_trails_free(trails);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trail__shares_whole_lines),
		cmocka_unit_test(test_trail__nothing_goes_on_from_a_line_that_waits),
		cmocka_unit_test(test_trail__is_kept_for_ends_that_come_again),
		cmocka_unit_test(test_trail__keeps_what_is_shared),
		cmocka_unit_test(test_trail__keeps_the_end_of_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
