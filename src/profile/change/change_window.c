/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before and after a change (see change_window.h). */
#include "profile/change/change_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/change/change_point.h"
#include "profile/change/share_series.h"
#include "profile/profile.h"

#define SCALE_WEIGHT 0.02 /* a function counts no more than this in the usual ratio */
#define SCALE_SHARE  1e-4 /* smaller ones tell nothing about it */
#define SCALE_SURE   2	  /* standard errors */
#define MEDIAN_ERROR 1.86 /* of a median, from the median deviation: 1.4826 * sqrt(pi / 2) */
#define MOVED_LEVELS 8	  /* callers of callers */
#define MOVED_PART   0.25 /* of a change: if a caller's changed by less, the cost moved */
#define MOVED_TIMES  25	  /* a caller so much larger than the change is too coarse a measure */

static void set_times(const struct change_point *point, size_t season, struct change_window *ret)
{
	const size_t *column = ret->series->column;
	size_t at = column[point->at], first = column[point->from], end = column[point->to - 1] + 1;
	size_t before = at - first, after = end - at;

	if (season && before >= season && after >= season) {
		before -= before % season;
		after -= after % season;
	}
	ret->before[0] = at - before;
	ret->before[1] = ret->after[0] = at;
	ret->after[1] = at + after;
	if (season && before >= season && after < season) {
		ret->before[0] = at - season;
		ret->before[1] = at - season + after;
	}
}

/* 0, 1, or -1 for neither. */
static int side_of(const struct change_window *window, size_t column)
{
	if (column >= window->before[0] && column < window->before[1])
		return 0;
	return column >= window->after[0] && column < window->after[1] ? 1 : -1;
}

/* Each column counts the same. */
static void add_samples(struct change_window *ret)
{
	const struct share_series *series = ret->series;
	const struct profile *profile = series->profile;
	double columns[2] = { 0, 0 };

	for (size_t i = 0; i < series->columns; i++) {
		int side = side_of(ret, series->column[i]);

		if (side >= 0)
			columns[side]++;
	}
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		uint32_t place = share_series_place(series, sample->time_ns);
		int side = place == UINT32_MAX || sample->event != series->event
				   ? -1
				   : side_of(ret, series->column[place]);

		if (side >= 0)
			ret->node[side][sample->stack.v] +=
				(double)sample->weight / series->weight[place] / columns[side];
	}
}

static void add_node(struct change_window *window, uint32_t node, uint32_t *seen)
{
	const struct share_series *series = window->series;
	uint32_t at = node;

	for (; at; at = series->profile->nodes.item[at].parent.v) {
		uint32_t function = series->node_function[at];

		for (int side = 0; side < 2 && seen[function] != node; side++)
			window->total[side][function] += window->node[side][node];
		seen[function] = node;
	}
}

static void add_functions(struct change_window *window)
{
	size_t count = window->series->functions.count;
	uint32_t *seen = mem_zalloc((count + 1) * sizeof(*seen));

	for (int side = 0; side < 2; side++)
		memset(window->total[side], 0, count * sizeof(double));
	for (size_t i = 1; i < window->series->profile->nodes.count; i++)
		if (!window->excluded[i] && window->node[0][i] + window->node[1][i] > 0)
			add_node(window, (uint32_t)i, seen);
	free(seen);
}

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

		if (before >= SCALE_SHARE && after >= SCALE_SHARE)
			ret[used++] = (struct ratio){ after / before, fmin(before, SCALE_WEIGHT) };
	}
	return used;
}

/* The median ratio of own shares, and how sure it is; 1 if it may be that. */
static void set_scale(struct change_window *ret)
{
	struct ratio *ratio = mem_zalloc((ret->series->functions.count + 1) * sizeof(*ratio));
	size_t used = own_ratios(ret, ratio);
	double all = 0, squares = 0, median;

	ret->scale = 1;
	if (used > 2) { /* two can tell nothing about who changed */
		median = weighted_median(ratio, used);
		for (size_t i = 0; i < used; i++) {
			all += ratio[i].weight;
			squares += ratio[i].weight * ratio[i].weight;
			ratio[i].value = fabs(ratio[i].value - median);
		}
		ret->scale_error =
			MEDIAN_ERROR * weighted_median(ratio, used) * sqrt(squares) / all;
		if (fabs(median - 1) > SCALE_SURE * ret->scale_error)
			ret->scale = median;
	}
	free(ratio);
}

void change_window_open(const struct share_series *series, const struct change_point *point,
			size_t season, struct change_window *ret)
{
	size_t nodes = series->profile->nodes.count, functions = series->functions.count;

	*ret = (struct change_window){ .series = series };
	ret->excluded = mem_zalloc(nodes + 1);
	for (int side = 0; side < 2; side++) {
		ret->node[side] = mem_zalloc((nodes + 1) * sizeof(double));
		ret->total[side] = mem_zalloc((functions + 1) * sizeof(double));
		ret->self[side] = mem_zalloc((functions + 1) * sizeof(double));
	}
	set_times(point, season, ret);
	add_samples(ret);
	for (size_t i = 1; i < nodes; i++)
		for (int side = 0; side < 2; side++)
			ret->self[side][series->node_function[i]] += ret->node[side][i];
	add_functions(ret);
	set_scale(ret);
}

void change_window_close(struct change_window *window)
{
	for (int side = 0; side < 2; side++) {
		free(window->node[side]);
		free(window->total[side]);
		free(window->self[side]);
	}
	free(window->excluded);
}

double change_window_total(const struct change_window *window, uint32_t function, int side)
{
	return window->total[side][function];
}

double change_window_self(const struct change_window *window, uint32_t function, int side)
{
	return window->self[side][function];
}

void change_window_exclude(struct change_window *window, uint32_t function)
{
	const struct share_series *series = window->series;

	for (size_t i = 1; i < series->profile->nodes.count; i++)
		window->excluded[i] |= series->node_function[i] == function ||
				       window->excluded[series->profile->nodes.item[i].parent.v];
	add_functions(window);
}

/* Which functions call those marked. Returns the one with the largest share of that, NULL if one of
 * them is called by nobody. */
static const char *mark_callers(const struct change_window *window, const bool *marked,
				const double *below, bool *ret)
{
	const struct share_series *series = window->series;
	double *share = mem_zalloc((series->functions.count + 1) * sizeof(*share));
	const char *name = NULL;
	double most = 0;
	bool root = false;

	for (size_t i = 1; i < series->profile->nodes.count; i++) {
		uint32_t parent = series->profile->nodes.item[i].parent.v, caller;

		if (!marked[series->node_function[i]] || !(below[i] > 0))
			continue;
		root |= !parent;
		if (!parent)
			continue;
		caller = series->node_function[parent];
		ret[caller] = true;
		share[caller] += below[i];
		if (share[caller] > most) {
			most = share[caller];
			name = series->functions.item[caller].name;
		}
	}
	free(share);
	return root ? NULL : name;
}

/* Shares of the stacks that have a marked function. */
static void sum_marked(const struct change_window *window, const bool *marked, double ret[2])
{
	const struct share_series *series = window->series;
	size_t nodes = series->profile->nodes.count;
	bool *inside = mem_zalloc(nodes + 1);

	ret[0] = ret[1] = 0;
	for (size_t i = 1; i < nodes; i++) {
		inside[i] = marked[series->node_function[i]] ||
			    inside[series->profile->nodes.item[i].parent.v];
		for (int side = 0; side < 2 && inside[i]; side++)
			ret[side] += window->node[side][i];
	}
	free(inside);
}

/* The share of both sides below each node, itself included. */
static double *sums_below(const struct change_window *window)
{
	const struct share_series *series = window->series;
	size_t nodes = series->profile->nodes.count;
	double *ret = mem_zalloc((nodes + 1) * sizeof(*ret));

	for (size_t i = nodes; i-- > 1;) {
		ret[i] += window->node[0][i] + window->node[1][i];
		ret[series->profile->nodes.item[i].parent.v] += ret[i];
	}
	return ret;
}

const char *change_window_moved(const struct change_window *window, uint32_t function, double delta)
{
	size_t count = window->series->functions.count;
	bool *marked = mem_zalloc(count + 1), *callers;
	double *below = sums_below(window), share[2];
	const char *ret = NULL;

	marked[function] = true;
	for (int level = 0; level < MOVED_LEVELS && !ret; level++) {
		const char *name;

		callers = mem_zalloc(count + 1);
		name = mark_callers(window, marked, below, callers);
		free(marked);
		marked = callers;
		if (!name)
			break;
		sum_marked(window, marked, share);
		share[1] /= window->scale;
		if (fmax(share[0], share[1]) > MOVED_TIMES * fabs(delta))
			break;
		if (fabs(share[1] - share[0]) < MOVED_PART * fabs(delta))
			ret = name;
	}
	free(below);
	free(marked);
	return ret;
}
