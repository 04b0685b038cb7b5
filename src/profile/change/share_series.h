/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of a profile's weight each function has, with what it calls and alone, column by column
 * of time. Columns with few samples are left out. Functions with one name are one; so is all
 * code without a name. */
#ifndef PROFILE_CHANGE_SHARE_SERIES_H
#define PROFILE_CHANGE_SHARE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct profile;

struct share_function {
	const char *name; /* of the profile; "[unknown]" */
	double *total;	  /* weight by kept column, of stacks that have it; */
	double *self;	  /* of those that end in it */
	double sum;	  /* of total */
};

struct share_series {
	const struct profile *profile; /* with its times; borrowed */
	uint16_t event;		       /* of it */
	uint64_t first_ns, step_ns;
	size_t columns, dropped; /* kept; with fewer samples than was asked for, but some */
	size_t *column;		 /* the number in time of each kept one */
	double *weight, *count;	 /* all of it, by kept column */
	VEC(struct share_function) functions;
	uint32_t *node_function; /* of each stack_id, but the empty one */
	uint32_t *place;	 /* of a column in time among the kept ones; UINT32_MAX = none */
	size_t places;
};

struct share_columns {
	uint64_t first_ns, step_ns;
	size_t count;
	double least; /* samples */
};

void share_series_make(const struct profile *profile, uint16_t event,
		       const struct share_columns *columns, struct share_series *ret);
/* The kept column of a time; UINT32_MAX = none. */
uint32_t share_series_place(const struct share_series *series, uint64_t time_ns);
void share_series_done(struct share_series *series);

#endif
