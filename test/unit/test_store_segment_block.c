/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store/segment/block and chunk: rows come back as they were, and damage is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/segment/block.h"
#include "store/segment/bytes.h"
#include "store/segment/chunk.h"

#define STEP 10u

static void fill(struct store_rows *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t n = i * 2654435761u % 100003;

		vec_push(&rows->rows, ((struct store_row){ .series = (uint32_t)(n % 7),
							   .leaf = (uint32_t)(n % 501),
							   .time_ns = 1000 + n % 600,
							   .count = 1 + n % 3,
							   .weight = n % 11 ? (1 + n % 3) * 52
									    : UINT64_MAX - n }));
	}
}

struct sums {
	uint64_t rows, count, weight, hash;
};

static void add(void *context, const struct store_row *row)
{
	struct sums *sums = context;

	sums->rows++;
	sums->count += row->count;
	sums->weight += row->weight;
	sums->hash += (row->series + 1) * (row->leaf + 1) * row->time_ns;
}

static void sum_rows(const struct store_rows *rows, struct sums *ret)
{
	for (size_t i = 0; i < rows->rows.count; i++)
		add(ret, &rows->rows.item[i]);
}

static void test_block__rows_come_back(void **state)
{
	const struct block_filter all = { .to_ns = UINT64_MAX };
	const struct block_range range = { STEP, 3, 5 };
	struct store_rows rows = { 0 };
	struct sums before = { 0 }, merged = { 0 }, after = { 0 };
	struct chunk_list list = { 0 };
	struct err err = { 0 };
	struct buf out = { 0 };

	(void)state;
	fill(&rows, 20000);
	sum_rows(&rows, &before);
	store_rows_merge(&rows, STEP);
	sum_rows(&rows, &merged);
	assert_int_equal(before.count, merged.count);
	assert_int_equal(before.weight, merged.weight);
	block_write(&rows, &range, &out);
	chunk_list_read(&list, (const uint8_t *)out.data, out.len);
	assert_int_equal(list.chunks.count, 1);
	assert_int_equal(list.last_seq, 5);
	assert_int_equal(list.whole_bytes, out.len);
	assert_int_equal(list.chunks.item[0].head.rows, rows.rows.count);
	assert_int_equal(block_read(&list.chunks.item[0], &all, add, &after, &err), 0);
	assert_memory_equal(&after, &merged, sizeof(after));
	chunk_list_done(&list);
	buf_done(&out);
	vec_done(&rows.rows);
}

static void test_block__only_what_is_wanted(void **state)
{
	const bool wanted[4] = { false, false, true, false };
	const struct block_filter some = { wanted, 4, 1100, 1200 };
	const struct block_range range = { STEP, 1, 1 };
	struct store_rows rows = { 0 };
	struct sums sums = { 0 }, expected = { 0 };
	struct chunk_list list = { 0 };
	struct err err = { 0 };
	struct buf out = { 0 };

	(void)state;
	fill(&rows, 5000);
	store_rows_merge(&rows, STEP);
	for (size_t i = 0; i < rows.rows.count; i++)
		if (rows.rows.item[i].series == 2 && rows.rows.item[i].time_ns >= 1100 &&
		    rows.rows.item[i].time_ns < 1200)
			add(&expected, &rows.rows.item[i]);
	block_write(&rows, &range, &out);
	chunk_list_read(&list, (const uint8_t *)out.data, out.len);
	assert_int_equal(block_read(&list.chunks.item[0], &some, add, &sums, &err), 0);
	assert_true(sums.rows > 0);
	assert_memory_equal(&sums, &expected, sizeof(sums));
	chunk_list_done(&list);
	buf_done(&out);
	vec_done(&rows.rows);
}

/* Rows of more than one chunk count only when all of them are there. */
static void test_block__many_rows_are_one(void **state)
{
	const struct block_range range = { STEP, 1, 1 };
	struct store_rows rows = { 0 };
	struct chunk_list list = { 0 };
	struct buf out = { 0 };

	(void)state;
	for (uint32_t i = 0; i < BLOCK_MAX_ROWS + 10; i++)
		vec_push(&rows.rows, ((struct store_row){ 0, i, 1000, 1, 1 }));
	block_write(&rows, &range, &out);
	chunk_list_read(&list, (const uint8_t *)out.data, out.len);
	assert_int_equal(list.chunks.count, 2);
	chunk_list_done(&list);
	list = (struct chunk_list){ 0 };
	chunk_list_read(&list, (const uint8_t *)out.data, out.len - 1);
	assert_int_equal(list.chunks.count, 0);
	assert_int_equal(list.whole_bytes, 0);
	chunk_list_done(&list);
	buf_done(&out);
	vec_done(&rows.rows);
}

static void put_two(struct buf *out)
{
	const struct block_range range = { STEP, 1, 1 };
	struct store_rows rows = { 0 };

	fill(&rows, 100);
	store_rows_merge(&rows, STEP);
	block_write(&rows, &range, out);
	block_write(&rows, &range, out);
	vec_done(&rows.rows);
}

static void test_chunk__damage_is_passed_over(void **state)
{
	struct buf out = { 0 };
	size_t half;

	(void)state;
	put_two(&out);
	half = out.len / 2;
	for (size_t at = 0; at < half; at += 13) {
		struct chunk_list list = { 0 };

		out.data[at] ^= 0x10;
		chunk_list_read(&list, (const uint8_t *)out.data, out.len);
		/* the second one is found unless the first one's length is wrong */
		assert_true(list.chunks.count <= 1);
		assert_true(list.chunks.count == 1 || at < sizeof(struct chunk_head));
		chunk_list_done(&list);
		out.data[at] ^= 0x10;
	}
	buf_done(&out);
}

static void test_chunk__numbers_are_signed(void **state)
{
	static const int64_t values[] = { 0, -1, 1, INT64_MIN, INT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(unzigzag(zigzag(values[i])), values[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block__rows_come_back),
		cmocka_unit_test(test_block__only_what_is_wanted),
		cmocka_unit_test(test_block__many_rows_are_one),
		cmocka_unit_test(test_chunk__damage_is_passed_over),
		cmocka_unit_test(test_chunk__numbers_are_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
