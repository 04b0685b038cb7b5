/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph: a profile drawn as one self-contained interactive SVG. Pure function. Ids and
 * attributes follow FlameGraph's and inferno's SVGs, which scrapers rely on. */
#ifndef VIEW_FLAME_GRAPH_H
#define VIEW_FLAME_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "view/flame/flame_options.h"

struct buf;
struct err;
struct flame_column;
struct flame_tree;
struct profile;

/* A tree with its own weights, colours and texts: comparisons (view/diff/diff_svg.c). All is
 * borrowed. */
struct flame_given {
	const struct flame_tree *tree;
	const uint64_t *widths;			 /* by node: of the node itself, in any unit */
	const uint32_t *colors;			 /* by node: rgb */
	const char *about, *missing, *countname; /* missing: NULL: nothing */
	/* Writes the title of a node's box, and the prefix of its name. */
	void (*put_title)(const struct flame_given *given, uint32_t node, struct buf *out);
	const char *(*mark)(const struct flame_given *given, uint32_t node);
	const char *script, *style; /* in place of the viewer's */
	const char *legend;	    /* words that scripts replace */
	const char *defs;	    /* elements that the style refers to; NULL = none */
	const char *info;	    /* for the script, as in flame_pack.h */
	const struct flame_column *columns;
	size_t column_count;
};

/* Titles and looks of the options hold; what concerns reading a profile does not. */
int flame_graph_svg_given(const struct flame_given *given,
			  const struct flame_graph_options *options, struct buf *ret,
			  struct err *err);

/* Checks the options as far as possible without a profile. The drawing functions do so as well. */
int flame_graph_check(const struct flame_graph_options *options, struct err *err);
/* ret_missed, unless NULL, gets the share of the weight in frames that are too many for an SVG:
 * zoom and search do not find them. */
int flame_graph_svg(const struct profile *profile, const struct flame_graph_options *options,
		    struct buf *ret, double *ret_missed, struct err *err);

#endif
