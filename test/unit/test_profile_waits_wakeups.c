/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/wakeups: a wait and the wake-up of its moment find each other, others do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "profile/waits/wakeups.h"

static void add(struct profile *profile, const char *event, uint64_t time_ns, uint64_t weight)
{
	profile_add(profile,
		    &(struct profile_sample){ .time_ns = time_ns,
					      .weight = weight,
					      .count = 1,
					      .stack = STACK_EMPTY,
					      .event = profile_event(profile, event, "ns"),
					      .thread = profile_thread(profile, 1, 1, "a") });
}

static void test_wakeups(void **state)
{
	struct profile *profile = profile_new(PROFILE_KEEP_TIME);
	const struct profile_sample *sample;
	struct wakeups wakeups = { 0 };
	uint32_t found = 77;

	(void)state;
	add(profile, "offcpu-time", 1000, 40); /* woken by 2 */
	add(profile, "offcpu-time", 1000, 50); /* at that moment too, but not as long */
	add(profile, "wakeup-time", 1000, 40);
	add(profile, "cpu-clock", 1000, 50);
	sample = profile->samples.item;
	wakeups_list(&wakeups, profile);
	assert_true(sample_is_wait(profile, &sample[0]));
	assert_false(sample_is_wait(profile, &sample[2]));
	assert_false(sample_is_wait(profile, &sample[3]));
	assert_true(wakeups_find(&wakeups, &sample[0], &found));
	assert_int_equal(found, 2);
	found = 77;
	assert_false(wakeups_find(&wakeups, &sample[1], &found));
	assert_int_equal(found, 77);
	wakeups_done(&wakeups);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_wakeups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
