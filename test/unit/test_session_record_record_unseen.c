/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record/record_unseen: time without samples is noted when it is more than chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/record/record_unseen.h"
#include "session/record/recorder.h"

#define MS 1000000ull

static void test_noted(void **state)
{
	struct recording_result result = { .samples = 770 };

	(void)state;
	record_note_unseen(MS, (struct ran){ 2050 * MS, "the program's" }, &result);
	assert_non_null(strstr(result.notes, "62% of the program's time has no samples"));
	assert_non_null(strstr(result.notes, "(1.28 of 2.05 s)"));
	record_note_unseen(MS, (struct ran){ 2050 * MS, "x" }, &result); /* beside another note */
	assert_non_null(strstr(result.notes, "\n62%"));
}

static void test_silent(void **state)
{
	const struct ran second = { 1000 * MS, "the program's" };
	struct recording_result lost = { .samples = 500, .lost_samples = 500 };
	struct recording_result in_rings = { .samples = 1, .lost_records = 999 };
	struct recording_result chance = { .samples = 95 };
	struct recording_result more = { .samples = 1100 };
	struct recording_result other = { .samples = 1 };

	(void)state;
	record_note_unseen(MS, second, &lost); /* reported elsewhere */
	assert_string_equal(lost.notes, "");
	record_note_unseen(MS, second, &in_rings);
	assert_string_equal(in_rings.notes, "");
	record_note_unseen(MS, (struct ran){ 100 * MS, "x" }, &chance);
	assert_string_equal(chance.notes, "");
	record_note_unseen(MS, second, &more);
	assert_string_equal(more.notes, "");
	record_note_unseen(0, second, &other); /* no such clock */
	assert_string_equal(other.notes, "");
	record_note_unseen(MS, (struct ran){ 0 }, &other); /* not known */
	assert_string_equal(other.notes, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noted),
		cmocka_unit_test(test_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
