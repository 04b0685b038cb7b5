/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/profile: prefixes are shared, equal samples merge, expansion keeps every weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

struct expansion_case {
	frame_id split[2], from;
	frame_id self;
};

static struct frame_expansion expand(void *context, frame_id frame)
{
	struct expansion_case *c = context;

	if (frame.v == c->from.v)
		return (struct frame_expansion){ .item = c->split, .count = 2 };
	c->self = frame;
	return (struct frame_expansion){ .item = &c->self, .count = 1 };
}

static void test_profile__expansion_inserts_inlined_frames(void **state)
{
	struct profile *p = profile_new(0);
	uint16_t event = profile_event(p, "cpu-clock", "ns");
	frame_id raw = make_frame(p, "raw");
	stack_id leaf = profile_stack_push(p, STACK_EMPTY, raw);
	struct profile_sample s = { .stack = leaf, .event = event, .weight = 7 };
	struct expansion_case c = { .from = raw };
	size_t raw_frames;

	(void)state;
	profile_add(p, &s);
	raw_frames = p->frames.count;
	c.split[0] = make_frame(p, "outer");
	c.split[1] = make_frame(p, "");
	profile_expand(p, raw_frames, expand, &c);
	profile_count(p);
	assert_int_equal(2, p->nodes.item[p->samples.item[0].stack.v].depth);
	assert_int_equal(7, p->samples.item[0].weight);
	assert_int_equal(2, p->events.item[0].frames);
	assert_int_equal(1, p->events.item[0].unknown_frames);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile__equal_prefixes_are_stored_once),
		cmocka_unit_test(test_profile__equal_samples_merge),
		cmocka_unit_test(test_profile__expansion_inserts_inlined_frames),
	};

	return cmocka_run_group_tests_name("profile/profile", tests, NULL, NULL);
}
