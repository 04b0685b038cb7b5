/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over the tree of a flame graph (see flame_tree.h); flame_merge.c makes one. */
#include "view/flame/flame_tree.h"

void flame_tree_sum(struct flame_tree *tree)
{
	struct flame_node *nodes = tree->nodes.item;

	tree->max_depth = 0;
	tree->other_total = 0;
	for (size_t i = 0; i < tree->nodes.count; i++) {
		nodes[i].total = nodes[i].self;
		nodes[i].end = (uint32_t)i + 1;
		if (nodes[i].depth > tree->max_depth)
			tree->max_depth = nodes[i].depth;
		tree->other_total += tree->other ? tree->other[i] : 0;
	}
	for (size_t i = tree->nodes.count; i-- > 1;) {
		struct flame_node *parent = &nodes[nodes[i].parent];

		parent->total += nodes[i].total;
		if (nodes[i].end > parent->end)
			parent->end = nodes[i].end;
	}
}

void flame_weights_add(struct flame_weights *weights, uint64_t weight)
{
	weights->by_bits[weight ? 64 - __builtin_clzll(weight) : 0]++;
	weights->count++;
}

uint64_t flame_weights_least(const struct flame_weights *weights, size_t most)
{
	size_t kept = 0;
	unsigned bits = 64;

	if (weights->count <= most)
		return 0;
	while (bits > 0 && kept + weights->by_bits[bits] <= most)
		kept += weights->by_bits[bits--];
	if (!bits) /* those without weight are of other events */
		return kept + weights->by_bits[0] > most;
	return 1ull << (bits < 63 ? bits : 63);
}
