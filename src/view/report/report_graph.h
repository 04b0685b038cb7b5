/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call graphs under the rows of a report, in perf's four styles (-g graph, fractal, flat, folded)
 * and both orders (caller, callee). */
#ifndef VIEW_REPORT_GRAPH_H
#define VIEW_REPORT_GRAPH_H

#include <stdint.h>

struct buf;
struct report_graph_tree;
struct report_row;
struct report_table;

/* Collects the chains of all rows that reach options->percent_limit. Call before
 * report_table_sort(). */
struct report_graph_tree *report_graph_new(struct report_table *table);
void report_graph_print(struct report_graph_tree *tree, const struct report_row *row,
			struct buf *ret);
/* What was left out because it would be too much: samples, from some graphs or all, and the graphs
 * of rows. */
struct report_graph_cut {
	uint64_t samples, graphs;
};
struct report_graph_cut report_graph_cut(const struct report_graph_tree *tree);
void report_graph_free(struct report_graph_tree *tree); /* NULL is fine */

#endif
