/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which source lines matter, and their text out of a file's bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "profile/source_text.h"

static void add(struct profile *p, const char *file, uint32_t line, uint64_t count)
{
	struct frame frame = { .file = strtab_puts(p->strings, file), .line = line };
	struct profile_sample sample = { .thread = profile_thread(p, 1, 1, "app"),
					 .event = profile_event(p, "cycles", ""),
					 .weight = count,
					 .count = count };

	sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	profile_add(p, &sample);
}

static void test_source_spots__by_file_and_line(void **state)
{
	struct profile *p = profile_new(0);
	struct source_spots spots;

	(void)state;
	add(p, "a.c", 9, 1);
	add(p, "b.c", 3, 1);
	add(p, "a.c", 2, 5);
	add(p, "a.c", 9, 2);
	add(p, "a.c", 0, 7); /* no line */
	add(p, "", 4, 7);    /* no file */
	source_spots_find(p, &spots);
	assert_int_equal(spots.list.count, 3);
	assert_int_equal(spots.list.item[0].line, 2);
	assert_int_equal(spots.list.item[1].line, 9);
	assert_int_equal(spots.list.item[1].samples, 3);
	assert_string_equal(profile_string(p, spots.list.item[2].file), "b.c");
	source_spots_done(&spots);
	profile_free(p);
}

static void test_source_spots__the_hottest_of_many(void **state)
{
	struct profile *p = profile_new(0);
	struct source_spots spots;

	(void)state;
	for (uint32_t i = 1; i <= 5000; i++)
		add(p, "a.c", i, i);
	source_spots_find(p, &spots);
	assert_int_equal(spots.list.count, 4000);
	assert_int_equal(spots.list.item[0].line, 1001);
	source_spots_done(&spots);
	profile_free(p);
}

/* The lines kept of a text around these lines: "1:text|2:…|". */
static const char *keep(const char *text, size_t len, const uint32_t *lines, size_t count)
{
	static char kept[2048];
	struct profile *p = profile_new(0);
	struct source_spot spots[8];
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		spots[i] = (struct source_spot){ .file = strtab_puts(p->strings, "a.c"),
						 .line = lines[i] };
	kept[0] = '\0';
	if (!source_text_add(p, spots, count, text, len))
		(void)snprintf(kept, sizeof(kept), "no");
	for (size_t i = 0; i < p->source.count; i++)
		at += (size_t)snprintf(kept + at, sizeof(kept) - at, "%u:%s|",
				       p->source.item[i].line,
				       profile_string(p, p->source.item[i].text));
	profile_free(p);
	return kept;
}

#define KEEP(text, ...)                                           \
	keep(text, sizeof(text) - 1, (uint32_t[]){ __VA_ARGS__ }, \
	     sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void test_source_text__lines_around_the_hot_ones(void **state)
{
	(void)state;
	assert_string_equal(KEEP("1\n2\n3\n4\n5\n6\n7\n8\n9\n", 1), "1:1|2:2|3:3|4:4|");
	assert_string_equal(KEEP("1\n2\n3\n4\n5\n6\n7\n8\n9\n", 5, 6),
			    "2:2|3:3|4:4|5:5|6:6|7:7|8:8|9:9|");
	assert_string_equal(KEEP("a\nb\nc\nd\ne\nf\ng\nh\ni\nj", 1, 10),
			    "1:a|2:b|3:c|4:d|7:g|8:h|9:i|10:j|");
}

static void test_source_text__fit_for_a_screen(void **state)
{
	static char wide[400];

	(void)state;
	assert_string_equal(KEEP("\tif (x)\r\na\tb \n\033[2Jx\n", 1),
			    "1:    if (x)|2:a   b|3:?[2Jx|");
	for (size_t i = 0; i < sizeof(wide); i += 2)
		memcpy(wide + i, "\303\251", 2); /* 200 letters é */
	assert_int_equal(strlen(keep(wide, sizeof(wide), (uint32_t[]){ 1 }, 1)), 2 + 2 * 160 + 1);
}

static void test_source_text__not_that_file(void **state)
{
	(void)state;
	assert_string_equal(KEEP("1\n2\n", 3), "no");
	assert_string_equal(KEEP("1\n2", 2), "1:1|2:2|");
	assert_string_equal(KEEP("1\n\0002\n", 1), "no");
	assert_string_equal(KEEP("", 1), "no");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_spots__by_file_and_line),
		cmocka_unit_test(test_source_spots__the_hottest_of_many),
		cmocka_unit_test(test_source_text__lines_around_the_hot_ones),
		cmocka_unit_test(test_source_text__fit_for_a_screen),
		cmocka_unit_test(test_source_text__not_that_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
