/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/range_table: overlaps are settled in favour of the later, checked against a plain array.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/range_table.h"

enum { SPACE = 400, RANGES = 60 };

static void test_range_table__matches_painting_an_array(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct range_table table = { 0 };
		uint32_t painted[SPACE] = { 0 };

		for (uint32_t i = 1; i <= RANGES; i++) {
			struct range range = { .name = i };

			seed = seed * 1103515245 + 12345;
			range.start = (seed >> 8) % (SPACE - 50);
			range.end = range.start + 1 + (seed >> 20) % 49;
			range_table_add(&table, &range);
			for (uint64_t at = range.start; at < range.end; at++)
				painted[at] = i;
		}
		range_table_settle(&table);
		range_table_index(&table);
		for (uint64_t at = 0; at < SPACE; at++) {
			const struct range *range = range_table_find(&table, at);

			assert_int_equal(painted[at], range ? range->name : 0);
		}
		range_table_done(&table);
	}
}

static void test_range_table__empty_and_extremes(void **state)
{
	struct range_table table = { 0 };

	(void)state;
	range_table_settle(&table);
	range_table_index(&table);
	assert_null(range_table_find(&table, 0));
	range_table_add(&table, &(struct range){ UINT64_MAX - 1, UINT64_MAX, 1, 0 });
	range_table_add(&table, &(struct range){ 0, 1, 2, 0 });
	range_table_settle(&table);
	range_table_index(&table);
	assert_int_equal(2, range_table_find(&table, 0)->name);
	assert_null(range_table_find(&table, 1));
	assert_int_equal(1, range_table_find(&table, UINT64_MAX - 1)->name);
	assert_null(range_table_find(&table, UINT64_MAX));
	range_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range_table__matches_painting_an_array),
		cmocka_unit_test(test_range_table__empty_and_extremes),
	};

	return cmocka_run_group_tests_name("symbol/range_table", tests, NULL, NULL);
}
