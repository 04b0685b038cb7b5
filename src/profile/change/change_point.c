/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Change points of a series (see change_point.h). */
#include "profile/change/change_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/statistics.h"

#define MOST_DEPTH	 3    /* of parts of parts: at most 7 points */
#define RETURN_PART	 0.25 /* of a step: a level so near an earlier one is that */
#define MOST_CORRELATION 0.95 /* that is believed */
#define LEAST_NOISE	 1e-18

struct finder {
	const struct change_series *series;
	double *value;	/* without the season */
	double *weight; /* 1 / variance, but for a factor */
	double *level;	/* of the value as known so far, which the season is apart from */
	double spread;	/* variance with what the season took, relative to that without */
	double most_p;
	struct change_points *ret;
};

/* How much values scatter beyond the drawing of samples, from one to the next, so that changes of
 * the level do not count. */
static void set_weights(struct finder *f)
{
	const struct change_series *s = f->series;
	double steps = 0, noise = 0;

	for (size_t i = 0; i < s->count; i++) {
		double step = i ? s->value[i] - s->value[i - 1] : 0;

		steps += step * step / 2;
		noise += s->noise[i];
	}
	if (s->count > 1)
		steps /= (double)(s->count - 1);
	noise /= (double)s->count;
	for (size_t i = 0; i < s->count; i++)
		f->weight[i] = 1 / (fmax(steps - noise, 0) + fmax(s->noise[i], LEAST_NOISE));
}

/* Takes off how much each column of the season is above the mean. */
static void remove_season(struct finder *f)
{
	const struct change_series *s = f->series;
	size_t season = s->season, used = 0;
	double *sum, *count, all = 0, weight = 0;

	if (!season || s->count < 3 * season)
		return;
	sum = mem_zalloc(season * sizeof(*sum));
	count = mem_zalloc(season * sizeof(*count));
	for (size_t i = 0; i < s->count; i++) {
		sum[s->column[i] % season] += f->weight[i] * (s->value[i] - f->level[i]);
		count[s->column[i] % season] += f->weight[i];
		all += f->weight[i] * (s->value[i] - f->level[i]);
		weight += f->weight[i];
	}
	for (size_t i = 0; i < s->count; i++) {
		size_t slot = s->column[i] % season;

		f->value[i] = s->value[i] - (sum[slot] / count[slot] - all / weight);
	}
	for (size_t i = 0; i < season; i++)
		used += count[i] > 0;
	f->spread = (double)s->count / (double)(s->count - used);
	free(sum);
	free(count);
}

static double weight_of(const struct finder *f, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += f->weight[i];
	return sum;
}

static double mean_of(const struct finder *f, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += f->weight[i] * f->value[i];
	return to > from ? sum / weight_of(f, from, to) : 0;
}

/* A value in standard deviations from the mean of its side, but for a factor. */
static double rest_of(const struct finder *f, const struct change_point *point, size_t i)
{
	double mean = i < point->at ? point->before : point->after;

	return (f->value[i] - mean) * sqrt(f->weight[i]);
}

/* How much a value resembles the one before it, when the two means are taken off; at least 0. */
static double correlation(const struct finder *f, const struct change_point *point)
{
	double product = 0, squares = 0, last = 0;

	for (size_t i = point->from; i < point->to; i++) {
		double rest = rest_of(f, point, i);

		squares += rest * rest;
		product += rest * last;
		last = rest;
	}
	if (!(squares > 0) || product <= 0)
		return 0;
	return product / squares < MOST_CORRELATION ? product / squares : MOST_CORRELATION;
}

/* Means, standard error and degrees of freedom of a point with its from, at and to. */
static void measure(const struct finder *f, struct change_point *point)
{
	double freedom = (double)(point->to - point->from - 2), factor = 0, fewer;

	point->before = mean_of(f, point->from, point->at);
	point->after = mean_of(f, point->at, point->to);
	for (size_t i = point->from; i < point->to; i++)
		factor += rest_of(f, point, i) * rest_of(f, point, i);
	factor = fmax(factor / freedom * f->spread, 1);
	fewer = correlation(f, point);
	fewer = (1 - fewer) / (1 + fewer);
	point->df = fmax(freedom * fewer, 1);
	point->error = sqrt(factor / fewer *
			    (1 / weight_of(f, point->from, point->at) +
			     1 / weight_of(f, point->at, point->to)));
}

/* The split with the largest sum of squares between both parts, which has the largest t. */
static size_t best_split(const struct finder *f, size_t from, size_t to)
{
	size_t side = f->series->side, best = from + side;
	double all = weight_of(f, from, to), mean = mean_of(f, from, to);
	double first = 0, left = 0, most = -1;

	for (size_t i = from; i + side <= to; i++) {
		/* both parts' deviations from the mean are left and -left */
		double between = left * left / first + left * left / (all - first);

		if (i >= from + side && between > most) {
			most = between;
			best = i;
		}
		first += f->weight[i];
		left += f->weight[i] * (f->value[i] - mean);
	}
	return best;
}

/* Splits parts of parts, whether or not a split is certain: a level that went away again hides in
 * the two parts of a first split. */
static void split(struct finder *f, size_t from, size_t to, unsigned depth)
{
	struct change_point point = { .from = from, .to = to };

	if (to - from < 2 * f->series->side || to - from < 4 || depth > MOST_DEPTH)
		return;
	f->ret->tests++;
	point.at = best_split(f, from, to);
	split(f, from, point.at, depth + 1);
	vec_push(&f->ret->points, point);
	split(f, point.at, to, depth + 1);
}

/* Of the levels between neighbours. */
static void measure_all(struct finder *f)
{
	struct change_points *points = f->ret;
	double splits = (double)(f->series->count - 2 * f->series->side + 1);

	for (size_t i = 0; i < points->points.count; i++) {
		struct change_point *point = &points->points.item[i];

		point->from = i ? point[-1].at : 0;
		point->to = i + 1 < points->points.count ? point[1].at : f->series->count;
		measure(f, point);
		point->p = splits * student_two_sided((point->after - point->before) / point->error,
						      point->df);
	}
}

/* Drops the least certain split until all are certain enough. */
static void find(struct finder *f)
{
	struct change_points *points = f->ret;

	points->points.count = points->tests = 0;
	split(f, 0, f->series->count, 1);
	for (;;) {
		size_t worst = 0;

		measure_all(f);
		for (size_t i = 1; i < points->points.count; i++)
			if (points->points.item[i].p > points->points.item[worst].p)
				worst = i;
		if (!points->points.count || points->points.item[worst].p <= f->most_p)
			break;
		points->points.count--;
		memmove(&points->points.item[worst], &points->points.item[worst + 1],
			(points->points.count - worst) * sizeof(*points->points.item));
	}
}

/* Whether the level after the point is one that was there before another level came. */
static bool returns(const struct finder *f, size_t number)
{
	const struct change_point *points = f->ret->points.item, *point = &points[number];
	double near = RETURN_PART * fabs(point->after - point->before);

	for (size_t i = 0; i < number; i++)
		if (fabs(points[i].before - point->after) < near)
			return true;
	return false;
}

/* Later levels, and the last values, are on the side of the level after the point. */
static bool stays(const struct finder *f, size_t number)
{
	const struct change_points *all = f->ret;
	const struct change_point *point = &all->points.item[number];
	double middle = (point->before + point->after) / 2;
	bool up = point->after > point->before;
	size_t count = f->series->count;

	for (size_t i = number + 1; i < all->points.count; i++)
		if ((all->points.item[i].after > middle) != up)
			return false;
	return (mean_of(f, count - f->series->side, count) > middle) == up;
}

/* Again with the season apart from the levels that were found: a change is in some of the season's
 * columns more often than in others. */
static void find_again(struct finder *f)
{
	struct change_points *points = f->ret;
	size_t count = f->series->count;

	for (size_t i = 0, number = 0; i < count; i++) {
		while (number < points->points.count && points->points.item[number].at <= i)
			number++;
		f->level[i] = number ? points->points.item[number - 1].after
				     : points->points.item[0].before;
	}
	remove_season(f);
	find(f);
}

static void open_finder(const struct change_series *series, struct finder *ret)
{
	size_t size = series->count * sizeof(double);

	*ret = (struct finder){ .series = series,
				.value = mem_alloc(size),
				.weight = mem_alloc(size),
				.level = mem_zalloc(size),
				.spread = 1 };
	memcpy(ret->value, series->value, size);
	set_weights(ret);
}

static void close_finder(struct finder *f)
{
	free(f->value);
	free(f->weight);
	free(f->level);
}

void change_points_find(const struct change_series *series, double most_p,
			struct change_points *ret)
{
	struct finder f;

	*ret = (struct change_points){ 0 };
	if (!series->count)
		return;
	open_finder(series, &f);
	f.most_p = most_p;
	f.ret = ret;
	remove_season(&f);
	find(&f);
	if (ret->points.count && f.spread > 1)
		find_again(&f);
	for (size_t i = 0; i < ret->points.count; i++)
		ret->points.item[i].persists = stays(&f, i) && !returns(&f, i);
	close_finder(&f);
}

void change_point_measure(const struct change_series *series, struct change_point *point)
{
	struct finder f;

	open_finder(series, &f);
	measure(&f, point);
	for (size_t i = 0; i < series->count; i++)
		f.level[i] = i < point->at ? point->before : point->after;
	remove_season(&f);
	measure(&f, point);
	close_finder(&f);
}

void change_points_done(struct change_points *points)
{
	vec_done(&points->points);
}
