/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Depth-first traversal of a JSON tree of calls with "children" arrays. Not recursive, because
 * files may nest to any depth. */
#ifndef FORMAT_JSON_JSON_LEVELS_H
#define FORMAT_JSON_JSON_LEVELS_H

#include <stdbool.h>

#include "base/vec.h"
#include "format/json/json_read.h"

/* The remaining children of a node. */
struct json_level {
	struct json_items children;
	stack_id stack;
};

struct json_tree_node {
	const struct json *json;
	json_id id;
};

/* The nodes from the root to the current one. */
struct json_levels {
	VEC(struct json_level) open;
};

/* Continues with the children of a node with this stack. */
static inline void json_levels_enter(struct json_levels *levels, struct json_tree_node node,
				     stack_id stack)
{
	struct json_level level = { .stack = stack };

	json_items_open(&level.children, node.json, json_get(node.json, node.id, "children"));
	vec_push(&levels->open, level);
}

/* Returns false after the last node; all memory is freed then. */
static inline bool json_levels_next(struct json_levels *levels, struct json_tree_node *ret_node,
				    stack_id *ret_parent)
{
	while (levels->open.count) {
		struct json_level *level = vec_last(&levels->open);

		if (json_items_next(&level->children)) {
			*ret_node =
				(struct json_tree_node){ level->children.json, level->children.id };
			*ret_parent = level->stack;
			return true;
		}
		levels->open.count--;
	}
	vec_done(&levels->open);
	return false;
}

#endif
