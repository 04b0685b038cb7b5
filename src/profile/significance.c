/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Testing a change (see significance.h).
 *
 * One recording a side. A share p of weight W has, by linearisation of the ratio, the variance
 * [(1-p)² Σin w² + p² Σout w²] / W² when samples are drawn one by one; p (1-p) divided by it is the
 * effective number of samples. With times known, the weights k and n of a frame and of all in each
 * of B blocks give B/(B-1) Σ (k - p n)² / W², which also sees bursts; how much larger it is (never
 * less than 1, and over both sides, for a frame that is only on one says nothing about the other)
 * divides the effective numbers. Rhythms are not chance: what differs from block to block but evens
 * out over long blocks counts only as far as these differ, with a margin since they are few. Counts
 * that are large are compared by the score test, by Student's
 * t where blocks decide; small ones by Fisher's test with mid-p.
 *
 * Several recordings: Welch's t test on their shares. The variance of a frame is the mean of what
 * its own recordings show and of what is usual (run_spread.h), by degrees of freedom. With the
 * frame's own alone, 3 recordings a side have 4 degrees of freedom, where a hundred tests need ten
 * standard errors. A side with one recording borrows the other's spread. Recordings can agree
 * better than samples drawn one by one: the normal test with the variance of these has to reject as
 * well, and so has the exact test of small counts. The interval is the widest of them.
 *
 * Intervals: the end nearest to 0 is where the test would stop to reject (Miettinen 1976), so that
 * interval and test never disagree; the other end is Newcombe's (1998, method 10). */
#include "profile/significance.h"

#include <math.h>

#include "profile/statistics.h"

#define SMALL_COUNT 20.0 /* expected samples below which counts are compared exactly */
#define RARE	    1e6	 /* amounts are shares of so much more: then counts are Poisson's */
#define POWER_Z	    0.8416212335729143 /* 80 % */
#define POWER	    0.8
#define ROUNDS	    20 /* of finding a change that makes the variance which decides about it */
/* Of eight long blocks nine times of ten the true variance is less than this times what they show:
 * 7 / 2.83, the tenth percentile of chi-square with 7 degrees of freedom. */
#define LONG_DOUBT 2.5

static double share_of(const struct side_sums *side, const struct share_sums *of)
{
	return side->unit > 0 ? of->weight / side->unit : 0;
}

/* Variance of a share if samples were drawn one by one. */
static double plain_variance(enum share_kind kind, const struct side_sums *side,
			     const struct share_sums *of)
{
	double p = share_of(side, of), others = fmax(0, side->squares - of->squares);

	if (kind == AMOUNTS)
		return of->squares / (side->unit * side->unit);
	return ((1 - p) * (1 - p) * of->squares + p * p * others) / (side->unit * side->unit);
}

/* One length of blocks. */
struct blocks {
	double squares, cross, side_squares, count;
};

static double block_variance(enum share_kind kind, const struct side_sums *side,
			     const struct share_sums *of, const struct blocks *blocks)
{
	double p = share_of(side, of), sum;

	if (kind == AMOUNTS)
		sum = blocks->squares - of->weight * of->weight / blocks->count;
	else
		sum = blocks->squares - 2 * p * blocks->cross + p * p * blocks->side_squares;
	return fmax(0, sum) * blocks->count / (blocks->count - 1) / (side->unit * side->unit);
}

/* The variance relative to samples drawn one by one; *df: degrees of freedom of the estimate. */
static double side_spread(enum share_kind kind, const struct side_sums *side,
			  const struct share_sums *of, double *df)
{
	struct blocks shorter = { of->block_squares, of->block_cross, side->block_squares,
				  side->blocks };
	struct blocks longer = { of->long_squares, of->long_cross, side->long_squares,
				 side->long_blocks };
	double plain = plain_variance(kind, side, of);
	double spread = block_variance(kind, side, of, &shorter) / plain, evened;

	*df = side->blocks - 1;
	if (side->long_blocks < 2)
		return spread;
	evened = LONG_DOUBT * block_variance(kind, side, of, &longer) / plain;
	if (evened >= spread)
		return spread;
	*df = side->long_blocks - 1;
	return evened;
}

/* Effective number of all samples of a side, estimated from this frame. */
static double effective(enum share_kind kind, const struct side_sums *side,
			const struct share_sums *of)
{
	double p = share_of(side, of), variance = plain_variance(kind, side, of);
	double all = side->squares > 0 ? side->unit * side->weight / side->squares : 0;

	if (kind == AMOUNTS)
		return variance > 0 ? p / variance : all;
	return variance > 0 && p < 1 ? p * (1 - p) / variance : all;
}

/* The burstiness of the frame on both sides together. */
static void find_spread(enum share_kind kind, const struct side_sums side[2],
			const struct share_sums of[2], struct share_change *change)
{
	double sum = 0, weight = 0, squares = 0, df;

	for (int i = 0; i < 2; i++) {
		double part = change->share[i] * change->samples[i]; /* samples seen */

		if (side[i].blocks < 2 || plain_variance(kind, &side[i], &of[i]) <= 0)
			continue;
		weight += part;
		part *= side_spread(kind, &side[i], &of[i], &df);
		sum += part;
		squares += part * part / df;
	}
	if (weight <= 0 || sum <= weight)
		return;
	change->spread = sum / weight;
	change->df = sum * sum / squares;
	change->samples[0] /= change->spread;
	change->samples[1] /= change->spread;
}

static double exact_p(const struct share_change *change)
{
	double first = fmax(1, round(change->samples[0]));
	double second = fmax(1, round(change->samples[1]));
	double in_first = fmin(first, round(change->share[0] * first));
	double in_second = fmin(second, round(change->share[1] * second));

	if (in_first + in_second > (first + second) / 2) { /* count those that are not in it */
		in_first = first - in_first;
		in_second = second - in_second;
	}
	return two_groups_mid_p(in_first, in_first + in_second, first, second);
}

/* Amounts become small shares of many more samples, which does not change how they scatter. */
static void make_rare(struct share_change *change, double factor)
{
	for (int i = 0; i < 2; i++) {
		change->share[i] /= factor;
		change->samples[i] *= factor;
	}
}

static void test_counts(struct share_change *change)
{
	double n[2] = { change->samples[0], change->samples[1] };
	double all = n[0] + n[1];
	double share = all > 0 ? (change->share[0] * n[0] + change->share[1] * n[1]) / all : 0;
	double least = fmin(share, 1 - share) * fmin(n[0], n[1]);
	double error = 0;

	if (n[0] > 0 && n[1] > 0)
		error = sqrt(share * (1 - share) * (1 / n[0] + 1 / n[1]));
	if (!(error > 0))
		return;
	change->distance = fabs(change->share[1] - change->share[0]) / error;
	change->p = student_two_sided(change->distance, change->df);
	if (least < SMALL_COUNT) {
		double exact = exact_p(change);

		if (isfinite(change->df) && change->p >= exact)
			return;
		change->p = exact;
		change->exact = change->p > 1e-290;
	}
}

/* From 0, in standard errors; of counts that were compared exactly what the distribution gives
 * their p, which takes long and is needed of those that are shown. */
static double distance_of(const struct share_change *change)
{
	return change->exact ? student_critical(change->p, change->df) : change->distance;
}

static struct share_change compare_pair(enum share_kind kind, const struct side_sums side[2],
					const struct share_sums of[2])
{
	struct share_change change = { .p = 1, .q = 1, .df = INFINITY, .spread = 1, .kind = kind };

	for (int i = 0; i < 2; i++) {
		change.share[i] = share_of(&side[i], &of[i]);
		change.samples[i] = effective(kind, &side[i], &of[i]);
	}
	find_spread(kind, side, of, &change);
	if (kind == AMOUNTS)
		make_rare(&change, RARE);
	test_counts(&change);
	if (kind == AMOUNTS)
		make_rare(&change, 1 / RARE);
	return change;
}

/* Variance of the mean of a side's runs, and of one run; df 0 = it has but one. */
struct run_spread {
	double mean, of_one, df;
};

static struct run_spread spread_of(const struct side_sums *side, const struct share_sums *of)
{
	double runs = side->runs, mean = of->run_shares / runs;
	struct run_spread spread = { .mean = mean, .df = runs - 1 };

	if (side->runs > 1)
		spread.of_one = fmax(0, of->run_squares - runs * mean * mean) / (runs - 1);
	return spread;
}

/* Number of samples of a run, those of all that its share was averaged over. */
static double samples_per_run(enum share_kind kind, const struct side_sums *side)
{
	double effective = side->squares > 0 ? side->unit * side->weight / side->squares : 0;

	if (kind == AMOUNTS)
		return effective;
	return side->run_scatter > 0 ? side->runs / side->run_scatter : effective / side->runs;
}

/* Variance of the share of one run on average if samples were drawn one by one. The unit of amounts
 * is one run's, that of shares all runs'. */
static double least_variance(enum share_kind kind, const struct side_sums *side, double share)
{
	double each = samples_per_run(kind, side);

	if (!(each > 0))
		return 0;
	return kind == AMOUNTS ? share / each : share * (1 - share) / each;
}

/* The least variance of a share, counted in samples of a run. */
static double size_of(enum share_kind kind, const struct side_sums *side, double share)
{
	double each = samples_per_run(kind, side);

	return each * each * least_variance(kind, side, share);
}

struct run_ratio share_run_ratio(enum share_kind kind, const struct side_sums side[2],
				 const struct share_sums of[2])
{
	struct run_ratio ratio = { 0 };
	double seen = 0, all = 0, squares = 0, df = 0;

	for (int i = 0; i < 2; i++) {
		struct run_spread spread = spread_of(&side[i], &of[i]);
		double least = least_variance(kind, &side[i], spread.mean);

		seen += spread.of_one * spread.df;
		all += least * spread.df;
		squares += least * least * spread.df;
		ratio.size += size_of(kind, &side[i], spread.mean) * spread.df;
		df += spread.df;
	}
	if (!(all > 0))
		return ratio;
	ratio.size /= df;
	ratio.ratio = seen / all;
	ratio.df = all * all / squares;
	return ratio;
}

/* Variance of one run of a side, and how well it is known. It may be less than that of samples
 * drawn one by one. */
static double run_variance(const struct run_spread *spread, const struct side_sums *side,
			   double least, double size, double *ret_df)
{
	struct run_ratio own = { .ratio = least > 0 ? spread->of_one / least : 0,
				 .df = spread->df,
				 .size = size };

	return run_prior_ratio(&side->prior, &own, ret_df) * least;
}

/* Few samples: their distribution is not Student's. */
static void test_small_runs(struct share_change *change, double share, const double variance[2])
{
	bool amounts = change->kind == AMOUNTS;
	double each = amounts ? share : share * (1 - share), least = INFINITY, exact;
	struct share_change counts = *change;

	for (int i = 0; i < 2; i++) {
		counts.samples[i] = variance[i] > 0 ? each / variance[i] : 0;
		least = fmin(least, counts.samples[i] * (amounts ? share : fmin(share, 1 - share)));
	}
	if (least >= SMALL_COUNT || !(least > 0))
		return;
	if (amounts)
		make_rare(&counts, RARE);
	exact = exact_p(&counts);
	if (exact <= change->p || exact >= 1)
		return;
	change->p = exact;
	change->exact = true;
}

/* Student's test with the variance as it was seen, and the normal test with the known variance of
 * samples drawn one by one: the less certain one counts. */
static void test_runs(struct share_change *change)
{
	double delta = fabs(change->share[1] - change->share[0]);
	double least = delta / change->least_error;

	change->distance = change->error > 0 ? delta / change->error : INFINITY;
	change->p = change->error > 0 ? student_two_sided(change->distance, change->df) : 0;
	if (normal_two_sided(least) <= change->p)
		return;
	change->distance = least;
	change->p = normal_two_sided(least);
}

static struct share_change compare_runs(enum share_kind kind, const struct side_sums side[2],
					const struct share_sums of[2])
{
	struct share_change change = {
		.p = 1, .q = 1, .df = 1, .spread = 1, .kind = kind, .runs = true
	};
	struct run_spread spread[2] = { spread_of(&side[0], &of[0]), spread_of(&side[1], &of[1]) };
	double common = (spread[0].mean * side[0].runs + spread[1].mean * side[1].runs) /
			(side[0].runs + side[1].runs);
	double seen[2], most[2], df[2], least = 0, sum;

	for (int i = 0; i < 2; i++) {
		int from = spread[i].df > 0 ? i : !i;
		double single = least_variance(kind, &side[i], common) / side[i].runs;

		seen[i] = run_variance(&spread[from], &side[from],
				       least_variance(kind, &side[from], common),
				       size_of(kind, &side[from], common), &df[i]) /
			  side[i].runs;
		most[i] = fmax(seen[i], single);
		least += single;
		change.share[i] = spread[i].mean;
		change.samples[i] =
			side[i].squares > 0 ? side[i].weight * side[i].weight / side[i].squares : 0;
	}
	sum = seen[0] + seen[1];
	if (!(least > 0))
		return change;
	change.error = sqrt(sum);
	change.least_error = sqrt(least);
	change.df = fmax(df[0], df[1]);
	if (sum > 0 && spread[0].df > 0 && spread[1].df > 0)
		change.df = sum * sum / (seen[0] * seen[0] / df[0] + seen[1] * seen[1] / df[1]);
	/* What is usual counts once. */
	change.df = fmin(change.df, side[0].prior.df + spread[0].df + spread[1].df);
	change.spread = fmax(1, sum / least);
	test_runs(&change);
	test_small_runs(&change, common, most);
	return change;
}

bool sides_have_runs(const struct side_sums side[2])
{
	return side[0].runs > 1 || side[1].runs > 1;
}

struct share_change share_change(enum share_kind kind, const struct side_sums side[2],
				 const struct share_sums of[2])
{
	return sides_have_runs(side) ? compare_runs(kind, side, of) : compare_pair(kind, side, of);
}

/* Newcombe's distances from the difference to the ends of its interval. */
static void newcombe(const struct share_change *change, double z, double ret[2])
{
	struct share_change rare = *change;
	double scale = change->kind == AMOUNTS ? RARE : 1, limits[2][2];

	if (change->kind == AMOUNTS)
		make_rare(&rare, RARE);
	for (int i = 0; i < 2; i++)
		wilson_limits(rare.share[i], rare.samples[i], z, limits[i]);
	ret[0] = scale * hypot(rare.share[1] - limits[1][0], limits[0][1] - rare.share[0]);
	ret[1] = scale * hypot(limits[1][1] - rare.share[1], rare.share[0] - limits[0][0]);
}

static void runs_interval(const struct share_change *change, double p_level, double ret[2])
{
	double delta = change->share[1] - change->share[0];
	double half = fmax(student_critical(p_level, change->df) * change->error,
			   normal_critical(p_level) * change->least_error);

	if (change->exact)
		half = fmax(half,
			    normal_critical(p_level) * fabs(delta) / normal_critical(change->p));
	ret[0] = delta - half;
	ret[1] = delta + half;
}

void share_change_interval(const struct share_change *change, double p_level, double ret[2])
{
	double delta = change->share[1] - change->share[0];
	double critical = student_critical(p_level, change->df);
	double distance = distance_of(change), error = distance > 0 ? fabs(delta) / distance : 0;
	double far[2];

	if (change->runs) {
		runs_interval(change, p_level, ret);
		return;
	}
	newcombe(change, critical, far);
	ret[0] = delta - (delta > 0 ? critical * error : far[0]);
	ret[1] = delta + (delta < 0 ? critical * error : far[1]);
}

/* Mean number of samples that is at least `count` in POWER of all cases (Poisson). */
static double mean_for(double count)
{
	double low = 0, high = 4 * count + 10;

	if (count > 500)
		return count + POWER_Z * sqrt(count);
	for (int round = 0; round < 60; round++) {
		double mean = (low + high) / 2, term = exp(-mean), below = 0;

		for (double k = 0; k < count; k++) {
			below += term;
			term *= mean / (k + 1);
		}
		*(1 - below < POWER ? &low : &high) = mean;
	}
	return high;
}

/* Effective numbers of samples per share of 1. False when a side has none. */
static bool effective_numbers(const struct side_sums side[2], double spread, double ret[2])
{
	for (int i = 0; i < 2; i++) {
		ret[i] = side[i].squares > 0
				 ? side[i].weight * side[i].unit / side[i].squares / spread
				 : 0;
		if (!(ret[i] > 0))
			return false;
	}
	return true;
}

static double least_df(const struct side_sums side[2])
{
	return fmax(1, (double)side[0].runs + side[1].runs - 2 + side[0].prior.df);
}

double share_detectable(const struct side_sums side[2], double p_level, double spread)
{
	double worst = 0, n[2];

	if (!effective_numbers(side, spread, n))
		return 1;
	for (int i = 0; i < 2; i++) {
		double mean;

		if (sides_have_runs(side))
			mean = pow(student_critical(p_level, least_df(side)) + POWER_Z, 2);
		else /* all of k samples on one side have this p: */
			mean = mean_for(ceil(log(p_level) / log(n[i] / (n[0] + n[1]))));
		worst = fmax(worst, mean / n[i]);
	}
	return fmin(worst, 1);
}

double share_detectable_change(const struct side_sums side[2], double share, double p_level,
			       double spread)
{
	double df = sides_have_runs(side) ? least_df(side) : INFINITY, n[2];
	double change = 0, critical;

	if (!effective_numbers(side, spread, n))
		return 1;
	critical = student_critical(p_level, df);
	for (int round = 0; round < ROUNDS; round++) {
		double after = fmin(share + change, 1);
		double both = (share * n[0] + after * n[1]) / (n[0] + n[1]);

		change = critical * sqrt(both * (1 - both) * (1 / n[0] + 1 / n[1])) +
			 POWER_Z * sqrt(share * (1 - share) / n[0] + after * (1 - after) / n[1]);
	}
	return fmin(change, 1);
}
