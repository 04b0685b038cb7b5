/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/address_table: the sort is stable and the index finds what bisection finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/address_table.h"

struct item {
	uint64_t address;
	uint32_t order, more;
};

enum { ITEMS = 5000 };

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 20;
}

static void check(uint64_t mask, uint64_t base)
{
	struct item *item = calloc(ITEMS, sizeof(*item));
	struct address_index index;
	uint64_t seed = mask;

	for (uint32_t i = 0; i < ITEMS; i++)
		item[i] = (struct item){ base + (next(&seed) & mask), i, 0 };
	address_sort(item, ITEMS, sizeof(*item));
	for (size_t i = 1; i < ITEMS; i++)
		assert_true(item[i - 1].address < item[i].address ||
			    (item[i - 1].address == item[i].address &&
			     item[i - 1].order < item[i].order));
	address_index_build(&index, item, ITEMS, sizeof(*item));
	assert_true(index.slices <= ITEMS);
	for (int i = 0; i < ITEMS; i++) {
		uint64_t address = base + (next(&seed) & mask);
		size_t expected = ADDRESS_NONE;

		for (size_t k = ITEMS; k-- && expected == ADDRESS_NONE;)
			if (item[k].address <= address)
				expected = k;
		assert_true(expected == address_index_find(&index, item, sizeof(*item), address));
	}
	assert_true(address_index_find(&index, item, sizeof(*item), UINT64_MAX) == ITEMS - 1);
	address_index_done(&index);
	free(item);
}

static void test_address_table__sorts_and_finds(void **state)
{
	(void)state;
	check(0xff, 0);
	check(0xfffff, 0x401000);
	check(0x3fffffff, 0xffffffff80000000);
	check(UINT64_MAX, 0);
}

static void test_address_table__empty(void **state)
{
	struct address_index index;

	(void)state;
	address_sort(NULL, 0, 16);
	address_index_build(&index, NULL, 0, 16);
	assert_true(address_index_find(&index, NULL, 16, 5) == ADDRESS_NONE);
	address_index_done(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_table__sorts_and_finds),
		cmocka_unit_test(test_address_table__empty),
	};

	return cmocka_run_group_tests_name("symbol/address_table", tests, NULL, NULL);
}
