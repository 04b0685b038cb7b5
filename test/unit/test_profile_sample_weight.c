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

/* Stacks f0, f1, … with the weights a, a + step, …, times `factor`. lines: see
 * profile_find_sample_weight(). */
static double found_by(const struct line_weights *lines, uint64_t a, uint64_t step, size_t count,
		       uint64_t factor)
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
	profile_find_sample_weight(profile, sample.event, lines);
	ret = profile->events.item[sample.event].sample_weight;
	profile_free(profile);
	return ret;
}

static double found(uint64_t a, uint64_t step, size_t count, uint64_t factor)
{
	return found_by(NULL, a, step, count, factor);
}

static void test_sample_weight__found(void **state)
{
	(void)state;
	assert_true(found(1, 1, 200, 1) == 1);				 /* counts */
	assert_true(found(100, 100, 5, 1) == 1);			 /* few */
	assert_true(found(1, 1, 200, 10101010) == 10101010);		 /* ns of 99 Hz */
	assert_true(found(5000, 7919, 200, 1) == SAMPLE_WEIGHT_UNKNOWN); /* ns of waits */
	assert_true(found(0, 0, 0, 1) == 1);
	/* even by chance */
	assert_true(found(500001, 7919, 3, 2) == SAMPLE_WEIGHT_UNKNOWN);
	assert_true(found(500001, 7919, 30, 2) == 2);
}

/* However many lines a stack has. */
static void test_sample_weight__lines_count_each(void **state)
{
	struct line_weights ones = { 0 }, pairs = { 0 };

	(void)state;
	for (int i = 0; i < 200000; i++) {
		line_weights_add(&ones, 1);
		line_weights_add(&pairs, 2 + 2 * (i & 1));
	}
	assert_true(found(20000, 0, 10, 1) == 20000);
	assert_true(found_by(&ones, 20000, 0, 10, 1) == 1);
	assert_true(found_by(&pairs, 60000, 0, 10, 1) == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sample_weight__found),
					    cmocka_unit_test(
						    test_sample_weight__lines_count_each) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
