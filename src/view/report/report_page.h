/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of a text report share: report.c prints rows, report_hierarchy.c prints them as a
 * tree of their keys. The browser of
 * view/browser shows them, too. */
#ifndef VIEW_REPORT_PAGE_H
#define VIEW_REPORT_PAGE_H

#include "base/buf.h"
#include "view/report/report_table.h"

struct report_chains;

struct report_page {
	struct report_table table;
	const report_columns *columns;
	const struct report_options *options;
	struct report_chains *graph;
	size_t *width; /* per column */
	bool any;      /* a table has rows */
	struct buf cell;
	struct buf *out;
};

/* The measure of one event of the table, as text in page->cell, without padding. */
void report_page_measure(struct report_page *page, const struct report_column *column,
			 const struct report_cost *cost, size_t member);
/* The text of a key in page->cell. */
void report_page_key(struct report_page *page, const struct report_row *row, size_t key);
/* The measures of all events of the table, padded to the column's width, in page->out. */
void report_page_put_measures(struct report_page *page, size_t column,
			      const struct report_cost *costs);
/* "Samples: 12K of event 'cpu-clock'" in page->out, of all events of the table. */
void report_page_put_samples(const struct report_page *page);
/* Of the first `rows` rows, those of them that are shown, in page->width. */
void report_page_measure_column(struct report_page *page, size_t column, size_t rows);
/* The nth of --column-widths; 0 = as wide as needed. */
size_t report_page_asked_width(const char *widths, size_t n);
/* The number of a column among the keys. */
size_t report_page_key_of(const struct report_page *page, size_t column);
bool report_page_shows_row(const struct report_page *page, const struct report_row *row);
bool report_page_shows(const struct report_page *page, uint64_t cost);

/* All of the table below its heading lines (see report.h). */
void report_hierarchy_put(struct report_page *page);

#endif
