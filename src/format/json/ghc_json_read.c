/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GHC's time and allocation report as JSON (+RTS -pj) → profile: a table of cost centres and the
 * tree of calls, with ticks and bytes per node. Functions are "MODULE.LABEL", as in the text
 * report. */
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "format/format.h"
#include "format/json/json_levels.h"
#include "format/json/json_read.h"

struct ghc_json {
	struct profile *profile;
	struct map frames; /* by id of a cost centre */
	struct json_levels levels;
	thread_id thread;
	uint16_t ticks, alloc;
};

static frame_id make_frame(struct ghc_json *r, const struct json *json, json_id centre)
{
	struct strtab *strings = r->profile->strings;
	struct buf name = { 0 };
	struct frame frame = { 0 };
	frame_id ret;

	json_put(json, json_get(json, centre, "module"), &name);
	(void)buf_putc(&name, '.');
	json_put(json, json_get(json, centre, "label"), &name);
	frame.function = strtab_intern(strings, name.data, name.len);
	ret = profile_frame(r->profile, &frame);
	buf_done(&name);
	return ret;
}

static void add(struct ghc_json *r, stack_id stack, uint16_t event, uint64_t weight)
{
	if (weight)
		profile_add(r->profile,
			    &(struct profile_sample){ .stack = stack,
						      .thread = r->thread,
						      .event = event,
						      .cpu = PROFILE_NO_CPU,
						      .weight = weight,
						      .count = event == r->ticks ? weight : 1 });
}

static void enter(struct ghc_json *r, struct json_tree_node node, stack_id parent)
{
	const struct json *json = node.json;
	uint64_t frame;
	stack_id stack = parent;

	if (map_get(&r->frames, json_u64(json, json_get(json, node.id, "id"), UINT64_MAX), &frame))
		stack = profile_stack_push(r->profile, parent, (frame_id){ (uint32_t)frame });
	else
		r->profile->meta.unknown_records++;
	stack = profile_stack_or_unknown(r->profile, stack);
	add(r, stack, r->ticks, json_u64(json, json_get(json, node.id, "ticks"), 0));
	add(r, stack, r->alloc, json_u64(json, json_get(json, node.id, "alloc"), 0));
	json_levels_enter(&r->levels, node, stack);
}

static int ghc_json_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct json_tree_node node = { json, json_get(json, JSON_ROOT, "profile") };
	struct ghc_json r = { .profile = profile,
			      .thread = profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, ""),
			      .ticks = profile_event(profile, "ticks", "samples"),
			      .alloc = profile_event(profile, "alloc", "bytes") };
	struct json_items centres;
	stack_id parent;

	(void)err;
	profile->meta.command =
		json_intern(json, json_get(json, JSON_ROOT, "program"), profile->strings);
	json_items_open(&centres, json, json_get(json, JSON_ROOT, "cost_centres"));
	while (json_items_next(&centres))
		map_set(&r.frames,
			json_u64(centres.json, json_get(centres.json, centres.id, "id"),
				 UINT64_MAX),
			make_frame(&r, centres.json, centres.id).v);
	enter(&r, node, STACK_EMPTY);
	while (json_levels_next(&r.levels, &node, &parent))
		enter(&r, node, parent);
	map_done(&r.frames);
	return 0;
}

static bool is_ghc(const struct json *json)
{
	return json_has(json, JSON_ROOT, "cost_centres") && json_has(json, JSON_ROOT, "profile");
}

const struct format_ops format_ghc_json = {
	.name = "ghc-json",
	.help = "GHC's .prof as JSON",
	.is_json = is_ghc,
	.read_json = ghc_json_read,
};
