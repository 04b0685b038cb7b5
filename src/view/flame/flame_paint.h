/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which colour a box has: by the palette, by a map that the user keeps, by its width, or, where a
 * tree compares, by what changed: red grew, blue shrank, the more the stronger, white is the same.
 * Red and blue stay apart for every common colour blindness. */
#ifndef VIEW_FLAME_FLAME_PAINT_H
#define VIEW_FLAME_FLAME_PAINT_H

#include <stddef.h>
#include <stdint.h>

#include "view/flame/flame_color.h"

struct err;
struct flame_box;
struct flame_graph_options;
struct flame_tree;

struct flame_paint {
	const struct flame_tree *tree;
	const struct flame_graph_options *options;
	rgb *labels;	   /* by label */
	int64_t *change;   /* by node, with all below it; NULL = compares nothing */
	uint64_t greatest; /* change up or down */
};

/* Checks palette and colours of the options. */
int flame_paint_check(const struct flame_graph_options *options, struct err *err);
/* The colour of each label, by palette and palette map alone; the caller frees. */
rgb *flame_paint_labels(const struct flame_tree *tree, const struct flame_graph_options *options);
/* New names are added to the palette map of the options. The tree must outlive the paint. */
void flame_paint_init(struct flame_paint *paint, const struct flame_tree *tree,
		      const struct flame_graph_options *options);
rgb flame_paint_box(const struct flame_paint *paint, const struct flame_box *box, size_t index);
/* The weight of the box in the first profile minus that in the second; negated on request. */
double flame_paint_change(const struct flame_paint *paint, const struct flame_box *box);
void flame_paint_done(struct flame_paint *paint);

#endif
