/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/profile: prefixes are shared, equal samples merge, expansion keeps every weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "profile/profile.h"

static frame_id make_frame(struct profile *p, const char *name)
{
	return profile_frame(p, &(struct frame){ .function = strtab_puts(p->strings, name) });
}

static void test_profile__equal_prefixes_are_stored_once(void **state)
{
	struct profile *p = profile_new(0);
	frame_id a = make_frame(p, "a"), b = make_frame(p, "b"), c = make_frame(p, "c");
	stack_id ab = profile_stack_push(p, profile_stack_push(p, STACK_EMPTY, a), b);
	stack_id ac = profile_stack_push(p, profile_stack_push(p, STACK_EMPTY, a), c);

	(void)state;
	assert_int_equal(4, p->nodes.count); /* empty, a, ab, ac */
	assert_int_equal(2, p->nodes.item[ab.v].depth);
	assert_int_not_equal(ab.v, ac.v);
	assert_int_equal(a.v, make_frame(p, "a").v);
	profile_free(p);
}

static void test_profile__equal_samples_merge(void **state)
{
	struct profile *p = profile_new(0);
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	stack_id a = profile_stack_push(p, STACK_EMPTY, make_frame(p, "a"));
	struct profile_sample s = { .stack = a,
				    .thread = profile_thread(p, 1, 1, "x"),
				    .event = event,
				    .stop = STACK_STOP_ROOT,
				    .weight = 10 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		s.cpu = (uint32_t)i & 1;
		profile_add(p, &s);
	}
	assert_int_equal(1, p->samples.count);
	assert_int_equal(10000, p->samples.item[0].weight);
	assert_int_equal(1000, p->events.item[0].stop[STACK_STOP_ROOT]);
	profile_free(p);
}

static void test_profile__a_trimmed_profile_finds_what_it_has(void **state)
{
	struct profile *p = profile_new(0);
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	frame_id frame = make_frame(p, "a");
	stack_id a = profile_stack_push(p, STACK_EMPTY, frame);
	struct profile_sample s = { .stack = a, .event = event, .weight = 10 };

	(void)state;
	profile_add(p, &s);
	profile_trim(p);
	assert_int_equal(a.v, profile_stack_push(p, STACK_EMPTY, frame).v);
	profile_add(p, &s);
	assert_int_equal(1, p->samples.count);
	assert_int_equal(20, p->samples.item[0].weight);
	assert_int_not_equal(a.v, profile_stack_push(p, a, frame).v);
	profile_free(p);
}

static void test_profile__count_sees_frames_without_names(void **state)
{
	struct profile *p = profile_new(0);
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	stack_id outer = profile_stack_push(p, STACK_EMPTY, make_frame(p, "outer"));
	stack_id leaf = profile_stack_push(p, outer, make_frame(p, ""));
	struct profile_sample s = { .stack = leaf, .event = event, .weight = 7, .count = 3 };

	(void)state;
	profile_add(p, &s);
	profile_count(p);
	assert_int_equal(6, p->events.item[0].frames);
	assert_int_equal(3, p->events.item[0].unknown_frames);
	profile_free(p);
}

/* Chains longer than what is looked up at a time, some of them known in part. */
static void test_profile__chains_are_pushes(void **state)
{
	struct profile *p = profile_new(0);
	frame_id frames[100];
	stack_id at[100], again[100], stack = STACK_EMPTY;

	(void)state;
	for (int i = 0; i < 100; i++)
		frames[i] = make_frame(p, i % 2 ? "even" : i % 3 ? "odd" : "third");
	for (int i = 0; i < 20; i++)
		stack = profile_stack_push(p, stack, frames[i]);
	profile_stack_push_all(p, STACK_EMPTY, frames, 100, at);
	assert_int_equal(stack.v, at[19].v);
	assert_int_equal(101, p->nodes.count); /* and the empty one */
	profile_stack_push_all(p, at[4], frames + 5, 95, again);
	assert_memory_equal(&at[5], again, 95 * sizeof(*again));
	assert_int_equal(at[99].v, profile_stack_push(p, at[98], frames[99]).v);
	assert_int_equal(100, p->nodes.item[at[99].v].depth);
	profile_free(p);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* A function that calls itself many times: hashes must not come again, or each push compares with
 * all nodes before it. */
static void test_profile__hashes_of_a_deep_recursion_differ(void **state)
{
	enum { DEPTH = 300000 };
	struct profile *p = profile_new(0);
	uint32_t *hash = mem_alloc(DEPTH * sizeof(*hash));
	frame_id frame = make_frame(p, "f");
	stack_id stack = STACK_EMPTY;
	size_t equal = 0;

	(void)state;
	for (size_t i = 0; i < DEPTH; i++) {
		stack = profile_stack_push(p, stack, frame);
		hash[i] = p->nodes.item[stack.v].hash;
	}
	qsort(hash, DEPTH, sizeof(*hash), by_number);
	for (size_t i = 1; i < DEPTH; i++)
		equal += hash[i] == hash[i - 1];
	assert_in_range(equal, 0, 100); /* by chance, of 2^32, about 10 */
	free(hash);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile__equal_prefixes_are_stored_once),
		cmocka_unit_test(test_profile__equal_samples_merge),
		cmocka_unit_test(test_profile__a_trimmed_profile_finds_what_it_has),
		cmocka_unit_test(test_profile__count_sees_frames_without_names),
		cmocka_unit_test(test_profile__chains_are_pushes),
		cmocka_unit_test(test_profile__hashes_of_a_deep_recursion_differ),
	};

	return cmocka_run_group_tests_name("profile/profile", tests, NULL, NULL);
}
