/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by object: variables, blocks that are live when they are accessed, words; text and JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/access/access.h"
#include "profile/access/live_blocks.h"
#include "profile/profile.h"

static uint64_t now;

static void put(struct profile *p, const char *event, const char *function,
		const struct profile_access *access)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = {
		.event = profile_event(p, event, "ns"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.stop = STACK_STOP_ROOT,
		.time_ns = ++now,
		.weight = 10,
		.count = 1,
		.addr = p->accesses.count,
	};

	vec_push(&p->accesses, *access);
	profile_add(p, &sample);
}

static struct profile *make(void)
{
	struct profile *p =
		profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS);
	const struct profile_access block = { .kind = ACCESS_BLOCK, .addr = 0x10000, .size = 64 };
	const struct profile_access in_block = { .kind = ACCESS_HEAP, .addr = 0x10018 };
	struct profile_access variable = { .kind = ACCESS_GLOBAL,
					   .offset = 17,
					   .size = 32,
					   .object = strtab_puts(p->strings, "table\033"),
					   .module = strtab_puts(p->strings, "app") };

	put(p, "cpu-clock", "early", &in_block);
	put(p, "heap-alloc", "makes", &block);
	put(p, "cpu-clock", "reads", &in_block);
	put(p, "cpu-clock", "reads", &in_block);
	put(p, "heap-free", "frees", &block);
	put(p, "cpu-clock", "late", &in_block);
	for (int i = 0; i < 5; i++)
		put(p, "cpu-clock", "scans", &variable);
	variable.guessed = 1;
	put(p, "cpu-clock", "chases", &variable);
	put(p, "cpu-clock", "enters", &(struct profile_access){ .kind = ACCESS_KERNEL });
	put(p, "cpu-clock", "computes", &(struct profile_access){ .kind = ACCESS_NONE });
	return p;
}

static void test_access__rows_are_objects(void **state)
{
	struct profile *p = make();
	struct access_table table;

	(void)state;
	access_sum_up(p, &table);
	assert_int_equal(table.samples, 12);
	assert_int_equal(table.kernel, 1);
	assert_int_equal(table.accesses, 10);
	assert_int_equal(table.blocks, 1);
	assert_int_equal(table.row.count, 5);
	assert_int_equal(table.row.item[0].kind, ACCESS_GLOBAL);
	assert_int_equal(table.row.item[0].samples, 6);
	assert_int_equal(table.row.item[0].guessed, 1);
	assert_int_equal(table.row.item[0].place_count, 2);
	assert_int_equal(table.place.item[table.row.item[0].place].samples, 5);
	assert_int_equal(table.row.item[0].word_count, 1);
	assert_int_equal(table.word.item[table.row.item[0].word].offset, 16);
	for (size_t i = 1; i < table.row.count; i++) {
		const struct access_row *row = &table.row.item[i];

		if (row->kind == ACCESS_HEAP) /* before it began and after it ended */
			assert_int_equal(row->samples, 2);
		if (row->kind != ACCESS_BLOCK)
			continue;
		assert_int_equal(row->samples, 2);
		assert_int_equal(row->size, 64);
		assert_true(row->stack.v);
		assert_int_equal(table.word.item[row->word].offset, 0x18);
	}
	access_table_done(&table);
	profile_free(p);
}

static void test_live_blocks__are_found(void **state)
{
	struct live_blocks *blocks = live_blocks_new();
	struct live_block found;

	(void)state;
	live_blocks_add(blocks, &(struct live_block){ .start = 0xff0, .size = 0x20 });
	live_blocks_add(blocks, &(struct live_block){ .start = 0x1010, .size = 8 });
	live_blocks_add(blocks, &(struct live_block){ .start = 5u << 20, .size = 3u << 20 });
	live_blocks_add(blocks, &(struct live_block){ .start = 0, .size = 8 });
	live_blocks_add(blocks, &(struct live_block){ .start = UINT64_MAX, .size = 8 });
	assert_true(live_blocks_find(blocks, 0x100f, &found));
	assert_int_equal(found.start, 0xff0);
	assert_true(live_blocks_find(blocks, 0x1017, &found));
	assert_int_equal(found.start, 0x1010);
	assert_false(live_blocks_find(blocks, 0x1018, &found));
	assert_true(live_blocks_find(blocks, (8u << 20) - 1, &found));
	live_blocks_remove(blocks, 5u << 20);
	assert_false(live_blocks_find(blocks, (8u << 20) - 1, &found));
	live_blocks_free(blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_access__rows_are_objects),
		cmocka_unit_test(test_live_blocks__are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
