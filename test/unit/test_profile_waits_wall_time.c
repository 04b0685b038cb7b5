/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On and off the CPU add up to wall-clock time; idle CPU time is excluded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "profile/waits/wall_time.h"

static void add(struct profile *p, const char *event, uint32_t tid, uint64_t ns)
{
	struct frame frame = { .function = strtab_puts(p->strings, "f") };
	struct profile_sample sample = { .event = profile_event(p, event, "ns"),
					 .thread = profile_thread(p, tid, tid, "app"),
					 .weight = ns,
					 .count = 1 };

	sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	profile_add(p, &sample);
}

static uint64_t wall_ns(struct profile *p)
{
	uint64_t ns = 0;

	profile_count(p);
	if (!wall_time_add(p))
		return 0;
	for (size_t i = 0; i < p->events.count; i++)
		if (strcmp(profile_string(p, p->events.item[i].name), WALL_TIME_EVENT) == 0)
			ns = p->events.item[i].weight;
	return ns;
}

static void test_wall_time__on_and_off(void **state)
{
	struct profile *p = profile_new(0);

	(void)state;
	add(p, "cpu-clock:u", 7, 10);
	add(p, "cpu-clock:u", 0, 100); /* idle */
	add(p, "offcpu-time", 7, 30);
	add(p, "faults", 7, 5);
	add(p, "wakeup-time", 8, 30);
	assert_int_equal(wall_ns(p), 40);
	profile_free(p);
}

static void test_wall_time__needs_both(void **state)
{
	struct profile *p = profile_new(0);

	(void)state;
	add(p, "offcpu-time", 7, 30);
	add(p, "cpu-clocks", 7, 5);
	add(p, "cycles", 7, 5);
	assert_int_equal(wall_ns(p), 0);
	assert_int_equal(p->events.count, 3);
	add(p, "task-clock", 7, 5);
	assert_int_equal(wall_ns(p), 35);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wall_time__on_and_off),
		cmocka_unit_test(test_wall_time__needs_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
