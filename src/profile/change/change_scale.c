/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scale of shares after a change (see change_scale.h). */
#include "profile/change/change_scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "profile/change/change_point.h"
#include "profile/change/change_window.h"
#include "profile/change/share_series.h"

#define MOST_WEIGHT  0.02 /* a function counts no more than this in the usual ratio */
#define LEAST_SHARE  1e-4 /* smaller ones tell nothing about it */
#define SURE	     2	  /* standard errors */
#define MEDIAN_ERROR 1.86 /* of a median, from the median deviation: 1.4826 * sqrt(pi / 2) */
#define SAME_PART    0.25 /* of the distance between two scales: a ratio so near is at one */
#define LEAST_SAME   0.1  /* of all own shares: functions with the same absolute cost */

struct ratio {
	double value, weight;
};

static int compare_ratios(const void *pa, const void *pb)
{
	const struct ratio *a = pa, *b = pb;

	return (a->value > b->value) - (a->value < b->value);
}

/* Sorts. */
static double weighted_median(struct ratio *ratio, size_t count)
{
	double all = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		all += ratio[i].weight;
	qsort(ratio, count, sizeof(*ratio), compare_ratios);
	for (size_t i = 0; i < count; i++) {
		sum += ratio[i].weight;
		if (sum >= all / 2)
			return ratio[i].value;
	}
	return 1;
}

static size_t own_ratios(const struct change_window *window, struct ratio *ret)
{
	size_t used = 0;

	for (size_t i = 0; i < window->series->functions.count; i++) {
		double before = window->self[0][i], after = window->self[1][i];

		if (before >= LEAST_SHARE && after >= LEAST_SHARE)
			ret[used++] = (struct ratio){ after / before, before };
	}
	return used;
}

/* The median ratio of own shares; 1 if it may be that. Changes values and weights. */
static double usual_ratio(struct ratio *ratio, size_t count)
{
	double all = 0, squares = 0, median, error;

	if (count <= 2) /* two can tell nothing about who changed */
		return 1;
	for (size_t i = 0; i < count; i++)
		ratio[i].weight = fmin(ratio[i].weight, MOST_WEIGHT);
	median = weighted_median(ratio, count);
	for (size_t i = 0; i < count; i++) {
		all += ratio[i].weight;
		squares += ratio[i].weight * ratio[i].weight;
		ratio[i].value = fabs(ratio[i].value - median);
	}
	error = MEDIAN_ERROR * weighted_median(ratio, count) * sqrt(squares) / all;
	return fabs(median - 1) > SURE * error ? median : 1;
}

/* Logarithm of the whole before to the whole after, and its standard error. */
static double whole_ratio(const struct change_window *window, const struct change_point *point,
			  size_t season, double *ret_error)
{
	const struct share_series *series = window->series;
	double *value = mem_zalloc((series->columns + 1) * sizeof(*value));
	double *noise = mem_zalloc((series->columns + 1) * sizeof(*noise));
	double sum[2] = { 0, 0 }, columns[2] = { 0, 0 };
	struct change_series whole = { value, noise, series->column, series->columns, season, 2 };
	struct change_point measured = *point;

	for (size_t i = 0; i < series->columns; i++) {
		int side = change_window_side(window, series->column[i]);

		value[i] = log(fmax(series->weight[i], 1));
		noise[i] = 1 / fmax(series->count[i], 1);
		if (side >= 0) {
			sum[side] += value[i];
			columns[side]++;
		}
	}
	change_point_measure(&whole, &measured);
	free(value);
	free(noise);
	*ret_error = measured.error;
	return columns[0] > 0 && columns[1] > 0 ? sum[0] / columns[0] - sum[1] / columns[1] : 0;
}

/* Whether functions with a good part of the cost are at the second scale, not at the first. */
static bool some_are_at(const struct ratio *ratio, size_t count, double log_first,
			double log_second)
{
	double near = SAME_PART * fabs(log_second - log_first), all = 0, same = 0;

	for (size_t i = 0; i < count; i++) {
		all += ratio[i].weight;
		if (fabs(log(ratio[i].value) - log_second) < near)
			same += ratio[i].weight;
	}
	return same > LEAST_SAME * all;
}

void change_scale_set(const struct change_point *point, size_t season, struct change_window *window)
{
	size_t most = window->series->functions.count + 1;
	struct ratio *ratio = mem_zalloc(most * sizeof(*ratio));
	size_t used = own_ratios(window, ratio);
	double whole, error, usual = usual_ratio(ratio, used);

	window->scale = usual;
	whole = whole_ratio(window, point, season, &error);
	(void)own_ratios(window, ratio);
	if (fabs(whole) > SURE * error && fabs(whole - log(usual)) > SURE * error &&
	    some_are_at(ratio, used, log(usual), whole))
		window->scale = exp(whole);
	free(ratio);
}
