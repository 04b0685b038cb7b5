/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cold blocks: pages that were looked at count for the bytes that blocks have in them; blocks that
 * were not there all the time, or not resident, or of another process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/heap/heap_cold.h"
#include "profile/profile.h"
#include "view/heap/heap_cold_view.h"

#define PAGE 4096u

enum { MIXED = 1, UNKNOWN, HOT, ABSENT };

static void live(struct heap_lives *lives, uint32_t stack, uint64_t address, double size)
{
	vec_push(&lives->life, ((struct heap_life){ .stack = { stack },
						    .stop = STACK_STOP_ROOT,
						    .address = address,
						    .size = size,
						    .blocks = 2,
						    .begin_ns = 10 }));
}

/* Pages 1 to 8 are resident; 1 and 2 are touched, 3 to 6 are not, 7 and 8 were not looked at. */
static void make(struct heap_lives *lives, struct heap_cold_pages *pages)
{
	*lives = (struct heap_lives){ 0 };
	*pages = (struct heap_cold_pages){
		.pid = 7, .begin_ns = 100, .end_ns = 200, .page_bytes = PAGE
	};
	vec_push(&lives->process, ((struct heap_process){ 7, 0, 300 }));
	vec_push(&lives->process, ((struct heap_process){ 8, 0, 300 }));
	vec_push(&pages->resident, ((struct heap_cold_range){ 1 * PAGE, 4 * PAGE }));
	vec_push(&pages->resident, ((struct heap_cold_range){ 4 * PAGE, 9 * PAGE }));
	for (uint64_t i = 1; i < 7; i++)
		vec_push(&pages->page, ((struct heap_cold_page){ i * PAGE, i <= 2 }));
	live(lives, MIXED, 2 * PAGE + 96, 5 * PAGE); /* 4000 touched, 4 pages cold, 96 unknown */
	live(lives, UNKNOWN, 7 * PAGE, 100);
	live(lives, HOT, 1 * PAGE + 5, 300);
	live(lives, ABSENT, 100 * PAGE, 64 * PAGE);
	live(lives, HOT, 1 * PAGE, 1000);
	vec_last(&lives->life)->end_ns = 150;
	live(lives, HOT, 1 * PAGE, 1000);
	vec_last(&lives->life)->begin_ns = 150;
	live(lives, HOT, 1 * PAGE, 5000);
	vec_last(&lives->life)->end_ns = 50;
	live(lives, HOT, 1 * PAGE, 5000);
	vec_last(&lives->life)->process = 1;
}

static const struct heap_cold_row *row_of(const struct heap_cold_table *table, uint32_t stack)
{
	for (size_t i = 0; i < table->row.count; i++)
		if (table->row.item[i].stack.v == stack)
			return &table->row.item[i];
	fail_msg("no row of stack %u", stack);
	return NULL;
}

static void test_heap_cold__bytes_of_blocks(void **state)
{
	struct heap_cold_pages pages;
	struct heap_cold_table table;
	struct heap_lives lives;
	const struct heap_cold_row *mixed;

	(void)state;
	make(&lives, &pages);
	heap_cold_collect(&lives, &pages, &table);
	assert_int_equal(table.row.count, 4);
	assert_true(table.others == 4000);
	mixed = &table.row.item[0]; /* the coldest */
	assert_int_equal(mixed->stack.v, MIXED);
	assert_true(mixed->live == 10 * PAGE && mixed->resident == 10 * PAGE);
	assert_true(mixed->looked == 2 * (4000 + 4 * PAGE) && mixed->cold == 2 * 4 * PAGE);
	assert_true(heap_cold_bytes(mixed) > 8 * PAGE && heap_cold_bytes(mixed) < 9 * PAGE);
	assert_true(heap_cold_bytes(row_of(&table, HOT)) == 0);
	assert_true(row_of(&table, HOT)->live == 600);
	assert_true(heap_cold_bytes(row_of(&table, UNKNOWN)) < 0);
	assert_true(row_of(&table, ABSENT)->resident == 0);
	assert_int_equal(table.sum.blocks, 4);
	heap_cold_done(&table);
	heap_cold_pages_done(&pages);
	heap_lives_done(&lives);
}

static void test_heap_cold_view__text_and_json(void **state)
{
	struct profile *profile = profile_new(0);
	struct heap_cold_pages pages;
	struct heap_cold_table table;
	const struct heap_cold_view view = { .profile = profile,
					     .table = &table,
					     .seconds = 1.5,
					     .looked = 6,
					     .anonymous = 8,
					     .lost = 3,
					     .rows = 1 };
	struct heap_lives lives;
	struct buf out = { 0 };

	(void)state;
	make(&lives, &pages);
	lives.life.count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		const struct frame frame = { .function = strtab_puts(profile->strings,
								     i ? "unknown" : "mixed") };

		lives.life.item[i].stack =
			profile_stack_push(profile, STACK_EMPTY, profile_frame(profile, &frame));
	}
	heap_cold_collect(&lives, &pages, &table);
	heap_cold_text(&view, &out);
	assert_non_null(strstr(out.data, "In 1.5 s, about "));
	assert_non_null(strstr(out.data, "looked at 6 of 8 pages"));
	assert_non_null(strstr(out.data, "3 samples were lost"));
	assert_non_null(strstr(out.data, "  mixed\nmore: --rows 0\n"));
	buf_clear(&out);
	heap_cold_json(&view, &out);
	assert_non_null(strstr(out.data, "\"method\": \"damon\", \"pages\": 8, \"looked_at\": 6"));
	assert_non_null(strstr(out.data, "{ \"cold\": null, \"resident\": 200,"));
	heap_cold_done(&table);
	lives.life.count = 0;
	heap_cold_collect(&lives, &pages, &table);
	buf_clear(&out);
	heap_cold_text(&view, &out);
	assert_non_null(strstr(out.data, "No sampled block of the heap was there all the time."));
	heap_cold_pages_done(&pages);
	heap_lives_done(&lives);
	buf_done(&out);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_cold__bytes_of_blocks),
		cmocka_unit_test(test_heap_cold_view__text_and_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
