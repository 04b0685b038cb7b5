/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of all functions, and what becomes of each change (see change_causes.h). */
#include "profile/change/change_causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/change/change_scale.h"
#include "profile/change/change_window.h"
#include "profile/change/share_series.h"
#include "profile/statistics.h"

#define HOUR_NS	     ((uint64_t)3600 * 1000000000u)
#define DAY_NS	     (24 * HOUR_NS)
#define LEAST_DAYS   5
#define LEAST_WEEKS  3
#define MOST_P	     0.01
#define TIME_ERROR   15
#define FOLLOWS_PART 0.3  /* of a change that remains without another function: it follows */
#define MOST_RATIO   4.0  /* a larger one counts as this */
#define STAYED_PART  0.25 /* of a share's change: a cost that changed by less stayed */
#define MOST_STAYED  0.1  /* though by no more than this */
#define OWN_PART     0.25 /* how much more a function's own cost counts than that of callees */

const char *change_fate_text(enum change_fate fate)
{
	static const char *const text[] = {
#define X(id, text_) text_,
		CHANGE_FATES(X)
#undef X
	};

	return text[fate];
}

size_t changes_season(const struct share_series *series)
{
	uint64_t length =
		series->columns ? (series->column[series->columns - 1] + 1) * series->step_ns : 0;

	if (series->step_ns > DAY_NS || DAY_NS % series->step_ns)
		return 0;
	if (length >= LEAST_WEEKS * 7 * DAY_NS)
		return (size_t)(7 * DAY_NS / series->step_ns);
	return length >= LEAST_DAYS * DAY_NS && series->step_ns < DAY_NS
		       ? (size_t)(DAY_NS / series->step_ns)
		       : 0;
}

/* Variance of a share when samples are drawn. As if one more had been seen with the function, and
 * one without: what was seen never is not certain never to be. */
static double drawing_noise(double share, double count)
{
	share = (share * count + 1) / (count + 2);
	return share * (1 - share) / count;
}

static void test_function(const struct share_series *series, uint32_t number, size_t side,
			  struct changes *ret)
{
	const struct share_function *function = &series->functions.item[number];
	double *share = mem_zalloc(series->columns * sizeof(*share)), sum = 0;
	double *noise = mem_zalloc(series->columns * sizeof(*noise));
	struct change_series values = { share,		 noise,	      series->column,
					series->columns, ret->season, side };
	struct change_points points;

	for (size_t i = 0; i < series->columns; i++) {
		share[i] = function->total[i] / series->weight[i];
		sum += share[i];
	}
	for (size_t i = 0; i < series->columns; i++)
		noise[i] = drawing_noise(sum / (double)series->columns, series->count[i]);
	change_points_find(&values, MOST_P, &points);
	ret->tests += points.tests;
	for (size_t i = 0; i < points.points.count; i++)
		vec_push(&ret->item, ((struct change){ .function = function->name,
						       .number = number,
						       .point = points.points.item[i],
						       .q = 1 }));
	change_points_done(&points);
	free(share);
	free(noise);
}

void changes_test(const struct share_series *series, const struct change_limits *limits,
		  struct changes *ret)
{
	size_t side = limits->side < 2 ? 2 : limits->side;
	double least = 0;

	*ret = (struct changes){ .season = changes_season(series) };
	if (series->columns < 2 * side)
		return;
	for (size_t i = 0; i < series->columns; i++)
		least += series->weight[i];
	/* it may have the share in a small part of the time only */
	least *= limits->share * (double)side / (double)series->columns;
	for (size_t i = 0; i < series->functions.count; i++)
		if (series->functions.item[i].total && series->functions.item[i].sum > least)
			test_function(series, (uint32_t)i, side, ret);
}

void changes_done(struct changes *changes)
{
	vec_done(&changes->item);
}

static double delta(const struct change *change)
{
	return change->share[1] - change->share[0];
}

static bool large_enough(const struct change_limits *limits, const double share[2])
{
	return fmax(share[0], share[1]) >= limits->share &&
	       fabs(share[1] - share[0]) >= limits->change * share[0];
}

/* In absolute terms: it is the whole, or what else runs, that changed. */
static bool cost_stayed(const struct change *change)
{
	const double *share = change->share, *rate = change->rate;

	return share[0] > 0 && share[1] > 0 && rate[0] > 0 && rate[1] > 0 &&
	       fabs(log(rate[1] / rate[0])) <
		       fmin(STAYED_PART * fabs(log(share[1] / share[0])), MOST_STAYED);
}

static double score(const struct change_window *window, const struct change *change)
{
	double ratio = change->share[0] > 0 && change->share[1] > 0
			       ? fabs(log(change->share[1] / change->share[0]))
			       : log(MOST_RATIO);
	double own = fabs(change_window_self(window, change->number, 1) / window->scale -
			  change_window_self(window, change->number, 0));

	return (fabs(delta(change)) + OWN_PART * own) * fmin(ratio, log(MOST_RATIO));
}

/* Those of one moment that wait for their fate. */
struct group {
	const struct change_limits *limits;
	struct change_window *window;
	VEC(struct change *) member; /* decided ones stay */
	bool *decided;
};

static void set_shares(struct group *group, struct change *change)
{
	const struct change_window *w = group->window;
	double plain[2] = { change_window_total(w, change->number, 0),
			    change_window_total(w, change->number, 1) };

	change->scale = w->scale;
	change->share[0] = plain[0];
	change->share[1] = plain[1] / w->scale;
	for (int side = 0; side < 2; side++)
		change->rate[side] = change_window_rate(w, change->number, side);
	memcpy(change->before, w->before, sizeof(change->before));
	memcpy(change->after, w->after, sizeof(change->after));
	if (change->fate != CHANGE_FOUND)
		return;
	if (!large_enough(group->limits, change->share))
		change->fate = large_enough(group->limits, plain) ? CHANGE_SPREAD : CHANGE_SMALL;
	else if (cost_stayed(change))
		change->fate = CHANGE_SPREAD;
}

static struct change *take_best(struct group *group)
{
	size_t best = group->member.count;
	double most = -1;

	for (size_t i = 0; i < group->member.count; i++) {
		double own = group->decided[i] ? -1 : score(group->window, group->member.item[i]);

		if (own > most) {
			most = own;
			best = i;
		}
	}
	if (best == group->member.count)
		return NULL;
	group->decided[best] = true;
	return group->member.item[best];
}

/* Without the stacks of the causes so far, has it changed at all? */
static void drop_followers(struct group *group, const struct change *cause)
{
	for (size_t i = 0; i < group->member.count; i++) {
		struct change *change = group->member.item[i];
		double rest;

		if (group->decided[i])
			continue;
		rest = change_window_total(group->window, change->number, 1) /
			       group->window->scale -
		       change_window_total(group->window, change->number, 0);
		if (fabs(rest) > FOLLOWS_PART * fabs(delta(change)))
			continue;
		change->fate = CHANGE_FOLLOWS;
		change->cause = cause->function;
		group->decided[i] = true;
	}
}

static void judge_group(struct group *group)
{
	struct change *cause;

	group->decided = mem_zalloc(group->member.count + 1);
	for (size_t i = 0; i < group->member.count; i++) {
		set_shares(group, group->member.item[i]);
		group->decided[i] = group->member.item[i]->fate != CHANGE_FOUND;
	}
	while ((cause = take_best(group))) {
		cause->cause = change_window_moved(group->window, cause->number, delta(cause));
		if (cause->cause)
			cause->fate = CHANGE_MOVED;
		change_window_exclude(group->window, cause->number);
		drop_followers(group, cause);
	}
	free(group->decided);
}

static double strength(const struct change_point *point)
{
	return fabs(point->after - point->before) / point->error;
}

/* The one with the most certain time that is not in a group yet. */
static struct change *strongest(struct changes *changes, const bool *grouped)
{
	struct change *ret = NULL;

	for (size_t i = 0; i < changes->item.count; i++) {
		struct change *change = &changes->item.item[i];

		if (!grouped[i] && (!ret || strength(&change->point) > strength(&ret->point)))
			ret = change;
	}
	return ret;
}

/* How many columns the time of a change may be wrong: it grows with the scatter of the values. */
static double time_error(const struct change_point *point)
{
	double first = (double)(point->at - point->from), second = (double)(point->to - point->at);
	double step = point->after - point->before;
	double variance = point->error * point->error / (1 / first + 1 / second);

	return TIME_ERROR * variance / (step * step);
}

static void judge_moment(const struct share_series *series, const struct change_limits *limits,
			 struct changes *changes, bool *grouped)
{
	const struct change *middle = strongest(changes, grouped);
	struct change_window window;
	struct group group = { .limits = limits, .window = &window };
	double at = (double)middle->point.at, near = fmax(2, (double)limits->side / 2);

	change_window_open(series, &middle->point, changes->season, &window);
	change_scale_set(&middle->point, changes->season, &window);
	for (size_t i = 0; i < changes->item.count; i++) {
		const struct change_point *own = &changes->item.item[i].point;

		if (grouped[i] || fabs((double)own->at - at) > near + time_error(own))
			continue;
		grouped[i] = true;
		vec_push(&group.member, &changes->item.item[i]);
	}
	judge_group(&group);
	vec_done(&group.member);
	change_window_close(&window);
}

/* What is certain only because the whole changed is not certain. */
static void drop_chance(struct changes *changes, double rate)
{
	size_t tests = changes->tests > changes->item.count ? changes->tests : changes->item.count;
	double *p = mem_zalloc((tests + 1) * sizeof(*p));

	for (size_t i = 0; i < tests; i++) {
		const struct change *change = &changes->item.item[i];
		const struct change_point *point = i < changes->item.count ? &change->point : NULL;
		double splits;

		p[i] = 1;
		if (!point || !(change->scale > 0))
			continue;
		splits = (double)(point->to - point->from);
		p[i] = fmin(1, splits * student_two_sided(
						(point->after / change->scale - point->before) /
							point->error,
						point->df));
	}
	(void)false_discovery_rates(p, tests, rate, p);
	for (size_t i = 0; i < changes->item.count; i++)
		if (changes->item.item[i].fate == CHANGE_FOUND && p[i] > rate)
			changes->item.item[i].fate = CHANGE_CHANCE;
	free(p);
}

void changes_judge(const struct share_series *series, const struct change_limits *limits,
		   struct changes *changes)
{
	bool *grouped = mem_zalloc(changes->item.count + 1);

	for (size_t i = 0; i < changes->item.count; i++) {
		struct change *change = &changes->item.item[i];

		change->fate = change->q > limits->rate	 ? CHANGE_CHANCE
			       : !change->point.persists ? CHANGE_GONE
							 : CHANGE_FOUND;
		grouped[i] = change->fate == CHANGE_CHANCE;
	}
	while (strongest(changes, grouped))
		judge_moment(series, limits, changes, grouped);
	drop_chance(changes, limits->rate);
	free(grouped);
}
