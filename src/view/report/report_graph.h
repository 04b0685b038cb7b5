/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call graphs under the rows of a report, in perf's four styles (-g graph, fractal, flat, folded)
 * and both orders (caller, callee). */
#ifndef VIEW_REPORT_GRAPH_H
#define VIEW_REPORT_GRAPH_H

struct buf;
struct report_chains;
struct report_row;

void report_graph_print(struct report_chains *tree, const struct report_row *row, struct buf *ret);

#endif
