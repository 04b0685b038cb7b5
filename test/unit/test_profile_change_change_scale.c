/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/change: the scale of shares after a change follows most functions, or those that cost as
 * much as before when the whole changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "profile/change/change_point.h"
#include "profile/change/change_scale.h"
#include "profile/change/change_window.h"
#include "profile/change/share_series.h"
#include "profile/profile.h"

#define HOUR_NS ((uint64_t)3600 * 1000000000u)
#define COLUMNS 40
#define CHANGE	25

static void add(struct profile *p, size_t column, int function, uint64_t weight)
{
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .thread = profile_thread(p, 1, 1, "x"),
					 .cpu = PROFILE_NO_CPU,
					 .time_ns = column * HOUR_NS,
					 .count = 10 * weight };
	struct frame frame = { 0 };
	char name[16];

	(void)snprintf(name, sizeof(name), "f%d", function);
	frame.function = strtab_puts(p->strings, name);
	sample.weight = weight * (980 + (column * 7919 + (size_t)function * 104729) % 41);
	sample.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame));
	profile_add(p, &sample);
}

/* The scale when each function's weight is before, and then after. */
static double scale_of(const uint64_t (*weights)[2], int count)
{
	const struct share_columns columns = { 0, HOUR_NS, COLUMNS, 1 };
	const struct change_point point = { .from = 0, .at = CHANGE, .to = COLUMNS };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct change_window window;
	struct share_series series;
	double ret;

	for (size_t i = 0; i < COLUMNS; i++)
		for (int f = 0; f < count; f++)
			add(p, i, f, weights[f][i >= CHANGE]);
	share_series_make(p, 0, &columns, &series);
	change_window_open(&series, &point, 0, &window);
	change_scale_set(&point, 0, &window);
	ret = window.scale;
	assert_true(fabs(change_window_rate(&window, 0, 0) / (double)weights[0][0] / 1000 - 1) <
		    0.05);
	change_window_close(&window);
	share_series_done(&series);
	profile_free(p);
	return ret;
}

static bool near(double value, double expected)
{
	return fabs(value - expected) < 0.03;
}

static void test_change_scale__follows_what_stayed(void **state)
{
	const uint64_t shrinks[][2] = { { 30, 30 }, { 30, 10 } };
	const uint64_t grows[][2] = { { 30, 30 }, { 30, 90 } };
	const uint64_t most_shrink[][2] = {
		{ 30, 30 }, { 20, 8 }, { 20, 8 }, { 20, 8 }, { 20, 8 }
	};

	(void)state;
	assert_true(near(scale_of(shrinks, 2), 60.0 / 40));
	assert_true(near(scale_of(grows, 2), 60.0 / 120));
	assert_true(near(scale_of(most_shrink, 5), 110.0 / 62));
}

static void test_change_scale__follows_most_functions(void **state)
{
	/* the whole is what it was: a program that always computes */
	const uint64_t full[][2] = { { 24, 20 }, { 24, 20 }, { 24, 20 }, { 24, 36 } };
	/* twice the load, and one that takes more of it */
	const uint64_t load[][2] = { { 24, 48 }, { 24, 48 }, { 24, 48 }, { 24, 96 } };
	const uint64_t nothing[][2] = { { 24, 24 }, { 30, 30 }, { 20, 20 } };
	const uint64_t load_of_two[][2] = { { 24, 48 }, { 30, 60 } };

	(void)state;
	assert_true(near(scale_of(full, 4), 20.0 / 24));
	assert_true(near(scale_of(load, 4), 48.0 / 240 / (24.0 / 96)));
	assert_true(near(scale_of(nothing, 3), 1));
	assert_true(near(scale_of(load_of_two, 2), 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_change_scale__follows_what_stayed),
		cmocka_unit_test(test_change_scale__follows_most_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
