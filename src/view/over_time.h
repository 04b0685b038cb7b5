/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts over time, a line each: by functions of a profile, or by what the caller fills in (values
 * of a label). As text with sparklines, and as JSON. Pure functions; names are borrowed. */
#ifndef VIEW_OVER_TIME_H
#define VIEW_OVER_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct buf;
struct profile;

struct over_time_row {
	const char *name;
	uint64_t *weight; /* by column */
	uint64_t total;
};

struct over_time {
	uint64_t first_ns, step_ns; /* Unix time of the first column */
	size_t columns;
	const char *unit, *heading; /* of weights; of names */
	const char *event;	    /* NULL = not said */
	uint64_t total;		    /* of all samples, also those in no row */
	VEC(struct over_time_row) rows;
};

struct over_time_options {
	size_t limit;	       /* rows; 0 = all */
	size_t line, width;    /* columns: of a sparkline at most; of the terminal, 0 = none */
	const char *from, *to; /* the range as text */
};

/* first_ns, step_ns and columns are set. Rows of functions: by the leaf of each stack, or total:
 * by all of its functions. The profile knows times; only the first event with samples counts. */
void over_time_of_functions(const struct profile *profile, bool total, struct over_time *ret);
/* The row is the caller's to name; its columns are zero. */
struct over_time_row *over_time_add(struct over_time *over);
void over_time_sort(struct over_time *over); /* largest first */
void over_time_text(const struct over_time *over, const struct over_time_options *options,
		    struct buf *ret);
/* {"from_ns":…,"step_ns":…,"event":…,"unit":…,"total":…,
 * "rows":[{"name":…,"total":…,"weights":[…]}]} */
void over_time_json(const struct over_time *over, const struct over_time_options *options,
		    struct buf *ret);
void over_time_done(struct over_time *over);

#endif
