/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live bytes by stack in parts of the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/heap/heap_life.h"
#include "profile/heap/heap_over_time.h"
#include "profile/profile.h"

#define MS 1000000ull

static stack_id stack_of(struct profile *p, const char *function)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function) };

	return profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
}

static uint64_t sum_of(const struct profile *p, stack_id stack, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *s = &p->samples.item[i];

		if (s->stack.v == stack.v && s->time_ns >= from_ns && s->time_ns < to_ns)
			sum += s->weight;
	}
	return sum;
}

/* Of a second: one block of 1000 bytes for all of it, one of 50 for 100 ms that stands for 10, one
 * within a part. */
static void test_heap_over_time__adds_up(void **state)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct heap_lives lives = { 0 };
	stack_id whole = stack_of(p, "whole"), some = stack_of(p, "some"),
		 brief = stack_of(p, "brief");

	(void)state;
	(void)profile_thread(p, 7, 7, "app");
	vec_push(&lives.process, ((struct heap_process){ 7, 5 * MS, 1005 * MS }));
	vec_push(&lives.life,
		 ((struct heap_life){
			 .stack = whole, .size = 1000, .blocks = 1, .begin_ns = 5 * MS }));
	vec_push(&lives.life, ((struct heap_life){ .stack = some,
						   .size = 50,
						   .blocks = 10,
						   .begin_ns = 310 * MS,
						   .end_ns = 410 * MS }));
	vec_push(&lives.life, ((struct heap_life){ .stack = brief,
						   .size = 4000,
						   .blocks = 1,
						   .begin_ns = 506 * MS,
						   .end_ns = 508 * MS }));
	heap_add_over_time(p, &lives);
	assert_int_equal(1, p->events.count);
	assert_string_equal(HEAP_OVER_TIME_EVENT, profile_string(p, p->events.item[0].name));
	assert_int_equal(1000 * 1000, sum_of(p, whole, 0, UINT64_MAX));
	assert_int_equal(100 * 1000, sum_of(p, whole, 205 * MS, 305 * MS));
	assert_int_equal(500 * 100, sum_of(p, some, 0, UINT64_MAX));
	assert_int_equal(0, sum_of(p, some, 425 * MS, UINT64_MAX));
	assert_int_equal(4000 * 2, sum_of(p, brief, 505 * MS, 525 * MS));
	heap_lives_done(&lives);
	profile_free(p);
}

static void test_heap_over_time__nothing(void **state)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct heap_lives lives = { 0 };

	(void)state;
	heap_add_over_time(p, &lives);
	assert_int_equal(0, p->samples.count);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap_over_time__adds_up),
		cmocka_unit_test(test_heap_over_time__nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
