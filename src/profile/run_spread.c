/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variance between runs (see run_spread.h).
 *
 * The ratios of functions follow (constant + relative × size) times an F distribution with the
 * function's own and the prior's degrees of freedom. Bursts make the constant larger than 1: they
 * scatter all functions alike. Causes that last a whole run, such as addresses, change a function
 * by some percent: that is hidden by chance in small functions and not in large ones. The three
 * numbers are those of a large likelihood on a grid. Functions that differ much in how they
 * vary make the prior's degrees of freedom few: then each is judged by its own runs. */
#include "profile/run_spread.h"

#include <math.h>
#include <stdlib.h>

#include "profile/statistics.h"

#define LEAST_SIZE 5.0 /* samples of a run; the ratio of fewer is no chi-square */
#define MOST	   256 /* functions that are looked at */
#define OUTLIER	   0.1 /* of functions like the others vary as much as that or more */
#define DOUBT	   1.0 /* logarithm of likelihoods that are not clearly different */
#define DF_STEPS   8   /* 1, 2, 4 ... 128 */
#define CONSTANTS  28  /* 1/90 ... 128; timers sample more evenly than chance */
#define RELATIVES  22  /* 0, and 0.7 ... 720 for the largest function */
#define STEP	   1.4142135623730951

static int compare_sizes(const void *pa, const void *pb)
{
	const struct run_ratio *a = pa, *b = pb;

	return (a->size < b->size) - (a->size > b->size);
}

static double expected(const struct run_prior *prior, double size)
{
	return prior->constant + prior->relative * size;
}

/* Logarithm of the density, without what is the same for all priors of so many degrees. */
static double likelihood(const struct run_prior *prior, const struct run_ratio *list, size_t count)
{
	double sum = 0, half = prior->df / 2;

	for (size_t i = 0; i < count; i++) {
		double own = list[i].df / 2;
		double scale = own / half / expected(prior, list[i].size);

		sum += own * log(scale) - (own + half) * log1p(scale * list[i].ratio);
	}
	return sum;
}

static void try_scales(const struct run_ratio *list, size_t count, double df,
		       struct run_prior *best, double *best_likelihood)
{
	double common = 0;

	for (size_t i = 0; i < count; i++)
		common += lgamma((list[i].df + df) / 2) - lgamma(df / 2);
	for (int i = 0; i < CONSTANTS; i++)
		for (int j = 0; j < RELATIVES; j++) {
			struct run_prior prior = { .constant = pow(STEP, i - 13),
						   .relative = j ? pow(STEP, j - 2) / list[0].size
								 : 0,
						   .df = df };
			double found = common + likelihood(&prior, list, count);

			if (found <= *best_likelihood)
				continue;
			*best_likelihood = found;
			*best = prior;
		}
}

/* The most likely numbers of the least degrees of freedom that are not clearly less likely than
 * others: to think that functions are alike when they are not finds what is none. */
static struct run_prior choose(const struct run_ratio *list, size_t count)
{
	struct run_prior best[DF_STEPS];
	double found[DF_STEPS], most = -INFINITY;
	int least = 0;

	for (int i = 0; i < DF_STEPS; i++) {
		found[i] = -INFINITY;
		try_scales(list, count, pow(2, i), &best[i], &found[i]);
		most = fmax(most, found[i]);
	}
	while (found[least] < most - DOUBT)
		least++;
	return best[least];
}

struct run_prior run_prior_fit(struct run_ratio *list, size_t count)
{
	struct run_prior prior = { .constant = 1 };
	double known = 0;
	size_t used = 0;

	if (count)
		qsort(list, count, sizeof(*list), compare_sizes);
	while (used < count && used < MOST && list[used].size >= LEAST_SIZE)
		known += list[used++].df;
	if (used < 2)
		return prior;
	prior = choose(list, used);
	/* Shares have a fixed sum: one of them follows from the others. */
	prior.df = fmin(prior.df, known * (double)(used - 1) / (double)used);
	return prior;
}

double run_prior_ratio(const struct run_prior *prior, const struct run_ratio *own, double *ret_df)
{
	double usual = expected(prior, own->size), df = prior->df;

	if (df > 0 && own->df > 0)
		df *= fmin(1, variance_ratio_tail(own->ratio / usual, own->df, df) / OUTLIER);
	*ret_df = df + own->df;
	return *ret_df > 0 ? (df * usual + own->df * own->ratio) / *ret_df : 1;
}
