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
	json_id raw, deltas;
	json_id delta; /* of the next sample */
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
	for (uint64_t i = 0; i < count && r->delta != JSON_NONE; i++) {
		sum += json_ns(r->json, r->delta, 1e3);
		r->delta = json_next(r->json, r->deltas, r->delta);
	}
	return sum;
}

/* One stack from `at` on; returns where the next begins. */
static json_id read_stack(struct stackprof_reader *r, json_id at)
{
	const struct json *json = r->json;
	uint64_t length = json_u64(json, at, 0), count;
	stack_id stack = STACK_EMPTY;

	for (at = json_next(json, r->raw, at); at != JSON_NONE && length; length--) {
		uint64_t frame;

		if (map_get(&r->frames, json_u64(json, at, 0), &frame))
			stack = profile_stack_push(r->profile, stack,
						   (frame_id){ (uint32_t)frame });
		else
			r->profile->meta.unknown_records++;
		at = json_next(json, r->raw, at);
	}
	if (at == JSON_NONE) {
		r->profile->meta.unknown_records++;
		return at;
	}
	count = json_u64(json, at, 1);
	profile_add(r->profile,
		    &(struct profile_sample){ .stack = profile_stack_or_unknown(r->profile, stack),
					      .thread = r->thread,
					      .event = r->event,
					      .cpu = PROFILE_NO_CPU,
					      .weight = take_weight(r, count),
					      .count = count ? count : 1 });
	return json_next(json, r->raw, at);
}

static int stackprof_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct stackprof_reader r = { .json = json, .profile = profile };
	string_id mode = json_intern(json, json_get(json, JSON_ROOT, "mode"), profile->strings);

	(void)err;
	r.raw = json_get(json, JSON_ROOT, "raw");
	r.deltas = json_get(json, JSON_ROOT, "raw_timestamp_deltas");
	r.delta = json_first(json, r.deltas);
	r.timed = r.delta != JSON_NONE && strcmp(profile_string(profile, mode), "object") != 0;
	/* The deltas are wall-clock time, but samples are taken by CPU time. */
	if (json_is(json, json_get(json, JSON_ROOT, "mode"), "cpu"))
		r.interval_ns = json_ns(json, json_get(json, JSON_ROOT, "interval"), 1e3);
	r.timed |= r.interval_ns > 0;
	r.event = profile_event(profile, profile_string(profile, mode), r.timed ? "ns" : "samples");
	r.thread = profile_thread(profile, PROFILE_NO_ID, PROFILE_NO_ID, "");
	read_frames(&r, json_get(json, JSON_ROOT, "frames"));
	for (json_id at = json_first(json, r.raw); at != JSON_NONE;)
		at = read_stack(&r, at);
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
