/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walk through a JSON tree of calls whose nodes have an array "children": depth first and without
 * recursion, since files may nest as deep as they like. */
#ifndef FORMAT_JSON_JSON_LEVELS_H
#define FORMAT_JSON_JSON_LEVELS_H

#include <stdbool.h>

#include "base/vec.h"
#include "format/json/json_read.h"

/* A node, and what is left of its children. */
struct json_level {
	json_id children, at;
	stack_id stack;
};

/* The nodes from the root to where the walk is. */
struct json_levels {
	VEC(struct json_level) open;
};

/* The children of a node with this stack come next. */
static inline void json_levels_enter(struct json_levels *levels, const struct json *json,
				     json_id node, stack_id stack)
{
	json_id children = json_get(json, node, "children");

	vec_push(&levels->open,
		 ((struct json_level){ children, json_first(json, children), stack }));
}

/* False after the last node; then nothing is kept. */
static inline bool json_levels_next(struct json_levels *levels, const struct json *json,
				    json_id *ret_node, stack_id *ret_parent)
{
	while (levels->open.count) {
		struct json_level *level = vec_last(&levels->open);

		if (level->at != JSON_NONE) {
			*ret_node = level->at;
			*ret_parent = level->stack;
			level->at = json_next(json, level->children, level->at);
			return true;
		}
		levels->open.count--;
	}
	vec_done(&levels->open);
	return false;
}

#endif
