/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of a source: one line each, cut where the room ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "source/source.h"

static void test_source_note__one_line_each(void **state)
{
	struct source source = { 0 };

	(void)state;
	source_note(&source, "%s falls back to %s", "cycles", "cpu-clock");
	source_note(&source, "%u rings", 2u);
	assert_string_equal(source.notes, "cycles falls back to cpu-clock\n2 rings");
}

static void test_source_note__stops_where_the_room_ends(void **state)
{
	struct source source = { 0 };

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(source.notes); i++)
		source_note(&source, "note %u", i);
	assert_in_range(strlen(source.notes), sizeof(source.notes) - 3, sizeof(source.notes) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_note__one_line_each),
		cmocka_unit_test(test_source_note__stops_where_the_room_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
