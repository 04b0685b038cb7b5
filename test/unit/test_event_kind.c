/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds and units: where names are read, and that nothing later depends on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/desc.h"
#include "profile/profile.h"
#include "profile/waits/wall_time.h"

static void test_kind__of_names(void **state)
{
	static const struct {
		const char *name;
		enum event_kind kind;
	} cases[] = {
		{ "cpu-clock", EVENT_KIND_CPU_TIME },
		{ "cpu-clock:uhpppH", EVENT_KIND_CPU_TIME },
		{ "task-clock:u", EVENT_KIND_CPU_TIME },
		{ "offcpu-time", EVENT_KIND_OFF_CPU },
		{ "wakeup-time", EVENT_KIND_WAKEUP },
		{ "offcpu-timer", EVENT_KIND_OTHER },
		{ "cycles", EVENT_KIND_OTHER },
		{ "", EVENT_KIND_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(event_kind_of_name(cases[i].name), cases[i].kind);
}

/* A clock is one whatever it is called, and another event is none. */
static void test_kind__of_attrs(void **state)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_CPU_CLOCK };
	struct perf_event_attr output = { .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_BPF_OUTPUT };
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE };
	struct event_set set = { 0 };

	(void)state;
	assert_int_equal(event_kind_of_attr(&clock, "mine"), EVENT_KIND_CPU_TIME);
	assert_int_equal(event_kind_of_attr(&output, "offcpu-time"), EVENT_KIND_OFF_CPU);
	assert_int_equal(event_kind_of_attr(&output, "cpu-clock"), EVENT_KIND_OTHER);
	assert_int_equal(event_kind_of_attr(&cycles, "offcpu-time"), EVENT_KIND_OTHER);
	assert_int_equal(event_set_add(&set, &clock, "mine")->unit, EVENT_UNIT_NS);
	assert_int_equal(event_set_add(&set, &cycles, "cycles")->unit, EVENT_UNIT_COUNT);
	event_set_done(&set);
}

static void test_unit__of_names(void **state)
{
	(void)state;
	for (int unit = 0; unit < EVENT_UNIT_OTHER; unit++)
		assert_int_equal(event_unit_of_name(event_unit_name((enum event_unit)unit)), unit);
	assert_int_equal(event_unit_of_name("Joules"), EVENT_UNIT_OTHER);
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++)
		assert_true(*event_unit_name(event_kind_unit((enum event_kind)kind)));
}

/* Wall-clock time is made of events of the two kinds, whatever they are called. */
static void test_kind__names_do_not_matter(void **state)
{
	struct profile *profile = profile_new(0);
	struct profile_sample sample = { .cpu = PROFILE_NO_CPU, .weight = 5, .count = 1 };
	uint16_t wall;

	(void)state;
	sample.thread = profile_thread(profile, 1, 2, "a");
	sample.event = profile_event_of_kind(profile, "mine", "ns", EVENT_KIND_CPU_TIME);
	profile_add(profile, &sample);
	sample.event = profile_event_of_kind(profile, "yours", "ns", EVENT_KIND_OFF_CPU);
	profile_add(profile, &sample);
	assert_false(profile_find_kind(profile, EVENT_KIND_WALL_TIME, &wall));
	assert_true(wall_time_add(profile));
	assert_true(profile_find_kind(profile, EVENT_KIND_WALL_TIME, &wall));
	assert_int_equal(profile->events.item[wall].weight, 10);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kind__of_names),
		cmocka_unit_test(test_kind__of_attrs),
		cmocka_unit_test(test_unit__of_names),
		cmocka_unit_test(test_kind__names_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
