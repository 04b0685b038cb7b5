// SPDX-License-Identifier: GPL-2.0-or-later
/* symbol/dwarf/dwarf_range: overlapping ranges become disjoint cuts in which the greatest owner
 * wins, for nested, crossing, equal and adjacent ranges, and in agreement with a plain search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbol/dwarf/dwarf_range.h"

static void add(struct dwarf_ranges *ranges, uint64_t start, uint64_t end, uint32_t owner)
{
	vec_push(&ranges->list, ((struct dwarf_range){ start, end, owner }));
}

static void done(struct dwarf_ranges *ranges, struct dwarf_cuts *cuts)
{
	vec_done(&ranges->list);
	vec_done(&cuts->list);
}

static void test_range__inner_wins_and_outer_returns(void **state)
{
	struct dwarf_ranges ranges = { 0 };
	struct dwarf_cuts cuts = { 0 };

	(void)state;
	add(&ranges, 10, 50, 0);
	add(&ranges, 20, 40, 1);
	add(&ranges, 20, 30, 2);
	dwarf_cut_ranges(&ranges, &cuts);
	assert_int_equal(dwarf_cut_find(&cuts, 9), DWARF_NO_OWNER);
	assert_int_equal(dwarf_cut_find(&cuts, 10), 0);
	assert_int_equal(dwarf_cut_find(&cuts, 20), 2);
	assert_int_equal(dwarf_cut_find(&cuts, 29), 2);
	assert_int_equal(dwarf_cut_find(&cuts, 30), 1);
	assert_int_equal(dwarf_cut_find(&cuts, 40), 0);
	assert_int_equal(dwarf_cut_find(&cuts, 49), 0);
	assert_int_equal(dwarf_cut_find(&cuts, 50), DWARF_NO_OWNER);
	done(&ranges, &cuts);
}

static void test_range__nothing_is_found_in_nothing(void **state)
{
	struct dwarf_ranges ranges = { 0 };
	struct dwarf_cuts cuts = { 0 };

	(void)state;
	dwarf_cut_ranges(&ranges, &cuts);
	assert_int_equal(dwarf_cut_find(&cuts, 0), DWARF_NO_OWNER);
	assert_int_equal(dwarf_cut_find(&cuts, UINT64_MAX), DWARF_NO_OWNER);
	done(&ranges, &cuts);
}

static uint32_t plain_search(const struct dwarf_ranges *ranges, uint64_t address)
{
	uint32_t best = DWARF_NO_OWNER;

	for (size_t i = 0; i < ranges->list.count; i++) {
		const struct dwarf_range *range = &ranges->list.item[i];

		if (range->start <= address && address < range->end &&
		    (best == DWARF_NO_OWNER || range->owner > best))
			best = range->owner;
	}
	return best;
}

static void test_range__agrees_with_a_plain_search(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct dwarf_ranges ranges = { 0 };
		struct dwarf_cuts cuts = { 0 };

		for (int i = 0; i < round % 30; i++) {
			uint64_t start = (uint64_t)rand_r(&seed) % 60;

			add(&ranges, start, start + 1 + (uint64_t)rand_r(&seed) % 20,
			    (uint32_t)rand_r(&seed) % 12);
		}
		dwarf_cut_ranges(&ranges, &cuts);
		for (uint64_t address = 0; address < 90; address++)
			assert_int_equal(dwarf_cut_find(&cuts, address),
					 plain_search(&ranges, address));
		done(&ranges, &cuts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range__inner_wins_and_outer_returns),
		cmocka_unit_test(test_range__nothing_is_found_in_nothing),
		cmocka_unit_test(test_range__agrees_with_a_plain_search),
	};

	return cmocka_run_group_tests_name("symbol/dwarf/dwarf_range", tests, NULL, NULL);
}
