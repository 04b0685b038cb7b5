/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one sample weighs, by the weights of a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "profile/sample_weight.h"

/* Stacks f0, f1, … with the weights a, a + step, …, times `factor`. */
static double found(uint64_t a, uint64_t step, size_t count, uint64_t factor)
{
	struct profile *profile = profile_new(0);
	struct profile_sample sample = { .cpu = PROFILE_NO_CPU, .count = 1 };
	double ret;

	sample.event = profile_event(profile, "samples", "samples");
	sample.thread = profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, "");
	for (size_t i = 0; i < count; i++) {
		struct frame frame = { 0 };
		char name[32];

		(void)snprintf(name, sizeof(name), "f%zu", i);
		frame.function = strtab_puts(profile->strings, name);
		sample.stack =
			profile_stack_push(profile, STACK_EMPTY, profile_frame(profile, &frame));
		sample.weight = (a + i * step) * factor;
		profile_add(profile, &sample);
	}
	profile_find_sample_weight(profile, sample.event);
	ret = profile->events.item[sample.event].sample_weight;
	profile_free(profile);
	return ret;
}

static void test_sample_weight__found(void **state)
{
	(void)state;
	assert_true(found(1, 1, 200, 1) == 1);				 /* counts */
	assert_true(found(100, 100, 5, 1) == 1);			 /* few */
	assert_true(found(1, 1, 200, 10101010) == 10101010);		 /* ns of 99 Hz */
	assert_true(found(5000, 7919, 200, 1) == SAMPLE_WEIGHT_UNKNOWN); /* ns of waits */
	assert_true(found(0, 0, 0, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sample_weight__found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
