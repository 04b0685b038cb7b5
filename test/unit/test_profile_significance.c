/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/significance: against sums done by hand, and what it finds where nothing has changed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/significance.h"
#include "profile/statistics.h"

#define assert_near(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static uint64_t random_state;

static double uniform(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) * 0x1p-53;
}

/* Counts of samples that weigh 1. */
static void set_counts(struct side_sums *side, struct share_sums *of, double count, double all)
{
	*side = (struct side_sums){ .weight = all, .squares = all, .unit = all, .runs = 1 };
	*of = (struct share_sums){ .weight = count, .squares = count };
}

static struct share_change compare_counts(double k1, double n1, double k2, double n2)
{
	struct side_sums side[2];
	struct share_sums of[2];

	set_counts(&side[0], &of[0], k1, n1);
	set_counts(&side[1], &of[1], k2, n2);
	return share_change(SHARES, side, of);
}

static void test_pair__score_test_by_hand(void **state)
{
	struct share_change change = compare_counts(817, 20000, 1582, 31000);
	double p = 2399.0 / 51000, z, interval[2];

	(void)state;
	z = (1582.0 / 31000 - 817.0 / 20000) / sqrt(p * (1 - p) * (1 / 20000.0 + 1 / 31000.0));
	assert_near(change.p, normal_two_sided(z), 1e-15);
	assert_near(change.distance, z, 1e-9);
	assert_near(change.samples[0], 20000, 1e-6);
	assert_near(change.spread, 1, 0);
	share_change_interval(&change, 0.05, interval);
	/* Near end: delta (1 - 1.96/z). Far end: Newcombe. */
	assert_near(interval[0], 0.0101823 * (1 - 1.959964 / 5.302581), 1e-6);
	assert_near(interval[1], 0.0138340, 1e-6);
}

static void test_pair__small_counts_are_exact(void **state)
{
	struct share_change change = compare_counts(0, 100000, 8, 100000);

	(void)state;
	assert_near(change.p, 1.0 / 256, 1e-5);
	/* A normal approximation would be sure of this one. */
	change = compare_counts(2, 1000, 0, 100000);
	assert_near(change.p, 1.0 / 101 / 101, 1e-6);
	/* The same from the complement. */
	assert_near(compare_counts(995, 1000, 999, 1000).p, compare_counts(5, 1000, 1, 1000).p,
		    1e-9);
}

static void test_pair__nothing_or_all_is_no_change(void **state)
{
	double interval[2];
	struct share_change change = compare_counts(0, 1000, 0, 2000);

	(void)state;
	assert_near(change.p, 1, 0);
	share_change_interval(&change, 0.05, interval);
	assert_true(interval[0] < 0 && interval[0] > -0.005);
	assert_true(interval[1] > 0 && interval[1] < 0.003);
	assert_near(compare_counts(1000, 1000, 2000, 2000).p, 1, 0);
	assert_near(compare_counts(0, 0, 5, 10).p, 1, 0);
}

static void test_interval__agrees_with_the_test(void **state)
{
	(void)state;
	random_state = 88172645463325252u;
	for (int i = 0; i < 3000; i++) {
		double n1 = 1 + floor(uniform() * 2000), n2 = 1 + floor(uniform() * 2000);
		struct share_change change = compare_counts(floor(uniform() * uniform() * n1), n1,
							    floor(uniform() * uniform() * n2), n2);
		double level = pow(10, -6 * uniform()), interval[2];
		double delta = change.share[1] - change.share[0];

		share_change_interval(&change, level, interval);
		assert_true(interval[0] <= delta && delta <= interval[1]);
		if (fabs(change.p - level) > 1e-9 * level)
			assert_int_equal(interval[0] <= 0 && interval[1] >= 0, change.p > level);
	}
}

/* Samples that weigh 10 are a tenth as many: the test must not know the unit. */
static void test_pair__weights_are_not_counts(void **state)
{
	struct side_sums side[2];
	struct share_sums of[2];
	struct share_change change;

	(void)state;
	set_counts(&side[0], &of[0], 50, 1000);
	set_counts(&side[1], &of[1], 80, 1000);
	for (int i = 0; i < 2; i++) {
		side[i].weight *= 10;
		side[i].unit *= 10;
		side[i].squares *= 100;
		of[i].weight *= 10;
		of[i].squares *= 100;
	}
	change = share_change(SHARES, side, of);
	assert_near(change.p, compare_counts(50, 1000, 80, 1000).p, 1e-12);
}

/* One third of the time nothing, then everything at once: blocks see it, plain counts do not. */
static void bursty(struct side_sums *side, struct share_sums *of, double burst)
{
	const int blocks = 24;
	double all = 100, group = 0;

	*side = (struct side_sums){ .blocks = blocks, .runs = 1 };
	*of = (struct share_sums){ 0 };
	for (int block = 0; block < blocks; block++) {
		double k = uniform() < 0.33 ? burst * (0.5 + uniform()) : 0;

		side->weight += all;
		side->squares += all;
		side->block_squares += all * all;
		of->weight += k;
		of->squares += k;
		of->block_squares += k * k;
		of->block_cross += k * all;
		group += k;
		if (block % 4 == 3) {
			side->long_squares += 16 * all * all;
			of->long_squares += group * group;
			of->long_cross += group * 4 * all;
			group = 0;
		}
	}
	side->long_blocks = blocks / 4;
	side->unit = side->weight;
}

static void test_pair__bursts_are_no_change(void **state)
{
	int plain = 0, honest = 0, trials = 2000;

	(void)state;
	random_state = 0x9e3779b97f4a7c15u;
	for (int i = 0; i < trials; i++) {
		struct side_sums side[2];
		struct share_sums of[2];

		bursty(&side[0], &of[0], 30);
		bursty(&side[1], &of[1], 30);
		honest += share_change(SHARES, side, of).p < 0.05;
		side[0].blocks = side[1].blocks = 0;
		plain += share_change(SHARES, side, of).p < 0.05;
	}
	assert_true(plain > trials / 3);
	assert_true(honest < trials * 7 / 100);
}

/* The same half second of every second: all blocks differ, long ones do not. */
static void rhythmic(struct side_sums *side, struct share_sums *of, double high)
{
	*side = (struct side_sums){ .blocks = 24, .long_blocks = 6, .runs = 1 };
	*of = (struct share_sums){ 0 };
	for (int block = 0; block < 24; block++) {
		double k = block % 2 ? high : 0;

		side->weight += 100;
		side->squares += 100;
		side->block_squares += 1e4;
		of->weight += k;
		of->squares += k;
		of->block_squares += k * k;
		of->block_cross += k * 100;
	}
	for (int group = 0; group < 6; group++) {
		side->long_squares += 400.0 * 400;
		of->long_squares += 4 * high * high;
		of->long_cross += 2 * high * 400;
	}
	side->unit = side->weight;
}

static void test_pair__rhythms_do_not_hide_changes(void **state)
{
	struct side_sums side[2];
	struct share_sums of[2];
	struct share_change change;

	(void)state;
	rhythmic(&side[0], &of[0], 60);
	rhythmic(&side[1], &of[1], 80);
	change = share_change(SHARES, side, of);
	assert_near(change.spread, 1, 0);
	assert_true(change.p < 1e-6);
	side[0].long_blocks = side[1].long_blocks = 0;
	assert_true(share_change(SHARES, side, of).p > 0.01);
}

static double binomial(double n, double p)
{
	double k = 0;

	for (int i = 0; i < (int)n; i++)
		k += uniform() < p;
	return k;
}

static void test_pair__finds_nothing_where_nothing_is(void **state)
{
	static const double shares[] = { 0.001, 0.005, 0.02, 0.1, 0.5, 0.97 };

	(void)state;
	random_state = 42;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		int found = 0, trials = 1000;

		for (int j = 0; j < trials; j++)
			found += compare_counts(binomial(600, shares[i]), 600,
						binomial(900, shares[i]), 900)
					 .p < 0.05;
		assert_in_range(found, 0, trials * 7 / 100);
	}
}

static void add_run(struct side_sums *side, struct share_sums *of, double share, double n)
{
	side->runs++;
	side->weight += n;
	side->squares += n;
	side->unit = side->weight;
	side->run_scatter += 1 / n;
	of->weight += share * n;
	of->squares += share * n;
	of->run_shares += share;
	of->run_squares += share * share;
}

static void test_runs__welch_by_hand(void **state)
{
	static const double before[] = { 0.10, 0.14, 0.12, 0.16 }, after[] = { 0.30, 0.22, 0.26 };
	struct side_sums side[2] = { { .runs = 0 } };
	struct share_sums of[2] = { { 0 } };
	struct share_change change;
	double v1 = 0.002 / 3 / 4, v2 = 0.0016 / 3, sum = v1 + v2, df; /* variances of the means */

	(void)state;
	for (int i = 0; i < 4; i++)
		add_run(&side[0], &of[0], before[i], 1e9);
	for (int i = 0; i < 3; i++)
		add_run(&side[1], &of[1], after[i], 1e9);
	change = share_change(SHARES, side, of);
	df = sum * sum / (v1 * v1 / 3 + v2 * v2 / 2);
	assert_near(change.share[0], 0.13, 1e-12);
	assert_near(change.share[1], 0.26, 1e-12);
	assert_near(change.df, df, 1e-6);
	assert_near(change.distance, 0.13 / sqrt(sum), 1e-6);
	assert_near(change.p, student_two_sided(0.13 / sqrt(sum), df), 1e-9);
}

static void test_runs__not_pooled(void **state)
{
	struct side_sums side[2] = { { .runs = 0 } };
	struct share_sums of[2] = { { 0 } };
	static const double before[] = { 0.02, 0.05, 0.03 }, after[] = { 0.03, 0.06, 0.04 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		add_run(&side[0], &of[0], before[i], 20000);
		add_run(&side[1], &of[1], after[i], 20000);
	}
	assert_true(share_change(SHARES, side, of).p > 0.2);
	side[0].runs = side[1].runs = 1; /* as if it were one recording */
	assert_true(share_change(SHARES, side, of).p < 1e-6);
}

/* Equal shares in all runs have no variance; counts still scatter. */
static void test_runs__no_surer_than_counts(void **state)
{
	struct side_sums side[2] = { { .runs = 0 } };
	struct share_sums of[2] = { { 0 } };

	(void)state;
	for (int i = 0; i < 4; i++) {
		add_run(&side[0], &of[0], 1.0 / 1000, 1000);
		add_run(&side[1], &of[1], 2.0 / 1000, 1000);
	}
	assert_true(share_change(SHARES, side, of).p > 0.2);
}

/* One new run against a set of old ones. */
static void test_runs__one_against_many(void **state)
{
	struct side_sums side[2] = { { .runs = 0 } };
	struct share_sums of[2] = { { 0 } };
	struct share_change change;

	(void)state;
	add_run(&side[0], &of[0], 0.10, 1e9);
	add_run(&side[0], &of[0], 0.12, 1e9);
	add_run(&side[0], &of[0], 0.14, 1e9);
	add_run(&side[1], &of[1], 0.13, 1e9);
	change = share_change(SHARES, side, of);
	assert_near(change.df, 2, 0);
	assert_near(change.distance, 0.01 / sqrt(0.0004 * (1 + 1.0 / 3)), 1e-4);
}

#define FUNCTIONS 40

/* Runs of a program with three large functions and many small ones; `spread`: how much a function's
 * share varies from run to run, as a part of it. */
struct program {
	double share[FUNCTIONS], spread, samples;
};

static double gauss(void)
{
	return sqrt(-2 * log(uniform() + 1e-300)) * cos(6.283185307179586 * uniform());
}

static struct program program(double first, double spread, double samples)
{
	struct program program = { .spread = spread, .samples = samples };
	double rest = 1;

	for (int i = 3; i < FUNCTIONS; i++)
		rest -= program.share[i] = 0.03 / i;
	program.share[0] = first * rest;
	program.share[1] = program.share[2] = (1 - first) / 2 * rest;
	return program;
}

static void run_program(const struct program *program, struct side_sums *side,
			struct share_sums of[FUNCTIONS])
{
	double share[FUNCTIONS], count[FUNCTIONS], all = 0, total = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		all += share[i] = program->share[i] * exp(program->spread * gauss());
	for (int i = 0; i < FUNCTIONS; i++) { /* Poisson, near enough */
		double mean = program->samples * share[i] / all;

		count[i] = mean < 50 ? binomial(1000, mean / 1000)
				     : round(mean + sqrt(mean) * gauss());
		total += count[i];
	}
	add_run(side, &of[0], count[0] / total, total);
	for (int i = 1; i < FUNCTIONS; i++) {
		struct side_sums unused = { 0 };

		add_run(&unused, &of[i], count[i] / total, total);
	}
}

/* Tests of all functions; returns how many are found and whether the first is. */
static size_t find(const struct program program[2], int runs, bool *ret_first)
{
	struct share_sums of[2][FUNCTIONS] = { 0 };
	struct side_sums side[2] = { 0 };
	struct run_ratio list[FUNCTIONS];
	double p[FUNCTIONS];
	size_t found;

	for (int i = 0; i < 2; i++)
		for (int run = 0; run < runs; run++)
			run_program(&program[i], &side[i], of[i]);
	for (int i = 0; i < FUNCTIONS; i++) {
		struct share_sums both[2] = { of[0][i], of[1][i] };

		list[i] = share_run_ratio(SHARES, side, both);
	}
	side[0].prior = side[1].prior = run_prior_fit(list, FUNCTIONS);
	for (int i = 0; i < FUNCTIONS; i++) {
		struct share_sums both[2] = { of[0][i], of[1][i] };

		p[i] = share_change(SHARES, side, both).p;
	}
	found = false_discovery_rates(p, FUNCTIONS, 0.05, p);
	*ret_first = p[0] <= 0.05;
	return found;
}

static void test_runs__more_find_more(void **state)
{
	const struct program sides[2] = { program(0.4, 0, 1000), program(0.5, 0, 1000) };
	int found[4] = { 0 }, trials = 60;

	(void)state;
	random_state = 1;
	for (int runs = 1; runs < 4; runs++)
		for (int i = 0; i < trials; i++) {
			bool first;

			(void)find(sides, runs, &first);
			found[runs] += first;
		}
	assert_true(found[3] >= found[1]);
	assert_true(found[3] >= trials * 9 / 10);
	assert_true(found[2] >= trials * 4 / 10);
}

static void test_runs__find_nothing_where_nothing_is(void **state)
{
	static const double spreads[] = { 0, 0.05, 0.2 };
	int trials = 100;
	bool first;

	(void)state;
	random_state = 2;
	for (size_t i = 0; i < 3; i++)
		for (int runs = 3; runs < 6; runs += 2) {
			const struct program one = program(0.4, spreads[i], 1500);
			const struct program sides[2] = { one, one };
			int wrong = 0;

			for (int trial = 0; trial < trials; trial++)
				wrong += find(sides, runs, &first) > 0;
			assert_in_range(wrong, 0, trials / 10);
		}
}

/* The runs of the bug: they agree better than chance. */
static void test_runs__that_agree_are_sure(void **state)
{
	static const double before[] = { 0.398, 0.395, 0.395 }, after[] = { 0.502, 0.498, 0.500 };
	struct side_sums side[2] = { { .runs = 0 } };
	struct share_sums of[2] = { { 0 } };
	struct share_change change, one = compare_counts(398, 1000, 602, 1200);
	double interval[2];

	(void)state;
	for (int i = 0; i < 3; i++) {
		add_run(&side[0], &of[0], before[i], 1000);
		add_run(&side[1], &of[1], after[i], 1200);
	}
	change = share_change(SHARES, side, of);
	assert_true(change.p < one.p);
	assert_true(change.p < 0.05 / 106);
	share_change_interval(&change, 0.05 / 106, interval);
	assert_true(interval[0] > 0);
}

static void test_interval__of_runs_agrees_with_the_test(void **state)
{
	(void)state;
	random_state = 3;
	for (int i = 0; i < 3000; i++) {
		struct side_sums side[2] = { { .runs = 0 } };
		struct share_sums of[2] = { { 0 } };
		double share = uniform() * uniform(), level = pow(10, -5 * uniform()), ends[2];
		struct share_change change;

		for (int run = 0; run < 6; run++)
			add_run(&side[run & 1], &of[run & 1],
				binomial(200, share * (1 + 0.3 * uniform()) / 2) / 200, 200);
		side[0].prior = side[1].prior = (struct run_prior){ 1, 0.1 * uniform(), 9 };
		change = share_change(SHARES, side, of);
		share_change_interval(&change, level, ends);
		if (of[0].weight + of[1].weight > 0 && fabs(change.p - level) > 1e-6 * level)
			assert_int_equal(ends[0] <= 0 && ends[1] >= 0, change.p > level);
	}
}

static void test_amounts__poisson(void **state)
{
	struct side_sums side[2];
	struct share_sums of[2];
	struct share_change change;

	(void)state;
	/* All doubled: as amounts that is a change, as shares it is none. */
	set_counts(&side[0], &of[0], 1000, 1000);
	set_counts(&side[1], &of[1], 2000, 2000);
	side[1].unit = 1000;
	change = share_change(AMOUNTS, side, of);
	assert_near(change.share[1], 2, 0);
	assert_near(change.samples[1], 1000, 1e-6);
	assert_near(change.distance, 1000 / sqrt(3000), 0.01);
	/* 10 against 30: 2 × (P(X < 10) + P(X = 10) / 2) of a binomial of 40, 1/2 */
	set_counts(&side[0], &of[0], 10, 1000);
	set_counts(&side[1], &of[1], 30, 1000);
	assert_near(share_change(AMOUNTS, side, of).p, 0.0014514, 2e-5);
}

static void test_detectable__is_found_four_times_of_five(void **state)
{
	struct side_sums side[2];
	struct share_sums of[2];
	double share, change;
	int found = 0, trials = 1500;

	(void)state;
	random_state = 7;
	set_counts(&side[0], &of[0], 0, 2000);
	set_counts(&side[1], &of[1], 0, 3000);
	share = share_detectable(side, 0.001, 1);
	for (int i = 0; i < trials; i++)
		found += compare_counts(binomial(2000, share), 2000, 0, 3000).p <= 0.001;
	assert_in_range(found, trials * 78 / 100, trials * 90 / 100);
	change = share_detectable_change(side, 0.1, 0.001, 1);
	for (int i = found = 0; i < trials; i++) {
		double before = binomial(2000, 0.1), after = binomial(3000, 0.1 + change);

		found += compare_counts(before, 2000, after, 3000).p <= 0.001;
	}
	assert_in_range(found, trials * 76 / 100, trials * 84 / 100);
	/* Bursts hide more. */
	assert_true(share_detectable(side, 0.001, 4) > 3 * share);
	set_counts(&side[0], &of[0], 0, 0);
	assert_near(share_detectable(side, 0.001, 1), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair__score_test_by_hand),
		cmocka_unit_test(test_pair__small_counts_are_exact),
		cmocka_unit_test(test_pair__nothing_or_all_is_no_change),
		cmocka_unit_test(test_interval__agrees_with_the_test),
		cmocka_unit_test(test_pair__weights_are_not_counts),
		cmocka_unit_test(test_pair__bursts_are_no_change),
		cmocka_unit_test(test_pair__rhythms_do_not_hide_changes),
		cmocka_unit_test(test_pair__finds_nothing_where_nothing_is),
		cmocka_unit_test(test_runs__welch_by_hand),
		cmocka_unit_test(test_runs__not_pooled),
		cmocka_unit_test(test_runs__no_surer_than_counts),
		cmocka_unit_test(test_runs__one_against_many),
		cmocka_unit_test(test_runs__more_find_more),
		cmocka_unit_test(test_runs__find_nothing_where_nothing_is),
		cmocka_unit_test(test_runs__that_agree_are_sure),
		cmocka_unit_test(test_interval__of_runs_agrees_with_the_test),
		cmocka_unit_test(test_amounts__poisson),
		cmocka_unit_test(test_detectable__is_found_four_times_of_five),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
