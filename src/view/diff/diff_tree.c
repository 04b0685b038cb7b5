/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From comparisons to flame graphs (see diff_tree.h). */
#include "view/diff/diff_tree.h"

#include <stdlib.h>
#include <string.h>

#include "profile/diff/diff.h"
#include "view/flame/flame_merge.h"

static enum flame_kind kind_of(const struct diff *diff, const struct diff_label *label)
{
	static const enum flame_kind kinds[] = {
		[FRAME_USER] = FLAME_USER,
		[FRAME_KERNEL] = FLAME_KERNEL,
		[FRAME_JIT] = FLAME_JIT,
		[FRAME_INTERPRETER] = FLAME_INTERPRETER,
		[FRAME_GUEST] = FLAME_GUEST,
		[FRAME_HYPERVISOR] = FLAME_GUEST,
		[FRAME_SEPARATOR] = FLAME_SEPARATOR,
	};

	if (label->command)
		return FLAME_COMMAND;
	if (label->kind == FRAME_USER && strtab_get(diff->names, label->name)[0] == '[')
		return FLAME_UNKNOWN;
	return kinds[label->kind];
}

static void copy_labels(const struct diff *diff, struct flame_tree *tree)
{
	vec_push(&tree->labels, ((struct flame_label){ .name = strtab_puts(tree->names, "all"),
						       .kind = FLAME_ALL }));
	vec_push(&tree->labels, ((struct flame_label){ .kind = FLAME_SMALLER }));
	for (size_t i = 0; i < diff->labels.count; i++) {
		const struct diff_label *label = &diff->labels.item[i];
		struct flame_label copy = { .kind = kind_of(diff, label),
					    .inlined = label->inlined };

		copy.name = strtab_puts(tree->names, strtab_get(diff->names, label->name));
		copy.module = strtab_puts(tree->names, strtab_get(diff->names, label->module));
		vec_push(&tree->labels, copy);
	}
}

/* Puts a node at the end of the pre-order, below `parent`. */
static void push(const struct diff *diff, struct diff_tree *ret, uint32_t id, uint32_t parent)
{
	const struct diff_node *from = &diff->nodes.item[id];
	size_t at = ret->flame.nodes.count;

	ret->node[at] = from;
	if (ret->flame.other)
		ret->flame.other[at] = from->self.weight[DIFF_BEFORE];
	vec_push(&ret->flame.nodes,
		 ((struct flame_node){ .parent = parent,
				       .depth = from->depth,
				       .label = id ? from->label + 2 : FLAME_LABEL_ALL,
				       .self = from->self.weight[DIFF_AFTER] }));
}

void diff_tree_make(const struct diff *diff, struct diff_tree *ret)
{
	const struct diff_node *nodes = diff->nodes.item;
	uint32_t at = nodes[0].first_child;

	*ret = (struct diff_tree){ .flame = { .names = strtab_new(),
					      .scale = diff->scale,
					      .by_samples = diff->by_samples } };
	ret->node = mem_alloc(diff->nodes.count * sizeof(const struct diff_node *));
	if (diff->total[DIFF_BEFORE].samples)
		ret->flame.other = mem_zalloc(diff->nodes.count * sizeof(*ret->flame.other));
	ret->place = mem_zalloc(diff->nodes.count * sizeof(*ret->place));
	copy_labels(diff, &ret->flame);
	push(diff, ret, 0, 0);
	while (at) {
		ret->place[at] = (uint32_t)ret->flame.nodes.count;
		push(diff, ret, at, ret->place[nodes[at].parent]);
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			continue;
		}
		while (at && !nodes[at].next_sibling)
			at = nodes[at].parent;
		at = at ? nodes[at].next_sibling : 0;
	}
	flame_tree_sum(&ret->flame);
}

void diff_tree_done(struct diff_tree *tree)
{
	flame_tree_done(&tree->flame);
	free(tree->node);
	free(tree->place);
	*tree = (struct diff_tree){ 0 };
}
