/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's context during a recording: a table with sparklines for people, JSON for programs.
 * Pure functions of the series. */
#ifndef VIEW_MACHINE_VIEW_H
#define VIEW_MACHINE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct machine_series;

struct machine_view_options {
	size_t width;  /* columns of the sparkline at most; 0 = 60 */
	bool all_rows; /* include rows that stay 0, and every CPU */
};

void machine_text(const struct machine_series *series, const struct machine_view_options *options,
		  struct buf *ret);
/* {"cupel":1,"duration_ns","samples":[{"time_ns","interval_ns"}],
 *  "rows":[{"group","name","unit","mean","max","values":[…]}]}; values not known are null. */
void machine_json(const struct machine_series *series, struct buf *ret);
/* The rows alone, as an array, for pages that hold more. */
void machine_json_rows(const struct machine_series *series, struct buf *ret);

#endif
