/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's context during a recording: a table with sparklines for people, JSON for programs.
 * Pure functions of the series. */
#ifndef VIEW_CONTEXT_VIEW_H
#define VIEW_CONTEXT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct context_series;

struct context_view_options {
	size_t width;  /* columns of the sparkline at most; 0 = 60 */
	bool all_rows; /* also those that stay 0, and every CPU */
};

void context_text(const struct context_series *series, const struct context_view_options *options,
		  struct buf *ret);
/* {"cupel":1,"duration_ns","samples":[{"time_ns","interval_ns"}],
 *  "rows":[{"group","name","unit","mean","max","values":[…]}]}; values not known are null. */
void context_json(const struct context_series *series, struct buf *ret);
/* The rows alone, as an array, for pages that hold more. */
void context_json_rows(const struct context_series *series, struct buf *ret);

#endif
