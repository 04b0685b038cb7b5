/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merging profiles: equal things stay one, new things come in the order of the second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"

static frame_id add_frame(struct profile *p, const char *name, const char *module)
{
	struct frame frame = { .function = strtab_puts(p->strings, name),
			       .module = profile_module(p, module, "abcd") };

	return profile_frame(p, &frame);
}

static void add_sample(struct profile *p, const char *leaf, const char *comm, const char *event)
{
	stack_id stack = profile_stack_push(p, STACK_EMPTY, add_frame(p, "main", "/bin/a"));
	struct profile_sample sample = { .thread = profile_thread(p, 1, 2, comm),
					 .event = profile_event(p, event, "ns"),
					 .weight = 10,
					 .count = 2 };

	sample.stack = profile_stack_push(p, stack, add_frame(p, leaf, "/lib/b"));
	profile_add(p, &sample);
}

static void test_merge__equal_things_stay_one(void **state)
{
	struct profile *a = profile_new(0), *b = profile_new(0);

	(void)state;
	add_sample(a, "x", "one", "cycles");
	add_sample(b, "y", "two", "faults");
	add_sample(b, "x", "one", "cycles");
	b->meta.unfinished = b->samples.item[1];
	profile_merge(a, b);
	assert_int_equal(a->samples.count, 2);
	assert_int_equal(a->samples.item[0].weight, 20);
	assert_int_equal(a->samples.item[0].count, 4);
	assert_int_equal(a->frames.count, 3);
	assert_int_equal(a->nodes.count, 4);
	assert_int_equal(a->modules.count, 3);
	assert_int_equal(a->threads.count, 2);
	assert_int_equal(a->events.count, 2);
	assert_int_equal(a->events.item[0].weight, 20);
	assert_int_equal(a->events.item[1].samples, 2);
	assert_string_equal(profile_string(a, a->threads.item[1].comm), "two");
	assert_string_equal(a->modules.item[2].build_id, "abcd");
	assert_int_equal(a->meta.unfinished.stack.v, a->samples.item[0].stack.v);
	profile_free(a);
	profile_free(b);
}

static void test_merge__into_an_empty_profile(void **state)
{
	struct profile *a = profile_new(PROFILE_MERGE_THREADS), *b = profile_new(0);

	(void)state;
	profile_merge(a, b);
	assert_int_equal(a->samples.count, 0);
	add_sample(b, "x", "one", "cycles");
	profile_merge(a, b);
	assert_int_equal(a->samples.count, 1);
	assert_int_equal(a->threads.item[0].tid, PROFILE_NO_ID);
	profile_free(a);
	profile_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge__equal_things_stay_one),
		cmocka_unit_test(test_merge__into_an_empty_profile),
	};

	return cmocka_run_group_tests_name("profile/profile_merge", tests, NULL, NULL);
}
