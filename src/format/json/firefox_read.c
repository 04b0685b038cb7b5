/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Firefox Profiler's processed profiles (including samply's) → profile. Tables are arrays of
 * columns, per thread or, in newer versions, shared by all. Weights are samples, milliseconds or
 * bytes. Format: docs-developer/processed-profile-format.md of firefox-devtools/profiler. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "format/json/json_read.h"
#include "format/perf_script/module_kind.h"

#define UNSET	 UINT32_MAX
#define FRACTION 1000 /* such parts are kept of weights without a unit */

struct firefox_reader {
	const struct json *json;
	struct profile *profile;
	json_id thread, shared;
	json_id frames, funcs, stacks, resources, libs, strings, sources;
	uint32_t *frame_of; /* by frameTable index → frame id */
	uint32_t *stack_of; /* by stackTable index → stack id */
	size_t frame_count, stack_count;
	bool frame_libs, prefix_offsets; /* used by newer versions instead */
	VEC(uint32_t) path;
};

static json_id table(const struct firefox_reader *r, const char *name)
{
	json_id id = json_get(r->json, r->thread, name);

	if (id == JSON_NONE)
		id = json_get(r->json, r->shared, name);
	return id;
}

/* A cell of a column; JSON_NONE for null and what is not there. */
static json_id cell(const struct firefox_reader *r, json_id table, const char *column, uint64_t row)
{
	json_id id = json_item(r->json, json_get(r->json, table, column), row);

	return json_type(r->json, id) == JSON_NULL ? JSON_NONE : id;
}

static uint64_t index_at(const struct firefox_reader *r, json_id table, const char *column,
			 uint64_t row)
{
	return json_u64(r->json, cell(r, table, column, row), UINT64_MAX);
}

static string_id string_at(const struct firefox_reader *r, json_id table, const char *column,
			   uint64_t row)
{
	uint64_t index = index_at(r, table, column, row);

	return index == UINT64_MAX ? STRING_EMPTY
				   : json_intern(r->json, json_item(r->json, r->strings, index),
						 r->profile->strings);
}

static uint32_t module_of(const struct firefox_reader *r, uint64_t row, uint64_t func)
{
	uint64_t resource = index_at(r, r->funcs, "resource", func);
	uint64_t lib = r->frame_libs ? index_at(r, r->frames, "lib", row)
				     : index_at(r, r->resources, "lib", resource);
	json_id object = json_item(r->json, r->libs, lib);
	json_id path = json_get(r->json, object, "path");
	char build_id[41] = "";
	struct buf code = { .limit = 41 };
	string_id name;

	if (lib == UINT64_MAX || object == JSON_NONE)
		return 0;
	if (!json_count(r->json, path) && json_type(r->json, path) != JSON_STRING)
		path = json_get(r->json, object, "name");
	json_put(r->json, json_get(r->json, object, "codeId"), &code);
	if (code.len && code.len <= 40 && strspn(code.data, "0123456789abcdef") == code.len)
		memcpy(build_id, code.data, code.len);
	buf_done(&code);
	name = json_intern(r->json, path, r->profile->strings);
	return profile_module(r->profile, profile_string(r->profile, name), build_id);
}

static string_id file_of(const struct firefox_reader *r, uint64_t func)
{
	uint64_t source = index_at(r, r->funcs, "source", func);

	if (source != UINT64_MAX)
		return string_at(r, r->sources, "filename", source);
	return string_at(r, r->funcs, "fileName", func);
}

static frame_id make_frame(const struct firefox_reader *r, uint64_t row)
{
	uint64_t func = index_at(r, r->frames, "func", row), line, address;
	struct frame frame = { 0 };
	const char *name;

	frame.module = module_of(r, row, func);
	frame.function = string_at(r, r->funcs, "name", func);
	frame.file = file_of(r, func);
	line = index_at(r, r->frames, "line", row);
	if (line == UINT64_MAX)
		line = index_at(r, r->funcs, "lineNumber", func);
	frame.line = line < UINT32_MAX ? (uint32_t)line : 0;
	frame.inlined = json_u64(r->json, cell(r, r->frames, "inlineDepth", row), 0) > 0;
	address = index_at(r, r->frames, "address", row);
	if (address != UINT64_MAX)
		frame.offset = frame.pc = address;
	if (frame.module)
		frame.kind = module_kind(
			profile_string(r->profile, r->profile->modules.item[frame.module].path), 0);
	else if (json_is(r->json, cell(r, r->frames, "implementation", row), "ion"))
		frame.kind = FRAME_JIT;
	name = profile_string(r->profile, frame.function);
	if (strncmp(name, "0x", 2) == 0 && strspn(name + 2, "0123456789abcdef") == strlen(name + 2))
		frame.function = STRING_EMPTY; /* no name: use its address */
	return profile_frame(r->profile, &frame);
}

static frame_id frame_at(struct firefox_reader *r, uint64_t row)
{
	if (row >= r->frame_count) {
		r->profile->meta.unknown_records++;
		return make_frame(r, UINT64_MAX);
	}
	if (r->frame_of[row] == UNSET)
		r->frame_of[row] = make_frame(r, row).v;
	return (frame_id){ r->frame_of[row] };
}

/* Since version 66 a stack's prefix is a distance in rows, 0 = none. */
static uint64_t prefix_of(const struct firefox_reader *r, uint64_t row)
{
	uint64_t offset;

	if (!r->prefix_offsets)
		return index_at(r, r->stacks, "prefix", row);
	offset = index_at(r, r->stacks, "prefixOffset", row);
	return offset && offset <= row ? row - offset : UINT64_MAX;
}

/* Walks up to a known ancestor, then down again. A circle of prefixes ends the walk. */
static stack_id stack_at(struct firefox_reader *r, uint64_t row)
{
	stack_id stack = STACK_EMPTY;

	r->path.count = 0;
	while (row < r->stack_count) {
		if (r->stack_of[row] != UNSET) {
			stack.v = r->stack_of[row];
			break;
		}
		r->stack_of[row] = STACK_EMPTY.v; /* until the way down */
		vec_push(&r->path, (uint32_t)row);
		row = prefix_of(r, row);
	}
	while (r->path.count) {
		uint32_t at = r->path.item[--r->path.count];

		stack = profile_stack_push(r->profile, stack,
					   frame_at(r, index_at(r, r->stacks, "frame", at)));
		r->stack_of[at] = stack.v;
	}
	return stack;
}

static uint32_t *unset_table(size_t count)
{
	uint32_t *ret = mem_alloc((count + 1) * sizeof(*ret));

	memset(ret, 0xff, count * sizeof(*ret));
	return ret;
}

/* Ids are numbers, or strings that hold one. */
static uint32_t read_id(const struct json *json, json_id id)
{
	struct buf text = { .limit = 32 };
	uint64_t value = json_u64(json, id, PROFILE_NO_ID);

	if (json_type(json, id) == JSON_STRING) {
		json_put(json, id, &text);
		value = text.data && text.data[0] >= '0' && text.data[0] <= '9'
				? strtoull(text.data, NULL, 10)
				: PROFILE_NO_ID;
		buf_done(&text);
	}
	return value < PROFILE_NO_ID ? (uint32_t)value : PROFILE_NO_ID;
}

static thread_id read_thread(const struct firefox_reader *r)
{
	const struct json *json = r->json;
	json_id name = json_get(json, r->thread, "name"), process;

	process = json_get(json, r->thread, "processName");
	if (json_get(json, r->thread, "cupel_comm") != JSON_NONE)
		name = json_get(json, r->thread, "cupel_comm");
	if (json_is(json, name, "GeckoMain") && json_type(json, process) == JSON_STRING)
		name = process; /* the mark of a process's first thread */
	return profile_thread(
		r->profile, read_id(json, json_get(json, r->thread, "pid")),
		read_id(json, json_get(json, r->thread, "tid")),
		profile_string(r->profile, json_intern(json, name, r->profile->strings)));
}

/* How the weights of a table count: units of the event per unit of the file. */
static double read_event(struct firefox_reader *r, json_id samples, uint16_t *ret)
{
	const struct json *json = r->json;
	struct strtab *strings = r->profile->strings;
	json_id type = json_get(json, samples, "weightType");
	json_id extra = json_get(json, samples, "cupel");
	string_id name = json_intern(json, json_get(json, extra, "event"), strings);
	string_id unit = json_intern(json, json_get(json, extra, "unit"), strings);
	bool ms = json_is(json, type, "tracing-ms"), bytes = json_is(json, type, "bytes");
	uint64_t scale = json_has_fractions(json, json_get(json, samples, "weight")) ? FRACTION : 1;

	if (extra == JSON_NONE)
		unit = strtab_puts(strings, ms ? "ns" : bytes ? "bytes" : "samples");
	if (!name.v)
		name = strtab_puts(strings, ms ? "time" : bytes ? "bytes" : "samples");
	*ret = profile_event(r->profile, profile_string(r->profile, name),
			     profile_string(r->profile, unit));
	if (ms)
		return 1e6;
	scale = json_u64(json, json_get(json, extra, "scale"), scale);
	return profile_event_scale(r->profile, *ret, scale);
}

static void step(const struct json *json, json_id array, json_id *id)
{
	if (*id != JSON_NONE)
		*id = json_next(json, array, *id);
}

static void read_samples(struct firefox_reader *r, json_id samples)
{
	const struct json *json = r->json;
	json_id stacks = json_get(json, samples, "stack");
	json_id weights = json_get(json, samples, "weight");
	json_id times = json_get(json, samples, "time");
	json_id deltas = json_get(json, samples, "timeDeltas");
	json_id counts = json_get(json, json_get(json, samples, "cupel"), "counts");
	json_id weight = json_first(json, weights), count = json_first(json, counts);
	json_id time = json_first(json, times), delta = json_first(json, deltas);
	struct profile_sample sample = { .thread = read_thread(r), .cpu = PROFILE_NO_CPU };
	double unit = read_event(r, samples, &sample.event), now_ms = 0;

	for (json_id id = json_first(json, stacks); id != JSON_NONE;
	     id = json_next(json, stacks, id)) {
		double value = json_number(json, weight, 1) * unit;

		now_ms = time != JSON_NONE ? json_number(json, time, 0)
					   : now_ms + json_number(json, delta, 0);
		sample.time_ns = now_ms > 0 && now_ms < 1e12 ? (uint64_t)(now_ms * 1e6 + 0.5) : 0;
		sample.weight = value >= 0 && value < 1e18 ? (uint64_t)(value + 0.5) : 0;
		sample.count = json_u64(json, count, 1);
		sample.stack = profile_stack_or_unknown(
			r->profile, stack_at(r, json_u64(json, id, UINT64_MAX)));
		if (value < 0 || value >= 1e18) /* freed memory, or no weight */
			r->profile->meta.unknown_records++;
		else
			profile_add(r->profile, &sample);
		step(json, weights, &weight);
		step(json, counts, &count);
		step(json, times, &time);
		step(json, deltas, &delta);
	}
}

static void read_one(struct firefox_reader *r)
{
	static const char *const kinds[] = { "samples", "nativeAllocations", "jsAllocations" };

	r->frames = table(r, "frameTable");
	r->funcs = table(r, "funcTable");
	r->stacks = table(r, "stackTable");
	r->resources = table(r, "resourceTable");
	r->sources = table(r, "sources");
	r->strings = table(r, "stringArray");
	r->libs = table(r, "libs");
	if (r->strings == JSON_NONE)
		r->strings = table(r, "stringTable");
	if (r->libs == JSON_NONE)
		r->libs = json_get(r->json, JSON_ROOT, "libs");
	r->frame_count = json_count(r->json, json_get(r->json, r->frames, "func"));
	r->stack_count = json_count(r->json, json_get(r->json, r->stacks, "frame"));
	r->frame_libs = json_get(r->json, r->frames, "lib") != JSON_NONE; /* since version 70 */
	r->prefix_offsets = json_get(r->json, r->stacks, "prefixOffset") != JSON_NONE;
	r->frame_of = unset_table(r->frame_count);
	r->stack_of = unset_table(r->stack_count);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		json_id samples = json_get(r->json, r->thread, kinds[i]);

		if (samples != JSON_NONE)
			read_samples(r, samples);
	}
	free(r->frame_of);
	free(r->stack_of);
}

int firefox_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct firefox_reader r = { .json = json, .profile = profile };
	json_id threads = json_get(json, JSON_ROOT, "threads");

	(void)err;
	r.shared = json_get(json, JSON_ROOT, "shared");
	for (r.thread = json_first(json, threads); r.thread != JSON_NONE;
	     r.thread = json_next(json, threads, r.thread))
		read_one(&r);
	vec_done(&r.path);
	return 0;
}

bool firefox_is_json(const struct json *json)
{
	json_id thread = json_item(json, json_get(json, JSON_ROOT, "threads"), 0);

	return json_has(json, json_get(json, JSON_ROOT, "meta"), "preprocessedProfileVersion") ||
	       json_has(json, json_get(json, thread, "funcTable"), "name"); /* the first version */
}
