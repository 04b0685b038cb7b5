/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signed-rank intervals (see paired_ratio.h). */
#include "profile/counts/paired_ratio.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

#define TAIL 0.025 /* on each side of a 95 % interval */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Two values that are 0 do not differ. */
static double log_ratio(double first, double second)
{
	if (first <= 0 && second <= 0)
		return 0;
	if (first <= 0)
		return INFINITY;
	return second <= 0 ? -INFINITY : log(second / first);
}

static bool has_zero(const double *value, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (value[i] <= 0)
			return true;
	return false;
}

/* How many of the ordered means lie outside the interval on each side: the most of which the tail
 * allows. The sum of signed ranks is distributed as that of a subset of 1 … n, each in or out. */
static size_t outside(size_t n)
{
	size_t most = n * (n + 1) / 2, k = 0;
	double *share = mem_zalloc((most + 1) * sizeof(*share)), below = 0;

	share[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t sum = most + 1; sum-- > 0;)
			share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0)) / 2;
	while (k <= most && below + share[k] <= TAIL)
		below += share[k++];
	free(share);
	return k;
}

/* The mean of every two, and of each with itself, in order. Opposite infinities cancel out. */
static double *walsh_means(const double *difference, size_t n)
{
	double *mean = mem_alloc(n * (n + 1) / 2 * sizeof(*mean));
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++) {
			double sum = difference[i] + difference[k];

			mean[count++] = isnan(sum) ? 0 : sum / 2;
		}
	qsort(mean, count, sizeof(*mean), compare);
	return mean;
}

static enum ratio_verdict judge(const struct paired_ratio *ratio, double margin)
{
	if (ratio->low >= 1 / (1 + margin) && ratio->high <= 1 + margin)
		return RATIO_SAME;
	if (ratio->high < 1)
		return RATIO_LESS;
	return ratio->low > 1 ? RATIO_MORE : RATIO_UNDECIDED;
}

struct paired_ratio paired_ratio(const double *first, const double *second, size_t pairs,
				 double margin)
{
	struct paired_ratio ret = { .ratio = 1, .low = 0, .high = INFINITY };
	double *difference, *mean;
	size_t means, skip;

	if (pairs > PAIRED_RATIO_MOST)
		pairs = PAIRED_RATIO_MOST;
	ret.verdict = RATIO_UNDECIDED;
	if (!pairs)
		return ret;
	difference = mem_alloc(pairs * sizeof(*difference));
	for (size_t i = 0; i < pairs; i++)
		difference[i] = log_ratio(first[i], second[i]);
	mean = walsh_means(difference, pairs);
	means = pairs * (pairs + 1) / 2;
	ret.ratio = exp(means % 2 ? mean[means / 2] : (mean[means / 2 - 1] + mean[means / 2]) / 2);
	skip = outside(pairs);
	if (skip) {
		ret.low = exp(mean[skip - 1]);
		ret.high = exp(mean[means - skip]);
	}
	ret.verdict = judge(&ret, margin);
	if (has_zero(first, pairs) || has_zero(second, pairs))
		ret.ratio = ret.low = ret.high = NAN;
	free(difference);
	free(mean);
	return ret;
}
