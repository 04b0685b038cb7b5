/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A smaller tree for documents that shall not grow without bound: the narrowest frames of each
 * parent become one node of the label FLAME_LABEL_SMALLER, which keeps their weight and says how
 * many they were. */
#ifndef VIEW_FLAME_FLAME_PRUNE_H
#define VIEW_FLAME_FLAME_PRUNE_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;

/* How many nodes are how heavy. Zero it before use. */
struct flame_weights {
	size_t by_bits[65]; /* by length of the weight in bits */
	size_t count;
};

void flame_weights_add(struct flame_weights *weights, uint64_t weight);
/* What a node must weigh so that no more than `most` do; powers of two are close enough. 0 = there
 * are no more. */
uint64_t flame_weights_least(const struct flame_weights *weights, size_t most);

/* Leaves at most about `most` nodes; nothing happens when there are no more. A tree that was cut
 * (tree->least) is pruned at that weight. */
void flame_prune(struct flame_tree *tree, size_t most);

#endif
