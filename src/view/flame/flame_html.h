/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph for big profiles: one HTML page that draws on a canvas from packed data, with the
 * viewer that flame_graph.h's SVG has. Pure function. */
#ifndef VIEW_FLAME_FLAME_HTML_H
#define VIEW_FLAME_FLAME_HTML_H

struct buf;
struct err;
struct flame_graph_options;
struct profile;

int flame_html(const struct profile *profile, const struct flame_graph_options *options,
	       struct buf *ret, struct err *err);

#endif
