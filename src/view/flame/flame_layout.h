/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which boxes a flame graph has and where: the nodes of a tree wide enough to draw, frames
 * below the smallest width gathered into one box per parent, so that every row still adds up. No
 * drawing. */
#ifndef VIEW_FLAME_LAYOUT_H
#define VIEW_FLAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct flame_tree;

struct flame_box {
	uint64_t x, weight, self; /* in the units of the measure */
	uint32_t depth;		  /* 0 = the root of all */
	uint32_t label, node;	  /* in the tree; a combined box has no node */
	uint32_t smaller;	  /* > 0: number of frames it represents */
};

struct flame_layout {
	VEC(struct flame_box) boxes; /* parents before their children, left to right */
	uint64_t total;		     /* width of the root */
	uint64_t smallest;	     /* narrower boxes are gathered */
	uint64_t hidden;	     /* weight of frames gathered, outermost ones only */
	uint32_t max_depth;
};

/* smallest: share of the total width below which a frame is gathered. total: width of the whole,
 * when more than the tree's. */
void flame_layout_build(const struct flame_tree *tree, uint64_t total, double smallest,
			struct flame_layout *ret);
void flame_layout_done(struct flame_layout *layout);

#endif
