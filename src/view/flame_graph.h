/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph: a profile drawn as one self-contained interactive SVG. Pure function. Ids and
 * attributes follow FlameGraph's and inferno's SVGs, which scrapers rely on. */
#ifndef VIEW_FLAME_GRAPH_H
#define VIEW_FLAME_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct profile;

struct flame_graph_options {
	const char *title, *subtitle, *notes;
	uint32_t width;	 /* px, 0 = 1200 */
	uint32_t height; /* px per frame, 0 = 16 */
	double minwidth; /* px, or percent when minwidth_percent */
	bool minwidth_percent;
	const char *colors; /* palette name */
	bool inverted;	    /* icicle */
	bool reverse;	    /* stacks leaf first */
	const char *countname, *nametype;
	const char *fonttype;
	double fontsize;
	bool hash;
	const char *event; /* which event; NULL = the one with most samples */
};

int flame_graph_svg(const struct profile *profile, const struct flame_graph_options *options,
		    struct buf *ret, struct err *err);

#endif
