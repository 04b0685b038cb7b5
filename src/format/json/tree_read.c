/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON in the shape of a tree → profile: d3-flame-graph's {name, value, children}, where a value
 * includes those of the children, and V8's heap profiles {callFrame, selfSize, children}. A root
 * that is called "root" or "(root)" is no frame. */
#include <string.h>

#include "format/format.h"
#include "format/json/json_levels.h"
#include "format/json/json_read.h"

struct tree_reader {
	struct profile *profile;
	struct json_levels levels;
	thread_id thread;
	uint16_t event;
};

static stack_id push_node(struct tree_reader *r, struct json_tree_node node, stack_id parent)
{
	const struct json *json = node.json;
	struct strtab *strings = r->profile->strings;
	json_id call = json_get(json, node.id, "callFrame");
	json_id name = call != JSON_NONE ? json_get(json, call, "functionName")
					 : json_get(json, node.id, "name");
	struct frame frame = { .function = json_intern(json, name, strings) };

	if (!r->levels.open.count && (json_is(json, name, "root") ||
				      json_is(json, name, "(root)") || json_is(json, name, "all")))
		return parent;
	if (call != JSON_NONE) {
		frame.kind = FRAME_JIT;
		frame.file = json_intern(json, json_get(json, call, "url"), strings);
		frame.line = (uint32_t)json_u64(json, json_get(json, call, "lineNumber"), 0);
		if (!frame.function.v)
			frame.function = strtab_puts(strings, "(anonymous)");
	}
	return profile_stack_push(r->profile, parent, profile_frame(r->profile, &frame));
}

static uint64_t self_of(struct tree_reader *r, struct json_tree_node node)
{
	const struct json *json = node.json;
	uint64_t value = json_u64(json, json_get(json, node.id, "value"), 0), below = 0;
	struct json_items children;

	if (json_get(json, node.id, "callFrame") != JSON_NONE)
		return json_u64(json, json_get(json, node.id, "selfSize"), 0);
	json_items_open(&children, json, json_get(json, node.id, "children"));
	while (json_items_next(&children))
		below += json_u64(children.json, json_get(children.json, children.id, "value"), 0);
	if (below > value && value) /* the children's word counts */
		r->profile->meta.unknown_records++;
	return value > below ? value - below : 0;
}

static void enter(struct tree_reader *r, struct json_tree_node node, stack_id parent)
{
	stack_id stack = push_node(r, node, parent);
	uint64_t self = self_of(r, node);

	if (self)
		profile_add(r->profile, &(struct profile_sample){ .stack = profile_stack_or_unknown(
									  r->profile, stack),
								  .thread = r->thread,
								  .event = r->event,
								  .cpu = PROFILE_NO_CPU,
								  .weight = self,
								  .count = 1 });
	json_levels_enter(&r->levels, node, stack);
}

static int json_tree_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct tree_reader r = { .profile = profile };
	json_id head = json_get(json, JSON_ROOT, "head");
	struct json_tree_node node = { json, head != JSON_NONE ? head : JSON_ROOT };
	stack_id parent;

	(void)err;
	r.event = head != JSON_NONE ? profile_event(profile, "allocated", "bytes")
				    : profile_event(profile, "value", "");
	r.thread = profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, "");
	enter(&r, node, STACK_EMPTY);
	while (json_levels_next(&r.levels, &node, &parent))
		enter(&r, node, parent);
	return 0;
}

static bool is_tree(const struct json *json)
{
	return (json_has(json, JSON_ROOT, "name") && json_has(json, JSON_ROOT, "value")) ||
	       json_has(json, json_get(json, JSON_ROOT, "head"), "callFrame");
}

const struct format_ops format_json_tree = {
	.name = "json-tree",
	.help = "d3-flame-graph's trees, V8's .heapprofile",
	.is_json = is_tree,
	.read_json = json_tree_read,
};
