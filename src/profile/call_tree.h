/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile merged by frame labels: the tree behind folded text, flame graphs and call trees. The
 * caller assigns each frame a label (a number from 0, or CALL_NO_LABEL); stacks with equal labels
 * share nodes. Weights are those of the picked events. Node 0 is the root; a node's id is greater
 * than its parent's. */
#ifndef PROFILE_CALL_TREE_H
#define PROFILE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

#define CALL_NO_LABEL UINT32_MAX /* leave this frame (or the root frame) out */

struct call_node {
	uint32_t parent, label;
	uint32_t depth : 31;		    /* root: 0 */
	uint32_t ends : 1;		    /* samples have this stack, maybe without weight */
	uint32_t first_child, next_sibling; /* 0 = none; in order of appearance until sorted */
	uint32_t frame;			    /* one raw frame of the node, UINT32_MAX = none */
	uint64_t self, total;		    /* weight, or numbers of samples */
};

struct call_tree {
	VEC(struct call_node) nodes;
	uint64_t left_out; /* of stacks that do not begin */
	uint32_t max_depth;
};

struct call_tree_options {
	const bool *events; /* by index in profile->events; see profile_pick_events() */
	/* Label of the frame below which a thread's stacks hang; NULL = no such frame. */
	uint32_t (*root_label)(void *context, thread_id thread);
	/* Label of a frame; root is the result of root_label(). Called often: cache it. */
	uint32_t (*label)(void *context, frame_id frame, uint32_t root);
	/* True if stacks begin at this frame: callers of the outermost such frame are omitted, as
	 * are the root frame and stacks without one. NULL: stacks begin at their root. */
	bool (*begins)(void *context, frame_id frame);
	void *context;
	/* Filled with the node of each sample of the picked events, UINT32_MAX for one that is
	 * left out; NULL = not wanted. */
	uint32_t *node_of_sample;
	uint32_t scale;	 /* weights are in 1/scale of the unit; 0 = in what their event has */
	bool by_samples; /* count samples, not their weight */
	bool reverse;	 /* stacks leaf first */
	bool in_order;	 /* merge neighbours in time only (flame charts) */
};

void call_tree_build(const struct profile *profile, const struct call_tree_options *options,
		     struct call_tree *ret);
/* Sorts siblings; compare() sees two nodes. */
void call_tree_sort(struct call_tree *tree,
		    int (*compare)(const struct call_node *a, const struct call_node *b,
				   void *context),
		    void *context);
void call_tree_done(struct call_tree *tree);

/* Which events to show: the named one; with NULL the first that has samples. Events that differ
 * only in the kind of core they count on (cpu_core/cycles/, cpu_atom/cycles/) belong together.
 * picked has a bool for every event; returns how many were picked. */
size_t profile_pick_events(const struct profile *profile, const char *name, bool *picked);
/* True if all samples of the picked events have the same weight, *ret_period (1 without samples);
 * then counts can replace weights. */
bool profile_is_uniform(const struct profile *profile, const bool *picked, double *ret_period);

#endif
