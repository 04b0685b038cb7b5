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
	struct profile *profile;
	VEC(frame_id) frames;
	const struct json *json; /* of one */
	json_id one;		 /* the profile that is read */
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

static frame_id read_frame(const struct speedscope_reader *r, const struct json *json, json_id id)
{
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

static bool has_fraction(const struct json *json, json_id one)
{
	struct json_items events;
	bool ret = false;

	if (unit_ns(json, json_get(json, one, "unit")) > 0)
		return false;
	if (json_has_fractions(json, json_get(json, one, "weights")))
		return true;
	json_items_open(&events, json, json_get(json, one, "events"));
	while (!ret && json_items_next(&events))
		ret = fmod(json_number(events.json, json_get(events.json, events.id, "at"), 0),
			   1.0) != 0.0;
	json_items_close(&events);
	return ret;
}

static bool has_fractions(const struct json *json, json_id profiles)
{
	struct json_items items;
	bool ret = false;

	json_items_open(&items, json, profiles);
	while (!ret && json_items_next(&items))
		ret = has_fraction(items.json, items.id);
	json_items_close(&items);
	return ret;
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

static bool frame_at(struct speedscope_reader *r, uint64_t index, frame_id *ret)
{
	if (index >= r->frames.count) {
		r->profile->meta.unknown_records++;
		return false;
	}
	*ret = r->frames.item[index];
	return true;
}

static stack_id read_stack(struct speedscope_reader *r, const struct json *json, json_id stack)
{
	stack_id ret = STACK_EMPTY;
	struct json_items items;
	size_t depth = 0;

	json_items_open(&items, json, stack);
	for (; depth < MAX_DEPTH && json_items_next(&items); depth++) {
		frame_id frame;

		if (frame_at(r, json_u64(items.json, items.id, UINT64_MAX), &frame))
			ret = profile_stack_push(r->profile, ret, frame);
	}
	json_items_close(&items);
	return ret;
}

static void read_sampled(struct speedscope_reader *r)
{
	const struct json *json = r->json;
	json_id extra = json_get(json, r->one, "cupel");
	struct json_items samples, weights, counts, times;
	bool weighted;

	json_items_open(&samples, json, json_get(json, r->one, "samples"));
	json_items_open(&weights, json, json_get(json, r->one, "weights"));
	json_items_open(&counts, json, json_get(json, extra, "counts"));
	json_items_open(&times, json, json_get(json, extra, "times"));
	weighted = weights.array != JSON_NONE;
	if (weighted && json_count(json, weights.array) != json_count(json, samples.array))
		r->profile->meta.unknown_records++;
	while (json_items_next(&samples)) {
		json_id weight = json_items_take(&weights), count = json_items_take(&counts);
		json_id time = json_items_take(&times);
		stack_id stack = read_stack(r, samples.json, samples.id);
		struct profile_sample sample = {
			.stack = profile_stack_or_unknown(r->profile, stack),
			.thread = r->thread,
			.event = r->event,
			.cpu = PROFILE_NO_CPU,
			.time_ns = json_u64(times.json, time, 0),
			.weight = weighted ? json_ns(weights.json, weight, r->unit) : 1,
			.count = json_u64(counts.json, count, 1)
		};

		profile_add(r->profile, &sample);
	}
	json_items_close(&weights);
	json_items_close(&counts);
	json_items_close(&times);
}

static void read_event(struct speedscope_reader *r, struct timeline *timeline,
		       const struct json_items *event)
{
	const struct json *json = event->json;
	frame_id frame;

	timeline_advance(timeline, json_ns(json, json_get(json, event->id, "at"), r->unit));
	if (!frame_at(r, json_u64(json, json_get(json, event->id, "frame"), UINT64_MAX), &frame))
		return;
	if (json_is(json, json_get(json, event->id, "type"), "O"))
		timeline_push(timeline, frame);
	else if (timeline->open.count && vec_last(&timeline->open)->frame.v == frame.v)
		timeline_pop(timeline);
	else
		r->profile->meta.unknown_records++;
}

static void read_evented(struct speedscope_reader *r)
{
	const struct json *json = r->json;
	struct timeline timeline = { .profile = r->profile,
				     .thread = r->thread,
				     .event = r->event };
	struct json_items events;

	timeline_advance(&timeline, json_ns(json, json_get(json, r->one, "startValue"), r->unit));
	json_items_open(&events, json, json_get(json, r->one, "events"));
	while (json_items_next(&events))
		read_event(r, &timeline, &events);
	timeline_advance(&timeline, json_ns(json, json_get(json, r->one, "endValue"), r->unit));
	vec_done(&timeline.open);
}

static void read_one(struct speedscope_reader *r)
{
	json_id type = json_get(r->json, r->one, "type");

	read_head(r);
	if (json_is(r->json, type, "sampled"))
		read_sampled(r);
	else if (json_is(r->json, type, "evented"))
		read_evented(r);
	else
		r->profile->meta.unknown_records++;
}

int speedscope_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct speedscope_reader r = { .profile = profile };
	json_id profiles = json_get(json, JSON_ROOT, "profiles");
	struct json_items items;

	r.fractions = has_fractions(json, profiles);
	json_items_open(&items, json,
			json_get(json, json_get(json, JSON_ROOT, "shared"), "frames"));
	while (json_items_next(&items))
		vec_push(&r.frames, read_frame(&r, items.json, items.id));
	json_items_open(&items, json, profiles);
	r.json = items.json;
	while (json_items_next(&items)) {
		r.one = items.id;
		read_one(&r);
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
