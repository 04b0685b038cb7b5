/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reduces a tree for documents of limited size: the narrowest frames of each parent become one node
 * with the label FLAME_LABEL_SMALLER, their total weight and their number. */
#ifndef VIEW_FLAME_FLAME_PRUNE_H
#define VIEW_FLAME_FLAME_PRUNE_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;

/* Leaves at most about `most` nodes; nothing happens when there are no more. A tree that was cut
 * (tree->least) is pruned at that weight. */
void flame_prune(struct flame_tree *tree, size_t most);

#endif
