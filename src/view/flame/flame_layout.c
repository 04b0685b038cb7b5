/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laying out a flame graph (see flame_layout.h). */
#include "view/flame/flame_layout.h"

#include <math.h>

#include "view/flame/flame_tree.h"

struct placer {
	const struct flame_tree *tree;
	struct flame_layout *layout;
};

static void push_box(struct placer *b, uint32_t node, uint64_t x)
{
	const struct flame_node *n = &b->tree->nodes.item[node];

	vec_push(&b->layout->boxes,
		 ((struct flame_box){ .x = x,
				      .weight = n->total,
				      .self = n->self,
				      .depth = n->depth,
				      .label = n->label,
				      .smaller = b->tree->smaller ? b->tree->smaller[node] : 0,
				      .node = node }));
	if (b->tree->smaller && b->tree->smaller[node])
		b->layout->hidden += n->total;
	if (n->depth > b->layout->max_depth)
		b->layout->max_depth = n->depth;
}

/* Neighbours too narrow to draw, waiting for their common box. */
struct gathered {
	uint64_t x, weight;
	uint32_t count;
};

static void flush_gathered(struct placer *b, struct gathered *gathered, uint32_t depth)
{
	if (gathered->count)
		b->layout->hidden += gathered->weight;
	if (gathered->count && gathered->weight >= b->layout->smallest) {
		vec_push(&b->layout->boxes, ((struct flame_box){ .x = gathered->x,
								 .weight = gathered->weight,
								 .depth = depth,
								 .label = FLAME_LABEL_SMALLER,
								 .smaller = gathered->count }));
		if (depth > b->layout->max_depth)
			b->layout->max_depth = depth;
	}
	*gathered = (struct gathered){ 0 };
}

/* A node may stand for several frames itself (flame_prune.h). */
static uint32_t frames_of(const struct flame_tree *tree, uint32_t node)
{
	uint32_t frames = tree->smaller ? tree->smaller[node] : 0;

	return frames ? frames : 1;
}

/* A placed node with children to place. */
struct pending {
	uint32_t node;
	uint64_t x;
};

typedef VEC(struct pending) pending_list;

/* Places the children of a node: wide ones first in order, then the box of the narrow ones. In a
 * flame chart, where order is time, narrow ones are gathered where they are. */
static void place_children(struct placer *b, struct pending parent, pending_list *next)
{
	const struct flame_node *nodes = b->tree->nodes.item;
	uint32_t depth = nodes[parent.node].depth + 1;
	bool in_order = b->tree->in_order;
	struct gathered gathered = { 0 };
	uint64_t x = parent.x;
	size_t first = next->count;

	for (uint32_t id = parent.node + 1; id < nodes[parent.node].end; id = nodes[id].end) {
		uint64_t width = nodes[id].total;

		if (width == 0)
			continue;
		if (width < b->layout->smallest) {
			if (!gathered.count)
				gathered.x = x;
			gathered.count += frames_of(b->tree, id);
			gathered.weight += width;
			x += in_order ? width : 0;
			continue;
		}
		if (in_order)
			flush_gathered(b, &gathered, depth);
		vec_push(next, ((struct pending){ id, x }));
		x += width;
	}
	if (!in_order)
		gathered.x = x;
	flush_gathered(b, &gathered, depth);
	for (size_t i = first, j = next->count; i + 1 < j; i++) { /* the leftmost is taken first */
		struct pending left = next->item[i];

		next->item[i] = next->item[--j];
		next->item[j] = left;
	}
}

static void place_all(struct placer *b)
{
	pending_list stack = { 0 };

	vec_push(&stack, ((struct pending){ 0, 0 }));
	while (stack.count) {
		struct pending at = stack.item[--stack.count];

		push_box(b, at.node, at.x);
		place_children(b, at, &stack);
	}
	b->layout->boxes.item[0].weight = b->layout->total;
	vec_done(&stack);
}

void flame_layout_build(const struct flame_tree *tree, uint64_t total, double smallest,
			struct flame_layout *ret)
{
	struct placer b = { .tree = tree, .layout = ret };

	*ret = (struct flame_layout){ .total = tree->nodes.item[0].total };
	if (total > ret->total)
		ret->total = total;
	ret->smallest = (uint64_t)ceil((double)ret->total * smallest);
	place_all(&b);
}

void flame_layout_done(struct flame_layout *layout)
{
	vec_done(&layout->boxes);
	*layout = (struct flame_layout){ 0 };
}
