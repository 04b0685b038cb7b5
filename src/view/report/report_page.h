/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of a text report share: report.c prints rows, report_hierarchy.c prints them as a
 * tree of their keys. Private to view/report. */
#ifndef VIEW_REPORT_PAGE_H
#define VIEW_REPORT_PAGE_H

#include "base/buf.h"
#include "view/report/report_table.h"

struct report_graph_tree;

struct report_page {
	struct report_table table;
	const report_columns *columns;
	const struct report_options *options;
	struct report_graph_tree *graph;
	size_t *width; /* per column */
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
bool report_page_shows(const struct report_page *page, uint64_t cost);

/* All of the table below its heading lines (see report.h). */
void report_hierarchy_put(struct report_page *page);

#endif
