/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lives of blocks: a leak ranks before a large flat cache, one that fills, and blocks that come and
 * go; lifetimes; live bytes over time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/heap/heap_life.h"

#define SECOND 1000000000ull
#define LENGTH (100 * SECOND)

enum { LEAK = 1, CACHE, FILLS, BUSY, ONCE };

static void live(struct heap_lives *lives, uint32_t stack, double bytes, uint64_t begin_ns,
		 uint64_t end_ns)
{
	vec_push(&lives->life, ((struct heap_life){ .stack = { stack },
						    .stop = STACK_STOP_ROOT,
						    .size = bytes / 2,
						    .blocks = 2,
						    .begin_ns = SECOND + begin_ns,
						    .end_ns = end_ns ? SECOND + end_ns : 0 }));
}

static void make(struct heap_lives *lives)
{
	*lives = (struct heap_lives){ 0 };
	vec_push(&lives->process, ((struct heap_process){ 7, SECOND, SECOND + LENGTH }));
	for (unsigned i = 0; i < 100; i++)
		live(lives, LEAK, 1000, i * SECOND, 0);
	live(lives, CACHE, 1e9, 0, 0);
	for (unsigned i = 0; i < 35; i++)
		live(lives, FILLS, 1e6, i * SECOND, 0);
	/* a bit more or less of it, always */
	for (unsigned i = 0; i < 100; i++)
		live(lives, BUSY, 1e5 + 1000 * (i * 7919 % 97), i * SECOND,
		     i < 97 ? (i + 3) * SECOND : 0);
	live(lives, ONCE, 1e8, 60 * SECOND, 0);
}

static void test_heap_holders__leak_comes_first(void **state)
{
	struct heap_lives lives;
	struct heap_holders holders;
	const struct heap_held *held;
	double sum = 0;

	(void)state;
	make(&lives);
	heap_holders_collect(&lives, &holders);
	assert_int_equal(holders.held.count, 4); /* what is busy holds nothing old */
	held = &holders.held.item[0];
	assert_int_equal(held->stack.v, LEAK);
	assert_true(held->growth.low > 900 && held->growth.high < 1100);
	assert_true(held->bytes == 91 * 1000); /* without the last tenth */
	assert_true(held->blocks == 91 * 2);
	for (size_t i = 0; i < HEAP_AGES; i++)
		sum += held->age[i];
	assert_true(sum == held->bytes && held->age[0] > 12000 && held->age[0] < 14000);
	for (size_t i = 1; i < holders.held.count; i++)
		assert_true(holders.held.item[i].growth.low <= 0);
	assert_int_equal(holders.held.item[1].stack.v, CACHE); /* the largest of those */
	heap_holders_done(&holders);
	heap_lives_done(&lives);
}

static void test_heap_spans__by_lifetime(void **state)
{
	double span[HEAP_SPANS], not_freed;
	struct heap_lives lives = { 0 };

	(void)state;
	vec_push(&lives.process, ((struct heap_process){ 7, SECOND, SECOND + LENGTH }));
	live(&lives, 1, 10, 5, 6);
	live(&lives, 1, 20, 5, 5 + 10000);
	live(&lives, 1, 40, 5, 5 + 90 * SECOND);
	live(&lives, 1, 80, 5, 0);
	heap_spans(&lives, span, &not_freed);
	assert_true(span[0] == 10 && span[1] == 20 && span[HEAP_SPANS - 1] == 40);
	assert_true(not_freed == 80);
	assert_int_equal(heap_span_end(0), 10000);
	assert_int_equal(heap_span_end(2), HEAP_TEMPORARY_NS);
	heap_lives_done(&lives);
}

static void test_heap_over_time__steps(void **state)
{
	struct heap_lives lives = { 0 };
	double bytes[4];

	(void)state;
	assert_int_equal(heap_over_time(&lives, bytes, 4), 0);
	vec_push(&lives.process, ((struct heap_process){ 7, SECOND, SECOND + LENGTH }));
	live(&lives, 1, 10, 0, 0);
	live(&lives, 1, 20, 30 * SECOND, 80 * SECOND);
	live(&lives, 1, 40, LENGTH, 0);
	assert_int_equal(heap_over_time(&lives, bytes, 4), LENGTH);
	assert_true(bytes[0] == 10 && bytes[1] == 30 && bytes[2] == 30 && bytes[3] == 50);
	heap_lives_done(&lives);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_holders__leak_comes_first),
		cmocka_unit_test(test_heap_spans__by_lifetime),
		cmocka_unit_test(test_heap_over_time__steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
