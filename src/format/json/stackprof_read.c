/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ruby's stackprof as JSON → profile. "raw" is a list of stacks: length, that many frame ids root
 * first, and how many samples in a row were like that. Times between samples, where given, are the
 * weights; in the mode "cpu" the interval is. Format: github.com/tmm1/stackprof. */
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "format/format.h"
#include "format/json/json_read.h"

#define MAX_DEPTH 65536

struct stackprof_reader {
	const struct json *json;
	struct profile *profile;
	struct map frames; /* id → frame */
	struct json_items raw, deltas;
	uint16_t event;
	thread_id thread;
	bool timed;
	uint64_t interval_ns; /* of CPU time between samples; 0 = not in that mode */
};

static void read_frames(struct stackprof_reader *r, json_id frames)
{
	const struct json *json = r->json;
	struct strtab *strings = r->profile->strings;

	for (json_id id = json_first(json, frames); id != JSON_NONE;
	     id = json_next(json, frames, id + 1)) {
		struct frame frame = { .kind = FRAME_INTERPRETER };
		string_id key = json_intern(json, id, strings);

		frame.function = json_intern(json, json_get(json, id + 1, "name"), strings);
		frame.file = json_intern(json, json_get(json, id + 1, "file"), strings);
		frame.line = (uint32_t)json_u64(json, json_get(json, id + 1, "line"), 0);
		if (!frame.function.v)
			frame.function = strtab_puts(strings, "(unknown)");
		map_set(&r->frames, strtoull(strtab_get(strings, key), NULL, 10),
			profile_frame(r->profile, &frame).v);
		if (json_next(json, frames, id + 1) == JSON_NONE)
			break;
	}
}

/* The time of `count` samples, or their number. */
static uint64_t take_weight(struct stackprof_reader *r, uint64_t count)
{
	uint64_t sum = 0;

	if (r->interval_ns)
		return __builtin_mul_overflow(count, r->interval_ns, &sum) ? 0 : sum;
	if (!r->timed)
		return count;
	while (count-- && json_items_next(&r->deltas))
		sum += json_ns(r->deltas.json, r->deltas.id, 1e3);
	return sum;
}

/* The stack of which the length was just read. */
static void read_stack(struct stackprof_reader *r)
{
	struct json_items *raw = &r->raw;
	uint64_t length = json_u64(raw->json, raw->id, 0), count;
	stack_id stack = STACK_EMPTY;

	for (; length && json_items_next(raw); length--) {
		uint64_t frame;

		if (map_get(&r->frames, json_u64(raw->json, raw->id, 0), &frame))
			stack = profile_stack_push(r->profile, stack,
						   (frame_id){ (uint32_t)frame });
		else
			r->profile->meta.unknown_records++;
	}
	if (length || !json_items_next(raw)) {
		r->profile->meta.unknown_records++;
		return;
	}
	count = json_u64(raw->json, raw->id, 1);
	profile_add(r->profile,
		    &(struct profile_sample){ .stack = profile_stack_or_unknown(r->profile, stack),
					      .thread = r->thread,
					      .event = r->event,
					      .cpu = PROFILE_NO_CPU,
					      .weight = take_weight(r, count),
					      .count = count ? count : 1 });
}

static int stackprof_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct stackprof_reader r = { .json = json, .profile = profile };
	string_id mode = json_intern(json, json_get(json, JSON_ROOT, "mode"), profile->strings);

	(void)err;
	json_items_open(&r.raw, json, json_get(json, JSON_ROOT, "raw"));
	json_items_open(&r.deltas, json, json_get(json, JSON_ROOT, "raw_timestamp_deltas"));
	r.timed = json_count(json, r.deltas.array) &&
		  strcmp(profile_string(profile, mode), "object") != 0;
	/* The deltas are wall-clock time, but samples are taken by CPU time. */
	if (json_is(json, json_get(json, JSON_ROOT, "mode"), "cpu"))
		r.interval_ns = json_ns(json, json_get(json, JSON_ROOT, "interval"), 1e3);
	r.timed |= r.interval_ns > 0;
	r.event = profile_event(profile, profile_string(profile, mode), r.timed ? "ns" : "samples");
	r.thread = profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, "");
	read_frames(&r, json_get(json, JSON_ROOT, "frames"));
	while (json_items_next(&r.raw))
		read_stack(&r);
	json_items_close(&r.deltas);
	map_done(&r.frames);
	return 0;
}

static bool is_stackprof(const struct json *json)
{
	return json_has(json, JSON_ROOT, "raw") && json_has(json, JSON_ROOT, "frames") &&
	       json_has(json, JSON_ROOT, "mode");
}

const struct format_ops format_stackprof = {
	.name = "stackprof",
	.help = "Ruby's stackprof",
	.is_json = is_stackprof,
	.read_json = stackprof_read,
};
