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

int change_window_side(const struct change_window *window, size_t column)
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
		int side = change_window_side(ret, series->column[i]);

		if (side >= 0)
			columns[side]++;
	}
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		uint32_t place = share_series_place(series, sample->time_ns);
		int side = place == UINT32_MAX || sample->event != series->event
				   ? -1
				   : change_window_side(ret, series->column[place]);

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

void change_window_open(const struct share_series *series, const struct change_point *point,
			size_t season, struct change_window *ret)
{
	size_t nodes = series->profile->nodes.count, functions = series->functions.count;

	*ret = (struct change_window){ .series = series, .scale = 1 };
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

double change_window_rate(const struct change_window *window, uint32_t function, int side)
{
	const struct share_series *series = window->series;
	double sum = 0, columns = 0;

	for (size_t i = 0; i < series->columns; i++) {
		if (change_window_side(window, series->column[i]) != side)
			continue;
		sum += series->functions.item[function].total[i];
		columns++;
	}
	return columns > 0 ? sum / columns : 0;
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
