/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/load/late_places: equal places are one, others stay apart, and a frame says its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proc/module.h"
#include "profile/profile.h"
#include "session/load/late_places.h"
#include "session/load/resolve.h"

static void test_equal_places_are_one(void **state)
{
	const struct module a = { .id = { 1 } }, b = { .id = { 2 } };
	const struct resolve_place place[] = {
		{ .module = &a, .offset = 0x10 },
		{ .module = &a, .offset = 0x10, .caller = true },
		{ .module = &a, .offset = 0x10, .kernel = true },
		{ .module = &b, .offset = 0x10 },
		{ .module = &a, .offset = 0x11 },
	};
	const size_t count = sizeof(place) / sizeof(*place);
	struct late_places *places = late_places_new();

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < count; i++)
			assert_int_equal(late_places_add(places, &place[i]), i);
	assert_int_equal(late_places_count(places), count);
	assert_ptr_equal(late_places_get(places, 3)->module, &b);
	late_places_free(places);
}

static void test_frames_say_their_place(void **state)
{
	struct late_places *places = late_places_new();
	struct profile *profile = profile_new(0);
	stack_id outer, inner;

	(void)state;
	outer = late_places_push(places, profile, STACK_EMPTY, 7);
	inner = late_places_push(places, profile, outer, 3);
	assert_int_equal(late_places_push(places, profile, outer, 3).v, inner.v);
	assert_int_equal(profile->nodes.item[inner.v].parent.v, outer.v);
	assert_int_equal(profile->frames.item[profile->nodes.item[inner.v].frame.v].offset, 3);
	assert_int_equal(profile->frames.item[profile->nodes.item[outer.v].frame.v].offset, 7);
	profile_free(profile);
	late_places_free(places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_places_are_one),
		cmocka_unit_test(test_frames_say_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
