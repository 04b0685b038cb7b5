/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of rows, and the words before them, for all forms of counts. */
#ifndef VIEW_STAT_ROWS_H
#define VIEW_STAT_ROWS_H

#include <stddef.h>

#include "profile/counts/count_metric.h"
#include "profile/counts/counts.h"
#include "view/stat/stat_view.h"

struct buf;

struct stat_row {
	size_t event, place;
	double value;
};

/* Returns the number of rows. *ret is the caller's to free. */
size_t stat_rows(const struct counts *counts, const struct stat_view *view, struct stat_row **ret);

#define STAT_PLACE_NAME 64
/* Whether the event has one row for each core, while others have one for each CPU. */
bool stat_is_core(const struct counts *counts, const struct stat_view *view, size_t event);
/* The place of a row: that below, or the core. */
void stat_row_place(const struct counts *counts, const struct stat_view *view,
		    const struct stat_row *row, char ret[STAT_PLACE_NAME]);
/* "S0-D0-C1"; empty if everything is one place. */
void stat_place_name(const struct counts *counts, size_t place, char *ret, size_t size);
/* The key of that name in JSON, "core"; NULL if everything is one place. */
const char *stat_place_key(const struct counts *counts);
/* True if a place joins several CPUs, and says how many. */
bool stat_place_joins(const struct counts *counts);
/* The unit of text and CSV. */
double stat_shown_value(const struct counts *counts, const struct stat_row *row);
/* Standard error relative to the mean, in percent. */
double stat_error_percent(const struct mean *mean);
double stat_running_percent(const struct counts_cell *cell);
/* "<not counted>", "<not supported>", or NULL: it is counted. */
const char *stat_missing(const struct counts *counts, const struct stat_row *row);

/* What is in front of a row of text or CSV: the time of an interval. */
void stat_put_time(const struct stat_view *view, struct buf *out);
/* The number of a figure, without blanks and units; returns a place in text. */
const char *stat_metric_number(const struct count_metric *metric, char *text, size_t size);

/* The three forms. */
void stat_text(const struct counts *counts, const struct stat_view *view, struct buf *ret);
void stat_csv(const struct counts *counts, const struct stat_view *view, struct buf *ret);
void stat_json(const struct counts *counts, const struct stat_view *view, struct buf *ret);
/* Of --metric-only, all three: one line for each place. */
void stat_metric_lines(const struct counts *counts, const struct stat_view *view, struct buf *ret);

#endif
