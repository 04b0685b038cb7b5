/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as perf stat prints them: text, CSV and JSON (one object a line). stat_frame.h has what
 * stands around them. */
#ifndef VIEW_STAT_VIEW_H
#define VIEW_STAT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct counts;

struct stat_view {
	const char *separator; /* CSV; NULL = text or JSON */
	bool json;
	bool big_num;	   /* 1,234,567 */
	bool metric_only;  /* figures, without the counts */
	bool core_threads; /* by CPU: events of cores are shown for each CPU */
	bool skip_zero;	   /* threads that counted nothing are left out */
	bool spread;	   /* several runs: with standard errors */
	bool interval;	   /* time_ns is printed before each row */
	bool summary;	   /* the word "summary" is, as the sum of intervals */
	uint64_t time_ns;
};

void stat_view(const struct counts *counts, const struct stat_view *view, struct buf *ret);
/* The names of the columns, for text in intervals. */
void stat_view_columns(const struct counts *counts, const struct stat_view *view, struct buf *ret);
/* The same of --metric-only. */
void stat_view_figure_names(const struct counts *counts, const struct stat_view *view,
			    struct buf *ret);

#endif
