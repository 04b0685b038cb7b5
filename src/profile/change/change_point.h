/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the level of a series changed: the split with the largest Student's t, and in the same way
 * in the parts before and after it, of which those stay that are certain. A p value holds for the
 * best of all possible splits (Bonferroni), and counts columns that follow one another as fewer
 * when they resemble their neighbours (first-order autocorrelation). Values with few samples weigh
 * less. A daily or weekly pattern is taken off first. Pure functions. */
#ifndef PROFILE_CHANGE_CHANGE_POINT_H
#define PROFILE_CHANGE_CHANGE_POINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct change_series {
	const double *value;  /* shares */
	const double *noise;  /* least variance of each: that of drawing its samples; not 0 */
	const size_t *column; /* of each value, in time; rising */
	size_t count;
	size_t season; /* columns after which the pattern repeats; 0 = there is none */
	size_t side;   /* least number of values before and after a change; at least 2 */
};

struct change_point {
	size_t from, at, to;  /* values [from, at) are before, [at, to) after */
	double before, after; /* weighted means */
	double error, df;     /* standard error of the difference, Student's degrees of freedom */
	double p;
	/* All that comes later is nearer to after than to before, and after is no earlier level. */
	bool persists;
};

struct change_points {
	VEC(struct change_point) points; /* in order of time */
	size_t tests;			 /* that were made: also those that found nothing */
};

/* Points have p ≤ most_p. */
void change_points_find(const struct change_series *series, double most_p,
			struct change_points *ret);
/* The means on both sides of a split at from, at, to, their difference's error and freedom, with
 * the season taken off. Leaves p and persists. */
void change_point_measure(const struct change_series *series, struct change_point *point);
void change_points_done(struct change_points *points);

#endif
