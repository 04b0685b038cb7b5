/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 95 % intervals of sampled shares. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/sample_weight.h"
#include "profile/share_interval.h"

static void add(struct profile *profile, uint16_t event, uint64_t weight, uint64_t count)
{
	struct profile_sample sample = {
		.event = event, .weight = weight, .count = count, .cpu = PROFILE_NO_CPU
	};

	sample.thread = profile_thread(profile, 1, 1, "a");
	profile_add(profile, &sample);
}

static double effective(const struct profile *profile, uint16_t event)
{
	return share_effective_samples(&profile->events.item[event]);
}

static void near(double is, double expected)
{
	if (fabs(is - expected) > 0.0005)
		fail_msg("%g, expected %g", is, expected);
}

static void test_share_interval__counts_samples_of_one_weight(void **state)
{
	struct profile *profile = profile_new(0);
	uint16_t event = profile_event(profile, "cpu-clock", "ns");

	(void)state;
	for (int i = 0; i < 50; i++)
		add(profile, event, 1000, 1);
	near(effective(profile, event), 50);
	profile_free(profile);
}

/* 99 samples of 1 and one of 99: half of the weight hangs on one sample. Merged samples keep what
 * they were, and so do merged profiles. */
static void test_share_interval__weights_that_differ_are_worth_less(void **state)
{
	struct profile *profile = profile_new(0), *sum = profile_new(0);
	uint16_t event = profile_event(profile, "cycles", "");
	double expected = 198.0 * 198.0 / (99 + 99 * 99);

	(void)state;
	for (int i = 0; i < 99; i++)
		add(profile, event, 1, 1);
	add(profile, event, 99, 1);
	near(effective(profile, event), expected);
	profile_merge(sum, profile);
	near(effective(sum, 0), expected);
	profile_merge(sum, profile);
	near(effective(sum, 0), 2 * expected);
	profile_free(profile);
	profile_free(sum);
}

static void test_share_interval__texts_and_waits(void **state)
{
	struct profile *profile = profile_new(0);
	uint16_t text = profile_event(profile, "samples", "samples");
	uint16_t wait = profile_event(profile, "off-cpu", "ns");
	const bool both[2] = { true, true };

	(void)state;
	add(profile, text, 5000, 5000);
	add(profile, wait, 5000, 3);
	profile->events.item[text].sample_weight = 10;
	near(effective(profile, text), 500);
	profile->events.item[text].exact = true;
	near(effective(profile, text), 0); /* nothing is left out */
	profile->events.item[text].exact = false;
	profile->events.item[text].sample_weight = SAMPLE_WEIGHT_UNKNOWN;
	near(effective(profile, text), 0);
	near(effective(profile, wait), 0); /* measured, not sampled */
	near(share_effective_of(profile, both), 0);
	profile_free(profile);
}

/* Wilson's limits, as in tables. */
static void test_share_interval__limits(void **state)
{
	double limits[2];

	(void)state;
	share_interval(0.5, 100, limits);
	near(limits[0], 0.4038);
	near(limits[1], 0.5962);
	share_interval(0, 10, limits);
	near(limits[0], 0);
	near(limits[1], 0.2775);
	share_interval(1, 10, limits);
	near(limits[0], 0.7225);
	near(limits[1], 1);
}

static void test_share_interval__few_samples_are_said(void **state)
{
	struct buf text = { 0 };

	(void)state;
	share_put_few(100, &text);
	share_put_few(0, &text);
	assert_int_equal(text.len, 0);
	share_put_few(37, &text);
	assert_string_equal(text.data, "only 37 samples: 50% can be 35 to 65%, and what was not "
				       "seen up to 9.4%");
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_interval__counts_samples_of_one_weight),
		cmocka_unit_test(test_share_interval__weights_that_differ_are_worth_less),
		cmocka_unit_test(test_share_interval__texts_and_waits),
		cmocka_unit_test(test_share_interval__limits),
		cmocka_unit_test(test_share_interval__few_samples_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
