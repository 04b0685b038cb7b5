/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/statistics against published tables and sums done by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/statistics.h"

#define assert_near(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static void test_normal__as_in_tables(void **state)
{
	(void)state;
	assert_near(normal_two_sided(0), 1, 1e-15);
	assert_near(normal_two_sided(1.959963984540054), 0.05, 1e-14);
	assert_near(normal_two_sided(-1), 0.317310507862914, 1e-14);
	assert_near(normal_critical(0.05), 1.959963984540054, 1e-11);
	assert_near(normal_critical(0.01), 2.575829303548901, 1e-11);
	assert_near(normal_critical(0.317310507862914), 1, 1e-11);
	assert_near(normal_critical(1e-9), 6.109410204869, 1e-9);
	assert_near(normal_critical(1), 0, 0);
	assert_near(normal_critical(0), 38, 0);
	for (double p = 1e-250; p < 1; p *= 7)
		assert_near(normal_two_sided(normal_critical(p)) / p, 1, 1e-9);
}

static void test_student__as_in_tables(void **state)
{
	/* df, two-sided 5 % and 1 % points */
	static const double table[][3] = {
		{ 1, 12.7062, 63.6567 },  { 2, 4.30265, 9.92484 },  { 5, 2.57058, 4.03214 },
		{ 10, 2.22814, 3.16927 }, { 30, 2.04227, 2.75000 }, { 120, 1.97993, 2.61742 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_near(student_critical(0.05, table[i][0]), table[i][1], 1e-4);
		assert_near(student_critical(0.01, table[i][0]), table[i][2], 1e-4);
		assert_near(student_two_sided(table[i][1], table[i][0]), 0.05, 1e-6);
	}
	/* One degree of freedom is Cauchy's distribution: 1 - 2/pi atan t. */
	assert_near(student_two_sided(3, 1), 1 - 2 / M_PI * atan(3), 1e-12);
	/* Two: 1 - t / sqrt(2 + t²). */
	assert_near(student_two_sided(1.5, 2), 1 - 1.5 / sqrt(2 + 2.25), 1e-12);
	assert_near(student_critical(0.05, INFINITY), 1.959963984540054, 1e-11);
	assert_near(student_two_sided(2, 0.5 + 1e7), normal_two_sided(2), 1e-7);
	for (double p = 1e-60; p < 1; p *= 31)
		for (double df = 1; df < 1e5; df *= 3.7)
			assert_near(student_two_sided(student_critical(p, df), df) / p, 1, 1e-6);
}

/* Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29, 95 %. */
static void test_wilson_limits__as_published(void **state)
{
	static const double table[][4] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
	};
	double limits[2];

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		wilson_limits(table[i][0] / table[i][1], table[i][1], 1.959964, limits);
		assert_near(limits[0], table[i][2], 5e-5);
		assert_near(limits[1], table[i][3], 5e-5);
	}
	wilson_limits(1, 20, 1.959964, limits);
	assert_near(limits[1], 1, 0);
	wilson_limits(0.5, 0, 1.959964, limits);
	assert_near(limits[1] - limits[0], 1, 0);
}

static void test_two_groups_mid_p__by_hand(void **state)
{
	(void)state;
	/* Fisher's tea: 4 and 4 cups. 3 of 4 right: P(3) = 16/70, P(4) = 1/70. */
	assert_near(two_groups_mid_p(3, 4, 4, 4), 2 * (8.0 + 1) / 70, 1e-12);
	assert_near(two_groups_mid_p(4, 4, 4, 4), 2 * 0.5 / 70, 1e-12);
	assert_near(two_groups_mid_p(0, 4, 4, 4), 2 * 0.5 / 70, 1e-12);
	assert_near(two_groups_mid_p(2, 4, 4, 4), 1, 1e-12);
	/* Many of which few are marked: nearly binomial, (1/2)^10 for all on one side. */
	assert_near(two_groups_mid_p(0, 10, 1e8, 1e8) * 1024, 1, 1e-5);
	/* Nothing to be surprised about. */
	assert_near(two_groups_mid_p(0, 0, 5, 5), 1, 0);
	assert_near(two_groups_mid_p(5, 10, 5, 5), 1, 0);
}

static void test_false_discovery_rates__of_the_paper(void **state)
{
	/* Benjamini and Hochberg 1995, section 3.2: 15 tests, the first four are chosen at 5 %. */
	static const double p[15] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
				      0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
				      0.4262, 0.5719, 0.6528, 0.7590, 1.000 };
	double q[15], shuffled[15];

	(void)state;
	assert_int_equal(false_discovery_rates(p, 15, 0.05, q), 4);
	assert_near(q[0], 0.0015, 1e-12);
	assert_near(q[1], 0.003, 1e-12);
	assert_near(q[3], 0.035625, 1e-12);
	assert_near(q[5], 0.0298 * 15 / 7, 1e-12); /* a later one is smaller */
	assert_near(q[14], 1, 0);
	for (size_t i = 0; i < 15; i++)
		shuffled[i] = p[i * 7 % 15];
	assert_int_equal(false_discovery_rates(shuffled, 15, 0.05, shuffled), 4);
	for (size_t i = 0; i < 15; i++)
		assert_near(shuffled[i], q[i * 7 % 15], 0);
	assert_int_equal(false_discovery_rates(NULL, 0, 0.05, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal__as_in_tables),
		cmocka_unit_test(test_student__as_in_tables),
		cmocka_unit_test(test_wilson_limits__as_published),
		cmocka_unit_test(test_two_groups_mid_p__by_hand),
		cmocka_unit_test(test_false_discovery_rates__of_the_paper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
