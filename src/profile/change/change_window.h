/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time before and after a change side by side: shares of stacks and functions in both, as far
 * as the same times of the day are in both. Share 0 is before, 1 after. */
#ifndef PROFILE_CHANGE_CHANGE_WINDOW_H
#define PROFILE_CHANGE_CHANGE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct change_point;
struct share_series;

struct change_window {
	const struct share_series *series;
	size_t before[2], after[2]; /* columns in time: [from, to) */
	double *node[2];	    /* share of the stacks that end there, by stack_id */
	double *total[2], *self[2]; /* by function; total without excluded stacks */
	double scale;		    /* shares after are divided by it (change_scale.h) */
	bool *excluded;		    /* by stack_id */
};

/* season: columns of a pattern that repeats; 0 = there is none. */
void change_window_open(const struct share_series *series, const struct change_point *point,
			size_t season, struct change_window *ret);
void change_window_close(struct change_window *window);
/* 0, 1, or -1 for neither. */
int change_window_side(const struct change_window *window, size_t column);
double change_window_total(const struct change_window *window, uint32_t function, int side);
double change_window_self(const struct change_window *window, uint32_t function, int side);
/* Its weight in a column, with what it calls; with excluded stacks. */
double change_window_rate(const struct change_window *window, uint32_t function, int side);
/* Leaves out all stacks with the function. */
void change_window_exclude(struct change_window *window, uint32_t function);
/* The caller, direct or not, that kept its share while the function's changed by delta (with the
 * scale). NULL: there is none, or its share is too large to see it. Excluded stacks count. */
const char *change_window_moved(const struct change_window *window, uint32_t function,
				double delta);

#endif
