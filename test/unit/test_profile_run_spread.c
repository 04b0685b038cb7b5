/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/run_spread: functions that vary alike, and functions that do not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/run_spread.h"

/* Quantiles of chi-square with 4 degrees of freedom, by 4. */
static const double even[] = { 0.178, 0.340, 0.480, 0.620, 0.765, 0.924, 1.104, 1.319, 1.614, 2.2 };

static struct run_prior fit(double low, double high)
{
	struct run_ratio list[40];

	for (int i = 0; i < 40; i++)
		list[i] = (struct run_ratio){ even[i / 4] * (i % 4 ? low : high), 4, 100 };
	return run_prior_fit(list, 40);
}

static void test_prior__of_functions_that_vary_alike(void **state)
{
	struct run_prior prior = fit(3, 3);
	struct run_ratio own = { 1, 4, 100 };
	double df, ratio = run_prior_ratio(&prior, &own, &df);

	(void)state;
	assert_true(prior.df >= 8);
	assert_true(prior.constant + 100 * prior.relative > 2);
	assert_true(prior.constant + 100 * prior.relative < 4.5);
	assert_true(ratio > 1.5);
	assert_true(df >= 12);
}

static void test_prior__of_functions_that_differ(void **state)
{
	(void)state;
	assert_true(fit(1, 100).df < fit(3, 3).df / 2);
	assert_true(fit(1, 100).df <= 2);
}

/* What clearly varies more is judged by its own runs. */
static void test_prior__not_for_outliers(void **state)
{
	struct run_prior prior = { .constant = 1, .df = 40 };
	struct run_ratio own = { 50, 4, 100 };
	double df, ratio = run_prior_ratio(&prior, &own, &df);

	(void)state;
	assert_true(ratio > 49);
	assert_true(df < 4.01);
}

static void test_prior__of_nothing(void **state)
{
	struct run_ratio own = { 7, 4, 100 };
	struct run_prior prior = run_prior_fit(&own, 1);
	double df;

	(void)state;
	assert_true(prior.df <= 0);
	assert_true(fabs(run_prior_ratio(&prior, &own, &df) - 7) < 1e-12);
	assert_true(fabs(df - 4) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prior__of_functions_that_vary_alike),
		cmocka_unit_test(test_prior__of_functions_that_differ),
		cmocka_unit_test(test_prior__not_for_outliers),
		cmocka_unit_test(test_prior__of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
