/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Depth-first traversal of a JSON tree of calls with "children" arrays. Not recursive, because
 * files may nest to any depth. */
#ifndef FORMAT_JSON_JSON_LEVELS_H
#define FORMAT_JSON_JSON_LEVELS_H

#include <stdbool.h>

#include "base/vec.h"
#include "format/json/json_read.h"

/* A node and its remaining children. */
struct json_level {
	json_id children, at;
	stack_id stack;
};

/* The nodes from the root to the current one. */
struct json_levels {
	VEC(struct json_level) open;
};

/* Continues with the children of a node with this stack. */
static inline void json_levels_enter(struct json_levels *levels, const struct json *json,
				     json_id node, stack_id stack)
{
	json_id children = json_get(json, node, "children");

	vec_push(&levels->open,
		 ((struct json_level){ children, json_first(json, children), stack }));
}

/* Returns false after the last node; all memory is freed then. */
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
