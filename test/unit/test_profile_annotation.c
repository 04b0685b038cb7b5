// SPDX-License-Identifier: GPL-2.0-or-later
/* profile/annotation: loops from jumps back, shares, lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/annotation.h"

/* Rows of four bytes from address 0x100; row i jumps to target[i], or nowhere. */
static struct annotation *make(const uint32_t *target, uint32_t count)
{
	struct annotation *a = annotation_new();

	vec_push(&a->events,
		 ((struct annotation_event){
			 .name = "cycles", .all = { 40, 4000 }, .samples = { 10, 2000 } }));
	for (uint32_t i = 0; i < count; i++) {
		vec_push(&a->rows, ((struct annotation_row){ .address = 0x100 + 4 * i,
							     .kind = target[i] == ANNOTATION_NONE
									     ? ANNOTATION_PLAIN
									     : ANNOTATION_JUMP,
							     .target = target[i],
							     .loop = ANNOTATION_NONE }));
		vec_push(&a->counts, ((struct annotation_count){ i, i * 100 }));
	}
	return a;
}

#define NO ANNOTATION_NONE

static void test_annotation__jumps_back_are_nested_loops(void **state)
{
	/* 1..6 with 2..4 inside, twice; 3 jumps out of the inner one */
	static const uint32_t target[] = { NO, NO, NO, 5, 2, NO, 1, 0 + 7, NO };
	struct annotation *a = make(target, 9);

	(void)state;
	annotation_find_loops(a);
	assert_int_equal(3, a->loops.count);
	assert_int_equal(1, a->loops.item[0].first);
	assert_int_equal(6, a->loops.item[0].last);
	assert_int_equal(1, a->loops.item[0].depth);
	assert_int_equal(2, a->loops.item[1].first);
	assert_int_equal(4, a->loops.item[1].last);
	assert_int_equal(2, a->loops.item[1].depth);
	assert_int_equal(0, a->loops.item[1].outer);
	assert_int_equal(7, a->loops.item[2].first); /* onto itself */
	assert_int_equal(NO, a->rows.item[0].loop);
	assert_int_equal(0, a->rows.item[1].loop);
	assert_int_equal(1, a->rows.item[4].loop);
	assert_int_equal(0, a->rows.item[5].loop);
	assert_int_equal(2, a->rows.item[7].loop);
	assert_int_equal(NO, a->rows.item[8].loop);
	annotation_free(a);
}

static void test_annotation__jumps_to_one_row_are_one_loop(void **state)
{
	static const uint32_t target[] = { NO, NO, 1, 1, NO };
	struct annotation *a = make(target, 5);

	(void)state;
	annotation_find_loops(a);
	assert_int_equal(1, a->loops.count);
	assert_int_equal(3, a->loops.item[0].last);
	annotation_free(a);
}

static void test_annotation__rows_are_found_by_address(void **state)
{
	static const uint32_t target[] = { NO, NO, NO };
	struct annotation *a = make(target, 3);

	(void)state;
	assert_int_equal(2, annotation_find_row(a, 0x108));
	assert_int_equal(NO, annotation_find_row(a, 0x106));
	assert_int_equal(NO, annotation_find_row(a, 0x10c));
	annotation_free(a);
}

static void test_annotation__shares(void **state)
{
	static const uint32_t target[] = { NO };
	struct annotation *a = make(target, 1);
	const struct annotation_count count = { 1, 500 };

	(void)state;
	assert_float_equal(0.25, annotation_share(a, 0, &count, ANNOTATION_LOCAL_PERIOD), 1e-9);
	assert_float_equal(0.1, annotation_share(a, 0, &count, ANNOTATION_LOCAL_HITS), 1e-9);
	assert_float_equal(0.125, annotation_share(a, 0, &count, ANNOTATION_GLOBAL_PERIOD), 1e-9);
	assert_float_equal(0.025, annotation_share(a, 0, &count, ANNOTATION_GLOBAL_HITS), 1e-9);
	annotation_free(a);
}

static void test_annotation__lines_sum_their_instructions(void **state)
{
	static const uint32_t target[] = { NO, NO, NO, NO };
	static const uint32_t line[] = { 7, 3, 7, 0 };
	struct annotation *a = make(target, 4);
	struct annotation_lines lines;

	(void)state;
	vec_push(&a->sources, ((struct annotation_source){ .path = "a.c" }));
	for (uint32_t i = 0; i < 4; i++) {
		vec_push(&a->frames, ((struct annotation_frame){ "f", "a.c", 0, line[i] }));
		a->rows.item[i].frame = i;
		a->rows.item[i].frames = 1;
	}
	annotation_lines_find(a, &lines);
	assert_int_equal(2, lines.list.count);
	assert_int_equal(3, lines.list.item[0].line);
	assert_int_equal(1, lines.list.item[0].count[0].samples);
	assert_int_equal(7, lines.list.item[1].line);
	assert_int_equal(0 + 2, lines.list.item[1].count[0].samples);
	assert_int_equal(200, lines.list.item[1].count[0].weight);
	annotation_lines_done(&lines);
	annotation_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotation__jumps_back_are_nested_loops),
		cmocka_unit_test(test_annotation__jumps_to_one_row_are_one_loop),
		cmocka_unit_test(test_annotation__rows_are_found_by_address),
		cmocka_unit_test(test_annotation__shares),
		cmocka_unit_test(test_annotation__lines_sum_their_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
