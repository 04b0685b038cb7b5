/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison in the shape that flame graphs are drawn from: weights after, and in `other` those
 * before; with the verdicts by node in the order of the tree. */
#ifndef VIEW_DIFF_TREE_H
#define VIEW_DIFF_TREE_H

#include "view/flame/flame_tree.h"

struct diff;
struct diff_node;

struct diff_tree {
	struct flame_tree flame;
	const struct diff_node **node; /* by node of the tree; borrowed from the diff */
	uint32_t *place;	       /* by node of the diff: that of the tree */
};

/* A diff of one profile (diff_of_one()) is no comparison and has no `other`. */
void diff_tree_make(const struct diff *diff, struct diff_tree *ret);
void diff_tree_done(struct diff_tree *tree);

#endif
