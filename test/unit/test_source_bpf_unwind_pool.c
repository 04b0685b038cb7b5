/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/unwind_pool, unwind_pool_memory and bpf/unwind_lookup: what is published is found again by
 * the search that the kernel part runs, whatever had to move or go for it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "source/bpf/unwind_pool.h"
#include "source/bpf/unwind_pool_memory.h"
#include "unwind/compact/compact_writer.h"
#include "unwind/table.h"

#define UNWIND_CONTEXT struct unwind_pool
static const uint8_t *unwind_shard(struct unwind_pool *pool, uint32_t shard)
{
	return unwind_pool_shard(pool, shard);
}
static struct unwind_binary *unwind_binary_at(struct unwind_pool *pool, uint32_t binary)
{
	return unwind_pool_binary(pool, binary);
}
#include "bpf/walk/unwind_lookup.h"

#define MIB (1u << 20)

static struct unwind_pool *open_pool(unsigned mib)
{
	struct unwind_pool *pool;
	struct err err = { 0 };

	assert_int_equal(0, unwind_pool_open(NULL, (uint64_t)mib * MIB, &pool, &err));
	return pool;
}

static int add_space(struct unwind_pool *pool, const struct unwind_range *ranges, size_t count,
		     uint64_t stack_top, uint32_t *ret)
{
	const struct unwind_pool_space given = { ranges, count, stack_top, 5 };

	return unwind_pool_add_space(pool, &given, ret);
}

static uint32_t add_binary(struct unwind_pool *pool)
{
	uint32_t binary;

	assert_int_equal(0, unwind_pool_add_binary(pool, &binary));
	return binary;
}

/* About 4 bytes a row, every `step` bytes; the first rule identifies the table. */
static struct compact *make_table(unsigned rows, unsigned step, int mark)
{
	struct compact_writer writer;

	compact_writer_start(&writer, 0);
	for (unsigned i = 0; i < rows; i++)
		compact_writer_put(
			&writer, (uint64_t)i * step,
			compact_writer_rule(&writer,
					    (struct unwind_rule){ .cfa = UNWIND_SP,
								  .cfa_off = (int16_t)(i % 50),
								  .bp_off = (int16_t)mark }));
	return compact_writer_finish(&writer);
}

/* Every 7th byte of a table, in the pool and outside. */
static void same(struct unwind_pool *pool, uint32_t binary, const struct compact *table)
{
	uint64_t end = table->first + (uint64_t)table->page_count * UNWIND_PAGE_BYTES + 100;

	for (uint64_t offset = table->first; offset < end; offset += 7) {
		struct unwind_rule got, want = compact_rule(table, offset, offset & 1);

		assert_true(unwind_find_in_binary(pool, unwind_pool_binary(pool, binary), offset,
						  offset & 1, &got));
		assert_memory_equal(&want, &got, sizeof(want));
	}
}

static void test_pool__tables_are_found_as_they_were_built(void **state)
{
	struct unwind_pool *pool = open_pool(8);
	uint32_t binary = add_binary(pool), other = add_binary(pool);
	struct compact *table, *dense = make_table(6000, 1, 3);
	struct unwind_table *rows;
	struct unwind_rule rule;
	struct err err = { 0 };
	struct elf_file *elf;

	(void)state;
	assert_int_equal(0, elf_file_open("/proc/self/exe", &elf, &err));
	rows = unwind_table_of_elf(elf);
	table = compact_build(rows);
	assert_false(unwind_find_in_binary(pool, unwind_pool_binary(pool, binary), 0x1000, false,
					   &rule));
	assert_int_equal(0, unwind_pool_load(pool, binary, table));
	assert_int_equal(0, unwind_pool_load(pool, other, dense));
	same(pool, binary, table);
	same(pool, other, dense);
	compact_free(table);
	compact_free(dense);
	unwind_table_close(rows);
	elf_file_close(elf);
	unwind_pool_close(pool);
}

static void test_pool__big_tables_use_several_shards(void **state)
{
	struct unwind_pool *pool = open_pool(16);
	struct compact *big = make_table(800000, 8, 1), *small = make_table(3000, 5, 2);
	uint32_t binaries[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		binaries[i] = add_binary(pool);
	assert_int_equal(0, unwind_pool_load(pool, binaries[0], small));
	assert_int_equal(0, unwind_pool_load(pool, binaries[1], big));
	assert_int_equal(0, unwind_pool_load(pool, binaries[2], small));
	same(pool, binaries[0], small);
	same(pool, binaries[1], big);
	same(pool, binaries[2], small);
	compact_free(big);
	compact_free(small);
	unwind_pool_close(pool);
}

static void test_pool__unused_tables_make_room(void **state)
{
	struct unwind_pool *pool = open_pool(2);
	struct compact *table[12];
	uint32_t binary[12];
	struct unwind_pool_stats stats;
	struct unwind_rule rule;
	unsigned found = 0;

	(void)state;
	for (int i = 0; i < 12; i++) {
		table[i] = make_table(60000, 4, i); /* 240 kB */
		binary[i] = add_binary(pool);
	}
	for (int i = 0; i < 12; i++) {
		for (int k = 0; k < 3; k++)
			unwind_pool_age(pool);
		unwind_pool_binary(pool, binary[0])->used = 1;
		assert_int_equal(0, unwind_pool_load(pool, binary[i], table[i]));
		same(pool, binary[i], table[i]);
	}
	same(pool, binary[0], table[0]); /* in use all the time */
	for (int i = 0; i < 12; i++)
		found += unwind_find_in_binary(pool, unwind_pool_binary(pool, binary[i]), 0, false,
					       &rule);
	unwind_pool_stats(pool, &stats);
	assert_int_equal(found, stats.binaries);
	assert_int_equal(12 - found, stats.evictions);
	assert_true(stats.reserved <= 2 * MIB && found >= 4);
	for (int i = 0; i < 12; i++)
		compact_free(table[i]);
	unwind_pool_close(pool);
}

static void test_pool__tables_in_use_are_not_given_up(void **state)
{
	struct unwind_pool *pool = open_pool(1);
	struct compact *table = make_table(120000, 4, 1); /* 480 kB: half of the pool */
	uint32_t binary[3];
	struct unwind_pool_stats stats;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		binary[i] = add_binary(pool);
	assert_int_equal(0, unwind_pool_load(pool, binary[0], table));
	assert_int_equal(0, unwind_pool_load(pool, binary[1], table));
	assert_int_equal(-ENOSPC, unwind_pool_load(pool, binary[2], table));
	same(pool, binary[0], table);
	unwind_pool_stats(pool, &stats);
	assert_int_equal(1, stats.refused);
	compact_free(table);
	table = make_table(400000, 4, 1);
	assert_int_equal(-E2BIG, unwind_pool_load(pool, binary[2], table));
	compact_free(table);
	unwind_pool_close(pool);
}

static struct unwind_range file_range(uint64_t start, uint64_t end, uint32_t binary)
{
	return (struct unwind_range){
		.start = start, .end = end, .to_offset = 0x1000 - start, .binary = binary
	};
}

static void test_pool__ranges_are_found(void **state)
{
	struct unwind_pool *pool = open_pool(4);
	static struct unwind_range ranges[3000];
	struct unwind_range found;
	uint32_t space;

	(void)state;
	for (uint32_t count = 0; count < 3000; count = count * 2 + 1) {
		for (uint32_t i = 0; i < count; i++)
			ranges[i] = file_range(0x1000u * 3 * (i + 1), 0x1000u * (3 * i + 5), i);
		assert_int_equal(0, add_space(pool, ranges, count, 0, &space));
		assert_int_equal(0, unwind_pool_set_process(pool, 7, space));
		for (uint32_t i = 0; i < count; i++) {
			uint64_t where = unwind_pool_space_of(pool, 7)->where;

			assert_true(unwind_find_range(pool, where, ranges[i].start, &found));
			assert_int_equal(i, found.binary);
			assert_true(unwind_find_range(pool, where, ranges[i].end - 1, &found));
			assert_int_equal(i, found.binary);
			assert_false(unwind_find_range(pool, where, ranges[i].end, &found));
		}
		assert_false(unwind_find_range(pool, unwind_pool_space_of(pool, 7)->where, 0x2fff,
					       &found));
	}
	unwind_pool_drop_process(pool, 7);
	assert_null(unwind_pool_space_of(pool, 7));
	unwind_pool_close(pool);
}

static void test_pool__the_upper_half_is_above_the_lower(void **state)
{
	const struct unwind_range ranges[] = {
		file_range(0x7ffff7fc1000, 0x7ffff7fc3000, 1),
		{ .start = 0xffffffffff600000,
		  .end = 0xffffffffff601000,
		  .kind = UNWIND_RANGE_VSYSCALL },
	};
	struct unwind_pool *pool = open_pool(1);
	struct unwind_range found;
	struct unwind_rule rule;
	uint32_t space;
	uint64_t where;

	(void)state;
	assert_int_equal(0, add_space(pool, ranges, 2, 0, &space));
	assert_int_equal(0, unwind_pool_set_process(pool, 1, space));
	where = unwind_pool_space_of(pool, 1)->where;
	assert_true(unwind_find_range(pool, where, 0x7ffff7fc1001, &found));
	assert_int_equal(1, found.binary);
	assert_true(unwind_find_range(pool, where, 0xffffffffff600400, &found));
	assert_true(unwind_find_rule(pool, &found, 0xffffffffff600400, false, &rule));
	assert_int_equal(UNWIND_SP, rule.cfa);
	assert_false(unwind_find_range(pool, where, 0xffffffffff601000, &found));
	unwind_pool_close(pool);
}

static void test_pool__lookups_report_what_is_missing(void **state)
{
	struct unwind_pool *pool = open_pool(1);
	uint32_t binary = add_binary(pool);
	struct unwind_range range = file_range(0x10000, 0x20000, binary);
	struct compact *table = make_table(100, 16, 5);
	struct unwind_rule rule;

	(void)state;
	assert_false(unwind_find_rule(pool, &range, 0x10000, false, &rule));
	assert_false(unwind_find_rule(pool, &range, 0x10010, true, &rule));
	assert_int_equal(2, unwind_pool_take_wanted(pool, binary));
	assert_int_equal(0, unwind_pool_take_wanted(pool, binary));
	assert_int_equal(0, unwind_pool_load(pool, binary, table));
	assert_true(unwind_find_rule(pool, &range, 0x10000 - 0x1000 + 0x1020, false, &rule));
	assert_int_equal(5, rule.bp_off);
	assert_int_equal(1, unwind_pool_binary(pool, binary)->used);
	unwind_pool_set_none(pool, binary);
	assert_true(unwind_find_rule(pool, &range, 0x10000, false, &rule));
	assert_int_equal(UNWIND_FP, rule.cfa);
	range.kind = UNWIND_RANGE_JIT;
	range.binary = 12345678;
	assert_true(unwind_find_rule(pool, &range, 0x10000, false, &rule));
	assert_int_equal(UNWIND_FP, rule.cfa);
	compact_free(table);
	unwind_pool_close(pool);
}

static void test_pool__a_changed_space_has_another_generation(void **state)
{
	struct unwind_pool *pool = open_pool(1);
	struct unwind_range range = file_range(0x10000, 0x20000, 0), found;
	const struct unwind_pool_space changed = { &range, 1, 78, 9 };
	const struct unwind_space *seen;
	uint32_t first, second, before;

	(void)state;
	assert_int_equal(0, add_space(pool, &range, 1, 77, &first));
	assert_int_equal(0, unwind_pool_set_process(pool, 1, first));
	assert_int_equal(0, unwind_pool_set_process(pool, 2, first)); /* a fork */
	seen = unwind_pool_space_of(pool, 1);
	assert_ptr_equal(seen, unwind_pool_space_of(pool, 2));
	assert_int_equal(77, seen->stack_top);
	before = seen->generation;
	range.start = 0x18000;
	assert_int_equal(0, unwind_pool_set_space(pool, first, &changed));
	assert_int_not_equal(before, seen->generation);
	assert_int_equal(78, seen->stack_top);
	assert_int_equal(9, seen->as_of_ns);
	assert_false(unwind_find_range(pool, seen->where, 0x10000, &found));
	before = seen->generation;
	unwind_pool_drop_space(pool, first);
	assert_false(unwind_find_range(pool, seen->where, 0x18000, &found));
	assert_int_equal(0, add_space(pool, &range, 1, 0, &second));
	assert_true(unwind_pool_space_of(pool, 1)->generation > before);
	unwind_pool_close(pool);
}

static void test_pool__memory_rests_before_it_is_used_again(void **state)
{
	static struct pool_memory memory;
	struct pool_run run, other;

	(void)state;
	pool_memory_init(&memory, -1, 1);
	assert_int_equal(0, pool_memory_take(&memory, 200, 200, &run));
	assert_int_equal(0, pool_memory_take(&memory, 200, 20, &other)); /* what is left */
	assert_int_equal(56, other.granules);
	pool_memory_give(&memory, run);
	assert_true(pool_memory_rests(&memory));
	assert_int_equal(-ENOSPC, pool_memory_take(&memory, 10, 10, &other));
	while (pool_memory_take(&memory, 10, 10, &other))
		assert_true(pool_memory_rests(&memory));
	assert_int_equal(run.addr, other.addr);
	assert_int_equal(66, memory.in_use);
	pool_memory_done(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool__tables_are_found_as_they_were_built),
		cmocka_unit_test(test_pool__big_tables_use_several_shards),
		cmocka_unit_test(test_pool__unused_tables_make_room),
		cmocka_unit_test(test_pool__tables_in_use_are_not_given_up),
		cmocka_unit_test(test_pool__ranges_are_found),
		cmocka_unit_test(test_pool__the_upper_half_is_above_the_lower),
		cmocka_unit_test(test_pool__lookups_report_what_is_missing),
		cmocka_unit_test(test_pool__a_changed_space_has_another_generation),
		cmocka_unit_test(test_pool__memory_rests_before_it_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
