/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/change: steps are found where they are, in noise, beside a daily pattern; without a step
 * nothing is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "profile/change/change_point.h"

#define COUNT 360
#define DAY   12
#define SIDE  4

static double values[COUNT], noise[COUNT];
static size_t columns[COUNT];

/* Uniform in (-1, 1); the same in every run. */
static double draw(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void fill(double level, double scatter, double day)
{
	for (size_t i = 0; i < COUNT; i++) {
		columns[i] = i;
		noise[i] = scatter * scatter / 3;
		values[i] = level + scatter * draw() + day * sin(6.283185 * (double)i / DAY);
	}
}

static struct change_points find(size_t season)
{
	const struct change_series series = { values, noise, columns, COUNT, season, SIDE };
	struct change_points ret;

	change_points_find(&series, 0.01, &ret);
	return ret;
}

static void test_change_point__a_step_is_found_where_it_is(void **state)
{
	struct change_points points;

	(void)state;
	fill(0.1, 0.01, 0);
	for (size_t i = 200; i < COUNT; i++)
		values[i] += 0.02;
	points = find(0);
	assert_int_equal(points.points.count, 1);
	assert_in_range(points.points.item[0].at, 199, 201);
	assert_true(fabs(points.points.item[0].before - 0.1) < 0.003);
	assert_true(fabs(points.points.item[0].after - 0.12) < 0.003);
	assert_true(points.points.item[0].p < 1e-9);
	assert_true(points.points.item[0].persists);
	change_points_done(&points);
}

static void test_change_point__noise_has_none(void **state)
{
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct change_points points;

		fill(0.1, 0.01, round % 2 ? 0.02 : 0);
		points = find(DAY);
		found += points.points.count;
		assert_true(points.tests >= 1);
		change_points_done(&points);
	}
	assert_in_range(found, 0, 6); /* two are usual at 1 % */
}

static void test_change_point__a_step_beside_a_daily_pattern(void **state)
{
	struct change_points points;

	(void)state;
	fill(0.3, 0.01, 0.1);
	for (size_t i = 250; i < COUNT; i++)
		values[i] += 0.02;
	points = find(DAY);
	assert_int_equal(points.points.count, 1);
	assert_in_range(points.points.item[0].at, 247, 253);
	assert_true(fabs(points.points.item[0].after - points.points.item[0].before - 0.02) <
		    0.005);
	change_points_done(&points);
}

static void test_change_point__one_that_went_away_does_not_persist(void **state)
{
	struct change_points points;

	(void)state;
	fill(0.1, 0.01, 0);
	for (size_t i = 200; i < 240; i++)
		values[i] += 0.05;
	points = find(0);
	assert_int_equal(points.points.count, 2);
	assert_in_range(points.points.item[0].at, 199, 201);
	assert_false(points.points.item[0].persists);
	assert_in_range(points.points.item[1].at, 239, 241);
	change_points_done(&points);
}

/* Values that follow one another are no evidence of their own. */
static void test_change_point__a_slow_walk_is_less_certain(void **state)
{
	struct change_points points;
	double last = 0;

	(void)state;
	fill(0.1, 0.0001, 0);
	for (size_t i = 0; i < COUNT; i++) {
		last = 0.95 * last + 0.001 * draw();
		values[i] += last;
	}
	points = find(0);
	for (size_t i = 0; i < points.points.count; i++)
		assert_true(points.points.item[i].p > 1e-9);
	change_points_done(&points);
}

static void test_change_point__little_is_none(void **state)
{
	const struct change_series none = { values, noise, columns, 0, 0, SIDE };
	const struct change_series few = { values, noise, columns, 2 * SIDE - 1, 0, SIDE };
	struct change_points points;

	(void)state;
	fill(0.1, 0, 0);
	change_points_find(&none, 0.01, &points);
	assert_int_equal(points.tests, 0);
	change_points_find(&few, 0.01, &points);
	assert_int_equal(points.tests, 0);
	points = find(DAY); /* all the same, without noise */
	assert_int_equal(points.points.count, 0);
	change_points_done(&points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_change_point__a_step_is_found_where_it_is),
		cmocka_unit_test(test_change_point__noise_has_none),
		cmocka_unit_test(test_change_point__a_step_beside_a_daily_pattern),
		cmocka_unit_test(test_change_point__one_that_went_away_does_not_persist),
		cmocka_unit_test(test_change_point__a_slow_walk_is_less_certain),
		cmocka_unit_test(test_change_point__little_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
