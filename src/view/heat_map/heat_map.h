/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples over time as one HTML page: a column for each second, a row for each part of it, so that
 * what happens every so often makes a pattern; with the flame graph of any range of time inside,
 * and the comparison of two. After FlameScope's idea. Pure function. */
#ifndef VIEW_HEAT_MAP_H
#define VIEW_HEAT_MAP_H

#include <stdbool.h>

struct buf;
struct diff_options;
struct err;
struct profile;

struct heat_map_options {
	const char *title, *subtitle; /* NULL = "Heat Map", nothing */
	/* Weights are bytes times milliseconds: instead of cells, the bytes over time, with a band
	 * for each of the stacks that held the most. */
	bool bands;
};

/* The profile must know times (PROFILE_KEEP_TIME); -ENODATA when it does not. select: event,
 * measure and root frames. */
int heat_map_page(const struct profile *profile, const struct diff_options *select,
		  const struct heat_map_options *options, struct buf *ret, struct err *err);

#endif
