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
	const struct json *json;
	struct profile *profile;
	struct map frames; /* by id of a cost centre */
	struct json_levels levels;
	thread_id thread;
	uint16_t ticks, alloc;
};

static frame_id make_frame(struct ghc_json *r, json_id centre)
{
	struct strtab *strings = r->profile->strings;
	struct buf name = { 0 };
	struct frame frame = { 0 };
	frame_id ret;

	json_put(r->json, json_get(r->json, centre, "module"), &name);
	(void)buf_putc(&name, '.');
	json_put(r->json, json_get(r->json, centre, "label"), &name);
	frame.function = strtab_intern(strings, name.data, name.len);
	ret = profile_frame(r->profile, &frame);
	buf_done(&name);
	return ret;
}

static void add(struct ghc_json *r, stack_id stack, uint16_t event, json_id value)
{
	uint64_t weight = json_u64(r->json, value, 0);

	if (weight)
		profile_add(r->profile,
			    &(struct profile_sample){ .stack = stack,
						      .thread = r->thread,
						      .event = event,
						      .cpu = PROFILE_NO_CPU,
						      .weight = weight,
						      .count = event == r->ticks ? weight : 1 });
}

static void enter(struct ghc_json *r, json_id node, stack_id parent)
{
	const struct json *json = r->json;
	uint64_t frame;
	stack_id stack = parent;

	if (map_get(&r->frames, json_u64(json, json_get(json, node, "id"), UINT64_MAX), &frame))
		stack = profile_stack_push(r->profile, parent, (frame_id){ (uint32_t)frame });
	else
		r->profile->meta.unknown_records++;
	stack = profile_stack_or_unknown(r->profile, stack);
	add(r, stack, r->ticks, json_get(json, node, "ticks"));
	add(r, stack, r->alloc, json_get(json, node, "alloc"));
	json_levels_enter(&r->levels, json, node, stack);
}

static int ghc_json_read(const struct json *json, struct profile *profile, struct err *err)
{
	json_id centres = json_get(json, JSON_ROOT, "cost_centres");
	struct ghc_json r = { .json = json,
			      .profile = profile,
			      .thread = profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, ""),
			      .ticks = profile_event(profile, "ticks", "samples"),
			      .alloc = profile_event(profile, "alloc", "bytes") };
	stack_id parent;
	json_id node;

	(void)err;
	profile->meta.command =
		json_intern(json, json_get(json, JSON_ROOT, "program"), profile->strings);
	for (json_id at = json_first(json, centres); at != JSON_NONE;
	     at = json_next(json, centres, at))
		map_set(&r.frames, json_u64(json, json_get(json, at, "id"), UINT64_MAX),
			make_frame(&r, at).v);
	enter(&r, json_get(json, JSON_ROOT, "profile"), STACK_EMPTY);
	while (json_levels_next(&r.levels, json, &node, &parent))
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
