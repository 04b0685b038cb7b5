/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SVG while it is written: shared by flame_graph.c, which writes the document, and flame_box.c,
 * which writes the boxes. */
#ifndef VIEW_FLAME_FLAME_PICTURE_H
#define VIEW_FLAME_FLAME_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_layout.h"
#include "view/flame/flame_legend.h"
#include "view/flame/flame_paint.h"
#include "view/flame/flame_tree.h"

struct picture {
	const struct profile *profile;
	const struct flame_graph_options *options;
	const struct flame_given *given; /* NULL = a profile's */
	struct flame_tree tree;
	struct flame_layout layout;
	struct flame_facts facts;
	struct flame_paint paint;
	struct flame_legend legend;
	struct buf *out;
	struct buf data;			       /* the packed tree */
	double width, row, top, bottom, height, inner; /* px */
	double fontsize, fontwidth, minwidth;
	double factor;
	double each; /* flame_sample_width() */
	const char *countname;
	const char *indent; /* before each element of a box */
	bool stroke;
	rgb stroke_color;
};

/* Text of the document, escaped. */
void flame_put_text(struct buf *out, const char *s);
/* The box of that index in the layout. */
void flame_put_box(struct picture *p, size_t index);

#endif
