/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's own file format → profile: sampled and evented profiles, each a thread. Files
 * written by Cupel have more in members named "cupel" (see speedscope_write.c). Format:
 * speedscope.app/file-format-schema.json. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/json/json_read.h"

#define FRACTION  1000 /* such parts are kept of weights without a unit */
#define MAX_DEPTH 65536

struct speedscope_reader {
	const struct json *json;
	struct profile *profile;
	VEC(frame_id) frames;
	json_id one; /* the profile that is read */
	uint16_t event;
	thread_id thread;
	double unit;	/* number of the event's units (scaled) per unit of the file */
	bool fractions; /* a weight without a unit has a fraction */
};

static enum frame_kind kind_of(const struct json *json, json_id id)
{
	static const char *const names[] = { "user",  "kernel",	    "jit",	"interpreter",
					     "guest", "hypervisor", "separator" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (json_is(json, id, names[i]))
			return (enum frame_kind)i;
	return FRAME_USER;
}

static frame_id read_frame(const struct speedscope_reader *r, json_id id)
{
	const struct json *json = r->json;
	struct strtab *strings = r->profile->strings;
	json_id extra = json_get(json, id, "cupel");
	string_id module = json_intern(json, json_get(json, extra, "module"), strings);
	struct frame frame = { 0 };

	frame.function = json_intern(json, json_get(json, id, "name"), strings);
	frame.file = json_intern(json, json_get(json, id, "file"), strings);
	frame.line = (uint32_t)json_u64(json, json_get(json, id, "line"), 0);
	frame.inlined = json_type(json, json_get(json, extra, "inlined")) == JSON_BOOL;
	frame.kind = kind_of(json, json_get(json, extra, "kind"));
	if (module.v)
		frame.module = profile_module(r->profile, profile_string(r->profile, module), "");
	if (json_type(json, json_get(json, extra, "unnamed")) == JSON_BOOL)
		frame.function = STRING_EMPTY;
	return profile_frame(r->profile, &frame);
}

static double unit_ns(const struct json *json, json_id unit)
{
	static const struct {
		const char *name;
		double ns;
	} known[] = {
		{ "nanoseconds", 1 },
		{ "microseconds", 1e3 },
		{ "milliseconds", 1e6 },
		{ "seconds", 1e9 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (json_is(json, unit, known[i].name))
			return known[i].ns;
	return 0;
}

static bool has_fractions(const struct json *json, json_id profiles)
{
	for (json_id one = json_first(json, profiles); one != JSON_NONE;
	     one = json_next(json, profiles, one)) {
		json_id events = json_get(json, one, "events");

		if (unit_ns(json, json_get(json, one, "unit")) > 0)
			continue;
		if (json_has_fractions(json, json_get(json, one, "weights")))
			return true;
		for (json_id id = json_first(json, events); id != JSON_NONE;
		     id = json_next(json, events, id))
			if (fmod(json_number(json, json_get(json, id, "at"), 0), 1.0) != 0.0)
				return true;
	}
	return false;
}

/* Event and thread of the profile r->one. */
static void read_head(struct speedscope_reader *r)
{
	const struct json *json = r->json;
	struct strtab *strings = r->profile->strings;
	json_id extra = json_get(json, r->one, "cupel"), unit = json_get(json, r->one, "unit");
	json_id comm = json_get(json, extra, "comm");
	string_id event = json_intern(json, json_get(json, extra, "event"), strings);
	uint64_t scale =
		json_u64(json, json_get(json, extra, "scale"), r->fractions ? FRACTION : 1);
	const char *name = "weight", *of = json_is(json, unit, "bytes") ? "bytes" : "";

	r->unit = unit_ns(json, unit);
	if (r->unit > 0) {
		name = "time";
		of = "ns";
	}
	if (extra != JSON_NONE)
		of = profile_string(r->profile,
				    json_intern(json, json_get(json, extra, "unit"), strings));
	if (event.v)
		name = profile_string(r->profile, event);
	r->event = profile_event(r->profile, name, of);
	if (r->unit <= 0)
		r->unit = profile_event_scale(r->profile, r->event, scale);
	if (comm == JSON_NONE)
		comm = json_get(json, r->one, "name");
	r->thread = profile_thread(
		r->profile, (uint32_t)json_u64(json, json_get(json, extra, "pid"), PROFILE_NO_ID),
		(uint32_t)json_u64(json, json_get(json, extra, "tid"), PROFILE_NO_ID),
		profile_string(r->profile, json_intern(json, comm, strings)));
}

static bool frame_at(struct speedscope_reader *r, json_id id, frame_id *ret)
{
	uint64_t index = json_u64(r->json, id, UINT64_MAX);

	if (index >= r->frames.count) {
		r->profile->meta.unknown_records++;
		return false;
	}
	*ret = r->frames.item[index];
	return true;
}

static stack_id read_stack(struct speedscope_reader *r, json_id stack)
{
	stack_id ret = STACK_EMPTY;
	size_t depth = 0;

	for (json_id id = json_first(r->json, stack); id != JSON_NONE && depth < MAX_DEPTH;
	     id = json_next(r->json, stack, id), depth++) {
		frame_id frame;

		if (frame_at(r, id, &frame))
			ret = profile_stack_push(r->profile, ret, frame);
	}
	return ret;
}

/* Steps through an array; stays at JSON_NONE once it has ended. */
static void step(const struct json *json, json_id array, json_id *id)
{
	if (*id != JSON_NONE)
		*id = json_next(json, array, *id);
}

static void read_sampled(struct speedscope_reader *r)
{
	const struct json *json = r->json;
	json_id extra = json_get(json, r->one, "cupel");
	json_id samples = json_get(json, r->one, "samples");
	json_id weights = json_get(json, r->one, "weights");
	json_id counts = json_get(json, extra, "counts"), times = json_get(json, extra, "times");
	json_id weight = json_first(json, weights), count = json_first(json, counts);
	json_id time = json_first(json, times);

	for (json_id id = json_first(json, samples); id != JSON_NONE;
	     id = json_next(json, samples, id)) {
		struct profile_sample sample = { .stack = profile_stack_or_unknown(
							 r->profile, read_stack(r, id)),
						 .thread = r->thread,
						 .event = r->event,
						 .cpu = PROFILE_NO_CPU,
						 .time_ns = json_u64(json, time, 0),
						 .weight = json_ns(json, weight, r->unit),
						 .count = json_u64(json, count, 1) };

		if (weights == JSON_NONE)
			sample.weight = 1;
		profile_add(r->profile, &sample);
		step(json, weights, &weight);
		step(json, counts, &count);
		step(json, times, &time);
	}
	if (weights != JSON_NONE && json_count(json, weights) != json_count(json, samples))
		r->profile->meta.unknown_records++;
}

static void read_evented(struct speedscope_reader *r)
{
	const struct json *json = r->json;
	json_id events = json_get(json, r->one, "events");
	struct timeline timeline = { .profile = r->profile,
				     .thread = r->thread,
				     .event = r->event };

	timeline_advance(&timeline, json_ns(json, json_get(json, r->one, "startValue"), r->unit));
	for (json_id id = json_first(json, events); id != JSON_NONE;
	     id = json_next(json, events, id)) {
		frame_id frame;

		timeline_advance(&timeline, json_ns(json, json_get(json, id, "at"), r->unit));
		if (!frame_at(r, json_get(json, id, "frame"), &frame))
			continue;
		if (json_is(json, json_get(json, id, "type"), "O"))
			timeline_push(&timeline, frame);
		else if (timeline.open.count && vec_last(&timeline.open)->frame.v == frame.v)
			timeline_pop(&timeline);
		else
			r->profile->meta.unknown_records++;
	}
	timeline_advance(&timeline, json_ns(json, json_get(json, r->one, "endValue"), r->unit));
	vec_done(&timeline.open);
}

int speedscope_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct speedscope_reader r = { .json = json, .profile = profile };
	json_id frames = json_get(json, json_get(json, JSON_ROOT, "shared"), "frames");
	json_id profiles = json_get(json, JSON_ROOT, "profiles");

	r.fractions = has_fractions(json, profiles);
	for (json_id id = json_first(json, frames); id != JSON_NONE;
	     id = json_next(json, frames, id))
		vec_push(&r.frames, read_frame(&r, id));
	for (r.one = json_first(json, profiles); r.one != JSON_NONE;
	     r.one = json_next(json, profiles, r.one)) {
		json_id type = json_get(json, r.one, "type");

		read_head(&r);
		if (json_is(json, type, "sampled"))
			read_sampled(&r);
		else if (json_is(json, type, "evented"))
			read_evented(&r);
		else
			profile->meta.unknown_records++;
	}
	vec_done(&r.frames);
	(void)err;
	return 0;
}

bool speedscope_is_json(const struct json *json)
{
	return json_has(json, JSON_ROOT, "profiles") &&
	       json_has(json, json_get(json, JSON_ROOT, "shared"), "frames");
}
