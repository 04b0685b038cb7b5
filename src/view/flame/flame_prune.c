/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pruning trees (see flame_prune.h). */
#include "view/flame/flame_prune.h"

#include <stdlib.h>
#include <string.h>

#include "view/flame/flame_first.h"
#include "view/flame/flame_parts.h"
#include "view/flame/flame_tree.h"

/* By node: weight in both profiles, with all below. */
static uint64_t *weigh(const struct flame_tree *tree, uint64_t *other)
{
	uint64_t *both = mem_alloc(tree->nodes.count * sizeof(*both));

	for (size_t i = tree->nodes.count; i-- > 0;) {
		if (i && tree->other)
			other[tree->nodes.item[i].parent] += other[i];
		both[i] = tree->nodes.item[i].total + other[i];
	}
	return both;
}

static uint64_t find_least(const struct flame_tree *tree, const uint64_t *both, size_t most)
{
	struct flame_weights weights = { 0 };

	if (tree->least)
		return tree->least;
	for (size_t i = 0; i < tree->nodes.count; i++)
		flame_weights_add(&weights, both[i]);
	return flame_weights_least(&weights, most);
}

struct pruned {
	flame_node_list nodes;
	VEC(uint64_t) other;
	VEC(uint32_t) smaller;
};

static size_t push(struct pruned *to, const struct flame_node *node, uint64_t other)
{
	vec_push(&to->nodes, *node);
	vec_push(&to->other, other);
	vec_push(&to->smaller, 0);
	return to->nodes.count - 1;
}

/* Narrow neighbours share a box; a wide one between them ends it. */
static void gather(struct pruned *to, const struct flame_node *node, uint64_t other)
{
	const struct flame_node *last = vec_last(&to->nodes);
	size_t box = to->nodes.count - 1;

	if (last->parent != node->parent || last->label != FLAME_LABEL_SMALLER) {
		struct flame_node empty = { .parent = node->parent,
					    .depth = node->depth,
					    .label = FLAME_LABEL_SMALLER };

		box = push(to, &empty, 0);
	}
	to->nodes.item[box].self += node->total;
	to->other.item[box] += other;
	to->smaller.item[box]++;
}

static void replace(struct flame_tree *tree, struct pruned *by)
{
	vec_done(&tree->nodes);
	tree->nodes = by->nodes;
	tree->least = 0;
	free(tree->smaller);
	tree->smaller = by->smaller.item;
	if (tree->other) {
		free(tree->other);
		tree->other = by->other.item;
	} else {
		vec_done(&by->other);
	}
	flame_tree_sum(tree);
}

void flame_prune(struct flame_tree *tree, size_t most)
{
	const struct flame_node *from = tree->nodes.item;
	size_t count = tree->nodes.count;
	struct pruned to = { 0 };
	uint64_t *other, *both, least;
	uint32_t *place;

	if (count <= most && !tree->least)
		return;
	other = mem_zalloc(count * sizeof(*other));
	if (tree->other)
		memcpy(other, tree->other, count * sizeof(*other));
	both = weigh(tree, other);
	least = find_least(tree, both, most);
	place = mem_zalloc(count * sizeof(*place)); /* in the new tree */
	for (size_t i = 0; i < count;) {
		struct flame_node node = from[i];

		node.parent = i ? place[node.parent] : 0;
		if (i && both[i] < least) {
			gather(&to, &node, other[i]);
			for (; i < node.end; i++)
				place[i] = (uint32_t)to.nodes.count - 1;
			continue;
		}
		place[i] = (uint32_t)push(&to, &node, tree->other ? tree->other[i] : 0);
		i++;
	}
	replace(tree, &to);
	if (tree->parts) {
		flame_parts_move(tree->parts, place);
		flame_parts_finish(tree->parts);
	}
	if (tree->first)
		flame_first_move(tree, place, count);
	free(both);
	free(other);
	free(place);
}
