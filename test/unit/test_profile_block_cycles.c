/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/block_cycles: blocks with one end are one row, which begins where the longest does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/block_cycles.h"

static struct block_place place(uint64_t function, uint64_t offset, uint32_t line)
{
	return (struct block_place){ .module_id = 1,
				     .function = function,
				     .offset = offset,
				     .symbol = function == 16 ? "work" : "other",
				     .module = "program",
				     .file = line ? "/src/a.c" : NULL,
				     .line = line };
}

static void test_blocks__are_summed_by_their_end(void **state)
{
	const struct block_place end = place(16, 40, 7), begin = place(16, 8, 3),
				 later = place(16, 20, 5), other = place(64, 4, 0);
	struct block_cycles blocks = { 0 };

	(void)state;
	block_cycles_add(&blocks, &later, &end, 10);
	block_cycles_add(&blocks, &begin, &end, 20);
	block_cycles_add(&blocks, NULL, &end, 5);
	block_cycles_add(&blocks, &other, &end, 5); /* a call: its beginning is elsewhere */
	block_cycles_add(&blocks, &begin, &other, 100);
	block_cycles_add_unnamed(&blocks, 1);
	block_cycles_sort(&blocks);
	assert_int_equal(blocks.total, 141);
	assert_int_equal(blocks.unnamed, 1);
	assert_int_equal(blocks.row.count, 2);
	assert_string_equal(blocks.row.item[0].symbol, "other");
	assert_false(blocks.row.item[0].has_start);
	assert_null(blocks.row.item[0].line[1]);
	assert_int_equal(blocks.row.item[1].cycles, 40);
	assert_int_equal(blocks.row.item[1].count, 4);
	assert_int_equal(blocks.row.item[1].start, 8);
	assert_string_equal(blocks.row.item[1].line[0], "a.c:3");
	assert_string_equal(blocks.row.item[1].line[1], "a.c:7");
	block_cycles_done(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks__are_summed_by_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
