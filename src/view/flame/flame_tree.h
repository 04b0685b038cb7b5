/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of a flame graph: the profile merged by name, in the order of the boxes. The static
 * picture (flame_layout.h), the packed data of the viewer (flame_pack.h) and the viewer's own model
 * (flame_model.js) use this structure.
 *
 * Nodes are in pre-order: a node comes before its children, its subtree is [i, nodes[i].end), and
 * its first child, if any, is i + 1. Node 0 is the root. Weights are in the unit of the measure
 * times `scale`; total = self + totals of the children. A comparison also has `other`: the self
 * weight of each node in the second profile. */
#ifndef VIEW_FLAME_FLAME_TREE_H
#define VIEW_FLAME_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "view/flame/flame_color.h"

struct err;
struct flame_parts;
struct profile;

#define FLAME_LABEL_ALL	    0 /* of the root */
#define FLAME_LABEL_SMALLER 1 /* of boxes that represent several frames */

/* What boxes of one function have in common. Strings are ids in tree->names. */
struct flame_label {
	string_id name, module, file;
	uint32_t line_from, line_to; /* 0 = unknown */
	enum flame_kind kind;
	bool inlined;
};

struct flame_node {
	uint32_t parent, end, depth; /* root: parent 0, depth 0 */
	uint32_t label;
	uint64_t self, total;
};

typedef VEC(struct flame_node) flame_node_list;

/* A source line of a function. */
struct flame_line {
	uint32_t label; /* of the function */
	string_id file; /* in tree->names */
	uint32_t line;
	uint64_t self, total; /* a stack counts once, however often the line is in it */
};

/* The text of a line, if the profile has it. */
struct flame_source {
	string_id file; /* in tree->names */
	uint32_t line;
	const char *text; /* the profile's */
};

struct flame_tree {
	struct strtab *names;
	VEC(struct flame_label) labels;
	flame_node_list nodes;
	uint32_t *smaller; /* by node with FLAME_LABEL_SMALLER: frames it stands for; may be NULL */
	uint64_t *other;   /* by node; NULL = compares nothing */
	uint64_t other_total; /* sum of them */
	uint32_t scale;	      /* weights are in 1/scale of the unit */
	bool by_samples;      /* the measure in use */
	bool in_order;	      /* siblings are in order of time, and names may repeat */
	bool *events;	      /* by index in profile->events: drawn here? */
	uint16_t main_event;  /* first of them */
	uint32_t max_depth;
	uint64_t left_out;		 /* weight of stacks outside of options->base */
	uint64_t least;			 /* lighter nodes have lost their children; 0: none */
	VEC(struct flame_line) lines;	 /* by label; none where lines are not known */
	VEC(struct flame_source) source; /* around them; borrowed from the profile */
	struct flame_parts *parts;	 /* NULL = there is one event and one thread */
	float *first;			 /* by node, flame_first.h; NULL = times are not known */
};

/* Fills end, total, other_total and max_depth from parent, self and other. */
void flame_tree_sum(struct flame_tree *tree);

/* How many nodes are how heavy. Zero it before use. */
struct flame_weights {
	size_t by_bits[65]; /* by length of the weight in bits */
	size_t count;
};

void flame_weights_add(struct flame_weights *weights, uint64_t weight);
/* The minimum weight that keeps at most `most` nodes, rounded to a power of two; 0: there are not
 * more. */
uint64_t flame_weights_least(const struct flame_weights *weights, size_t most);

#endif
