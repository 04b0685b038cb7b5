/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chrome's trace events → profile: B/E and X events are spans of a thread, and time is given to the
 * innermost open one; CPU profiles inside (CpuProfile, ProfileChunk) and "samples" with
 * "stackFrames" are samples. Times are in microseconds. Format: the Trace Event Format document of
 * the Catapult project. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "format/json/json_read.h"

#define MAX_DEPTH 4096
#define MAX_TIED  64 /* limit of ends at one time that are searched for the matching one */

/* A begin or an end. */
struct mark {
	uint64_t at_ns, duration_ns; /* the latter of X events */
	string_id name;
	uint32_t order;
	bool complete; /* an X event */
	uint16_t event;
};

struct trace_thread {
	uint32_t pid, tid;
	string_id comm;
	VEC(struct mark) begins;
	VEC(struct mark) ends;
	struct profile_sample pending; /* of "samples"; count 0 = none */
};

struct trace_reader {
	const struct json *root;
	const struct json *json; /* of the current event or sample */
	struct profile *profile;
	struct map ids; /* pid, tid → index in threads */
	VEC(struct trace_thread) threads;
	struct map chunked; /* pid, id → index in cpu_profiles */
	VEC(struct cpuprofile *) cpu_profiles;
	struct map stack_frames; /* id as a string id → node in "stackFrames" */
	uint32_t order;
	json_id units; /* of events, in files that cupel wrote; else JSON_NONE; in root */
};

static uint32_t read_id(const struct json *json, json_id id)
{
	struct buf text = { .limit = 32 };
	uint64_t value = json_u64(json, id, PROFILE_NO_ID);

	if (json_type(json, id) == JSON_STRING) {
		json_put(json, id, &text);
		value = text.data ? strtoull(text.data, NULL, 10) : PROFILE_NO_ID;
		buf_done(&text);
	}
	return value < PROFILE_NO_ID ? (uint32_t)value : PROFILE_NO_ID;
}

static struct trace_thread *thread_of(struct trace_reader *r, json_id event)
{
	struct trace_thread thread = { .pid = read_id(r->json, json_get(r->json, event, "pid")),
				       .tid = read_id(r->json, json_get(r->json, event, "tid")) };
	bool added;
	uint64_t *place = map_add(&r->ids, (uint64_t)thread.pid << 32 | thread.tid, &added);

	if (added) {
		*place = r->threads.count;
		vec_push(&r->threads, thread);
	}
	return &r->threads.item[*place];
}

static thread_id profile_thread_of(struct trace_reader *r, const struct trace_thread *thread)
{
	return profile_thread(r->profile, thread->pid, thread->tid,
			      profile_string(r->profile, thread->comm));
}

/* In files of cupel the category is the event, and a microsecond may be one unit of it. */
static uint16_t event_of(struct trace_reader *r, json_id event)
{
	struct strtab *strings = r->profile->strings;
	string_id name = json_intern(r->json, json_get(r->json, event, "cat"), strings), unit;
	const char *text = profile_string(r->profile, name);
	uint16_t ret;

	if (r->units == JSON_NONE)
		return profile_event(r->profile, "spans", "ns");
	unit = json_intern(r->root, json_get(r->root, r->units, text), strings);
	ret = profile_event(r->profile, text, profile_string(r->profile, unit));
	(void)profile_event_scale(r->profile, ret, 1000);
	return ret;
}

static void read_span(struct trace_reader *r, json_id event, char phase)
{
	const struct json *json = r->json;
	struct trace_thread *thread = thread_of(r, event);
	json_id duration = json_get(json, event, "dur");
	struct mark mark = { .at_ns = json_ns(json, json_get(json, event, "ts"), 1e3),
			     .name = json_intern(json, json_get(json, event, "name"),
						 r->profile->strings),
			     .order = r->order++ };

	if (duration == JSON_NONE)
		duration = json_get(json, event, "tdur");
	mark.complete = phase == 'X';
	if (mark.complete)
		mark.duration_ns = json_ns(json, duration, 1e3);
	if (phase != 'E') {
		mark.event = event_of(r, event);
		vec_push(&thread->begins, mark);
	}
	mark.at_ns += mark.duration_ns;
	if (phase != 'B')
		vec_push(&thread->ends, mark);
}

static void read_name(struct trace_reader *r, json_id event)
{
	const struct json *json = r->json;

	if (json_is(json, json_get(json, event, "name"), "thread_name"))
		thread_of(r, event)->comm =
			json_intern(json, json_get(json, json_get(json, event, "args"), "name"),
				    r->profile->strings);
}

/* An event that carries a CPU profile, or a part of one: chunks of one profile have one id. */
static void read_cpu_profile(struct trace_reader *r, json_id event)
{
	const struct json *json = r->json;
	json_id name = json_get(json, event, "name");
	json_id data = json_get(json, json_get(json, event, "args"), "data");
	json_id cpu = json_get(json, data, "cpuProfile");
	string_id id = json_intern(json, json_get(json, event, "id"), r->profile->strings);
	struct trace_thread *thread = thread_of(r, event);
	bool added;
	uint64_t *place;

	if (json_is(json, name, "CpuProfile")) {
		cpuprofile_whole(json, cpu, r->profile, profile_thread_of(r, thread));
		return;
	}
	place = map_add(&r->chunked, (uint64_t)thread->pid << 32 | id.v, &added);
	if (added) {
		*place = r->cpu_profiles.count;
		vec_push(&r->cpu_profiles,
			 cpuprofile_new(r->profile, profile_thread_of(r, thread),
					json_number(json, json_get(json, data, "startTime"), 0)));
	}
	if (json_is(json, name, "ProfileChunk"))
		cpuprofile_add(r->cpu_profiles.item[*place], json, cpu,
			       json_get(json, data, "timeDeltas"));
}

static bool is_cpu_profile(const struct json *json, json_id event)
{
	json_id name = json_get(json, event, "name");

	return json_is(json, name, "CpuProfile") || json_is(json, name, "Profile") ||
	       json_is(json, name, "ProfileChunk");
}

static void read_span_event(struct trace_reader *r, json_id event)
{
	json_id phase = json_get(r->json, event, "ph");

	if (json_is(r->json, phase, "B"))
		read_span(r, event, 'B');
	else if (json_is(r->json, phase, "E"))
		read_span(r, event, 'E');
	else if (json_is(r->json, phase, "X"))
		read_span(r, event, 'X');
}

/* Longest first, so that spans with the same start nest. The end of a B event is not known; it
 * counts as the longest. */
static int compare_begins(const void *pa, const void *pb)
{
	const struct mark *a = pa, *b = pb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->complete != b->complete)
		return a->complete ? 1 : -1;
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int compare_ends(const void *pa, const void *pb)
{
	const struct mark *a = pa, *b = pb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Moves the end of the innermost open span to the front of the ends with the same time. */
static bool find_end(const struct trace_thread *thread, const struct timeline *timeline,
		     const struct profile *profile, size_t at)
{
	const struct mark *ends = thread->ends.item;
	string_id open;

	if (!timeline->open.count)
		return false;
	open = profile->frames.item[vec_last(&timeline->open)->frame.v].function;
	for (size_t i = at;
	     i < thread->ends.count && ends[i].at_ns == ends[at].at_ns && i < at + MAX_TIED; i++)
		if (ends[i].name.v == open.v) {
			struct mark found = ends[i];

			memmove(&thread->ends.item[at + 1], &thread->ends.item[at],
				(i - at) * sizeof(found));
			thread->ends.item[at] = found;
			return true;
		}
	return false;
}

/* Begins and ends in the order of time. An end without an open span is counted and ignored. */
static void play(struct trace_reader *r, const struct trace_thread *thread)
{
	struct timeline timeline = { .profile = r->profile,
				     .thread = profile_thread_of(r, thread) };
	size_t begin = 0, end = 0;

	while (begin < thread->begins.count || end < thread->ends.count) {
		const struct mark *b = begin < thread->begins.count ? &thread->begins.item[begin]
								    : NULL;
		const struct mark *e = end < thread->ends.count ? &thread->ends.item[end] : NULL;

		if (e && (!b || e->at_ns <= b->at_ns) &&
		    find_end(thread, &timeline, r->profile, end)) {
			timeline_advance(&timeline, thread->ends.item[end++].at_ns);
			timeline_pop(&timeline);
		} else if (e && (!b || e->at_ns < b->at_ns)) {
			r->profile->meta.unknown_records++;
			end++;
		} else {
			struct frame frame = { .function = b->name };

			timeline_advance(&timeline, b->at_ns);
			timeline.event = b->event;
			if (timeline.open.count < MAX_DEPTH)
				timeline_push(&timeline, profile_frame(r->profile, &frame));
			begin++;
		}
	}
	vec_done(&timeline.open);
}

/* The stack of a node of "stackFrames", which name their parents. */
static stack_id stack_of(struct trace_reader *r, string_id key)
{
	const struct json *json = r->root;
	json_id path[256], id;
	size_t depth = 0;
	stack_id stack = STACK_EMPTY;
	uint64_t node;

	while (depth < 256 && map_get(&r->stack_frames, key.v, &node)) {
		path[depth++] = (json_id)node;
		id = json_get(json, (json_id)node, "parent");
		if (id == JSON_NONE)
			break;
		key = json_intern(json, id, r->profile->strings);
	}
	while (depth--) {
		struct frame frame = { .function = json_intern(json,
							       json_get(json, path[depth], "name"),
							       r->profile->strings) };

		stack = profile_stack_push(r->profile, stack, profile_frame(r->profile, &frame));
	}
	return stack;
}

/* The stack holds until the next sample of its thread. */
static void read_sample(struct trace_reader *r, json_id id, uint16_t event)
{
	const struct json *json = r->json;
	struct trace_thread *thread = thread_of(r, id);
	uint64_t now = json_ns(json, json_get(json, id, "ts"), 1e3);
	string_id key = json_intern(json, json_get(json, id, "sf"), r->profile->strings);

	if (thread->pending.count) {
		thread->pending.weight =
			now > thread->pending.time_ns ? now - thread->pending.time_ns : 0;
		profile_add(r->profile, &thread->pending);
	}
	thread->pending = (struct profile_sample){ .stack = profile_stack_or_unknown(
							   r->profile, stack_of(r, key)),
						   .thread = profile_thread_of(r, thread),
						   .event = event,
						   .cpu = PROFILE_NO_CPU,
						   .time_ns = now,
						   .count = 1 };
}

static void read_samples(struct trace_reader *r)
{
	const struct json *json = r->root;
	json_id frames = json_get(json, JSON_ROOT, "stackFrames");
	struct json_items samples;
	uint16_t event;

	json_items_open(&samples, json, json_get(json, JSON_ROOT, "samples"));
	if (!json_count(json, samples.array))
		return;
	event = profile_event(r->profile, "samples", "ns");
	for (json_id id = json_first(json, frames); id != JSON_NONE;
	     id = json_next(json, frames, id + 1))
		map_set(&r->stack_frames, json_intern(json, id, r->profile->strings).v, id + 1);
	r->json = samples.json;
	while (json_items_next(&samples))
		read_sample(r, samples.id, event);
	for (size_t i = 0; i < r->threads.count; i++) /* the last has no end */
		if (r->threads.item[i].pending.count)
			profile_add(r->profile, &r->threads.item[i].pending);
}

static void play_all(struct trace_reader *r)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		struct trace_thread *thread = &r->threads.item[i];

		if (thread->begins.count)
			qsort(thread->begins.item, thread->begins.count, sizeof(struct mark),
			      compare_begins);
		if (thread->ends.count)
			qsort(thread->ends.item, thread->ends.count, sizeof(struct mark),
			      compare_ends);
		if (thread->begins.count || thread->ends.count)
			play(r, thread);
		vec_done(&thread->begins);
		vec_done(&thread->ends);
	}
}

/* Names of threads come first: samples have them from the beginning. */
static void read_events(struct trace_reader *r, json_id events)
{
	struct json_items items;

	json_items_open(&items, r->root, events);
	r->json = items.json;
	while (json_items_next(&items))
		if (json_is(r->json, json_get(r->json, items.id, "ph"), "M"))
			read_name(r, items.id);
	json_items_open(&items, r->root, events);
	r->json = items.json;
	while (json_items_next(&items))
		if (is_cpu_profile(r->json, items.id))
			read_cpu_profile(r, items.id);
		else
			read_span_event(r, items.id);
}

int chrome_trace_read(const struct json *json, struct profile *profile, struct err *err)
{
	json_id other = json_get(json, JSON_ROOT, "otherData");
	struct trace_reader r = { .root = json, .profile = profile, .units = JSON_NONE };
	json_id events = json_get(json, JSON_ROOT, "traceEvents");

	(void)err;
	if (json_is(json, json_get(json, other, "exporter"), "cupel"))
		r.units = json_get(json, other, "units");
	if (events == JSON_NONE)
		events = JSON_ROOT;
	read_events(&r, events);
	for (size_t i = 0; i < r.cpu_profiles.count; i++)
		cpuprofile_finish(r.cpu_profiles.item[i], 0);
	read_samples(&r);
	play_all(&r);
	vec_done(&r.cpu_profiles);
	vec_done(&r.threads);
	map_done(&r.ids);
	map_done(&r.chunked);
	map_done(&r.stack_frames);
	return 0;
}

bool chrome_trace_is_json(const struct json *json)
{
	json_id first = json_type(json, JSON_ROOT) == JSON_ARRAY ? json_item(json, JSON_ROOT, 0)
								 : JSON_NONE;

	return json_has(json, JSON_ROOT, "traceEvents") || json_has(json, first, "ph");
}
