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

/* Columns of tables by index. */
enum column {
	FRAME_FUNC,
	FRAME_LIB, /* since version 70 */
	FRAME_LINE,
	FRAME_ADDRESS,
	FRAME_INLINE_DEPTH,
	FRAME_IMPLEMENTATION,
	FUNC_NAME,
	FUNC_RESOURCE,
	FUNC_SOURCE,
	FUNC_FILE,
	FUNC_LINE,
	STACK_FRAME,
	STACK_PREFIX,
	STACK_OFFSET, /* since version 66 */
	RESOURCE_LIB,
	SOURCE_FILE,
	COLUMNS
};

/* ORDER: as enum column. */
static const struct {
	const char *table, *name;
	bool strings;
} columns[COLUMNS] = {
	{ "frameTable", "func", false },	{ "frameTable", "lib", false },
	{ "frameTable", "line", false },	{ "frameTable", "address", false },
	{ "frameTable", "inlineDepth", false }, { "frameTable", "implementation", true },
	{ "funcTable", "name", false },		{ "funcTable", "resource", false },
	{ "funcTable", "source", false },	{ "funcTable", "fileName", false },
	{ "funcTable", "lineNumber", false },	{ "stackTable", "frame", false },
	{ "stackTable", "prefix", false },	{ "stackTable", "prefixOffset", false },
	{ "resourceTable", "lib", false },	{ "sources", "filename", false },
};

struct library {
	string_id path;
	char build_id[41]; /* empty = unknown */
};

struct firefox_reader {
	const struct json *root;
	const struct json *json; /* of the thread */
	struct profile *profile;
	json_id thread, shared;
	struct json_column column[COLUMNS], strings;
	VEC(struct library) libs;
	uint32_t *frame_of; /* by frameTable index → frame id */
	uint32_t *stack_of; /* by stackTable index → stack id */
	size_t frame_count, stack_count;
	VEC(uint32_t) path;
};

/* A table of the thread, or of all threads. */
static json_id find_table(const struct firefox_reader *r, const char *name,
			  const struct json **ret_json)
{
	json_id id = json_get(r->json, r->thread, name);

	*ret_json = id == JSON_NONE ? r->root : r->json;
	return id == JSON_NONE ? json_get(r->root, r->shared, name) : id;
}

/* Columns that all threads share stay open. */
static void open_column(struct firefox_reader *r, struct json_column *column,
			const struct json *json, json_id array, bool strings)
{
	if (column->json && json == r->root && column->json == json && column->array == array)
		return;
	json_column_close(column);
	json_column_open(column, json, array, strings ? r->profile->strings : NULL);
}

static bool has_column(const struct firefox_reader *r, enum column column)
{
	return r->column[column].array != JSON_NONE;
}

static uint64_t index_at(const struct firefox_reader *r, enum column column, uint64_t row)
{
	return json_column_u64(&r->column[column], row);
}

static string_id string_at(const struct firefox_reader *r, enum column column, uint64_t row)
{
	uint64_t index = index_at(r, column, row);

	return index == UINT64_MAX ? STRING_EMPTY : json_column_string(&r->strings, index);
}

static void read_library(struct firefox_reader *r, const struct json *json, json_id object)
{
	json_id path = json_get(json, object, "path");
	struct library library = { 0 };
	struct buf code = { .limit = 41 };

	if (!json_count(json, path) && json_type(json, path) != JSON_STRING)
		path = json_get(json, object, "name");
	json_put(json, json_get(json, object, "codeId"), &code);
	if (code.len && code.len <= 40 && strspn(code.data, "0123456789abcdef") == code.len)
		memcpy(library.build_id, code.data, code.len);
	buf_done(&code);
	library.path = json_intern(json, path, r->profile->strings);
	vec_push(&r->libs, library);
}

static void read_libraries(struct firefox_reader *r)
{
	const struct json *json;
	json_id libs = find_table(r, "libs", &json);
	struct json_items items;

	if (libs == JSON_NONE)
		libs = json_get(json, JSON_ROOT, "libs");
	r->libs.count = 0;
	json_items_open(&items, json, libs);
	while (json_items_next(&items))
		read_library(r, items.json, items.id);
}

static uint32_t module_of(const struct firefox_reader *r, uint64_t row, uint64_t func)
{
	uint64_t resource = index_at(r, FUNC_RESOURCE, func);
	uint64_t lib = has_column(r, FRAME_LIB) ? index_at(r, FRAME_LIB, row)
						: index_at(r, RESOURCE_LIB, resource);
	const struct library *library;

	if (lib >= r->libs.count)
		return 0;
	library = &r->libs.item[lib];
	return profile_module(r->profile, profile_string(r->profile, library->path),
			      library->build_id);
}

static string_id file_of(const struct firefox_reader *r, uint64_t func)
{
	uint64_t source = index_at(r, FUNC_SOURCE, func);

	if (source != UINT64_MAX)
		return string_at(r, SOURCE_FILE, source);
	return string_at(r, FUNC_FILE, func);
}

/* In older versions by name. */
static bool is_compiled(const struct firefox_reader *r, uint64_t row)
{
	const struct json_column *column = &r->column[FRAME_IMPLEMENTATION];

	return has_column(r, FRAME_IMPLEMENTATION) &&
	       strcmp(profile_string(r->profile, json_column_string(column, row)), "ion") == 0;
}

static frame_id make_frame(const struct firefox_reader *r, uint64_t row)
{
	uint64_t func = index_at(r, FRAME_FUNC, row), line, address, depth;
	struct frame frame = { 0 };
	const char *name;

	frame.module = module_of(r, row, func);
	frame.function = string_at(r, FUNC_NAME, func);
	frame.file = file_of(r, func);
	line = index_at(r, FRAME_LINE, row);
	if (line == UINT64_MAX)
		line = index_at(r, FUNC_LINE, func);
	frame.line = line < UINT32_MAX ? (uint32_t)line : 0;
	depth = index_at(r, FRAME_INLINE_DEPTH, row);
	frame.inlined = depth > 0 && depth != UINT64_MAX;
	address = index_at(r, FRAME_ADDRESS, row);
	if (address != UINT64_MAX)
		frame.offset = frame.pc = address;
	if (frame.module)
		frame.kind = module_kind(
			profile_string(r->profile, r->profile->modules.item[frame.module].path), 0);
	else if (is_compiled(r, row))
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

	if (!has_column(r, STACK_OFFSET))
		return index_at(r, STACK_PREFIX, row);
	offset = index_at(r, STACK_OFFSET, row);
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
					   frame_at(r, index_at(r, STACK_FRAME, at)));
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

/* Columns of a table of samples, read side by side. */
struct sample_columns {
	struct json_items stacks, weights, times, deltas, counts;
};

static void open_samples(struct firefox_reader *r, json_id samples, struct sample_columns *ret)
{
	const struct json *json = r->json;
	json_id extra = json_get(json, samples, "cupel");

	json_items_open(&ret->stacks, json, json_get(json, samples, "stack"));
	json_items_open(&ret->weights, json, json_get(json, samples, "weight"));
	json_items_open(&ret->times, json, json_get(json, samples, "time"));
	json_items_open(&ret->deltas, json, json_get(json, samples, "timeDeltas"));
	json_items_open(&ret->counts, json, json_get(json, extra, "counts"));
}

static void read_samples(struct firefox_reader *r, json_id samples)
{
	struct profile_sample sample = { .thread = read_thread(r), .cpu = PROFILE_NO_CPU };
	double unit = read_event(r, samples, &sample.event), now_ms = 0;
	struct sample_columns c;

	open_samples(r, samples, &c);
	while (json_items_next(&c.stacks)) {
		json_id weight = json_items_take(&c.weights), time = json_items_take(&c.times);
		json_id delta = json_items_take(&c.deltas), count = json_items_take(&c.counts);
		double value = json_number(c.weights.json, weight, 1) * unit;

		now_ms = time != JSON_NONE ? json_number(c.times.json, time, 0)
					   : now_ms + json_number(c.deltas.json, delta, 0);
		sample.time_ns = now_ms > 0 && now_ms < 1e12 ? (uint64_t)(now_ms * 1e6 + 0.5) : 0;
		sample.weight = value >= 0 && value < 1e18 ? (uint64_t)(value + 0.5) : 0;
		sample.count = json_u64(c.counts.json, count, 1);
		sample.stack = profile_stack_or_unknown(
			r->profile, stack_at(r, json_u64(c.stacks.json, c.stacks.id, UINT64_MAX)));
		if (value < 0 || value >= 1e18) /* freed memory, or no weight */
			r->profile->meta.unknown_records++;
		else
			profile_add(r->profile, &sample);
	}
	json_items_close(&c.weights);
	json_items_close(&c.times);
	json_items_close(&c.deltas);
	json_items_close(&c.counts);
}

static void open_columns(struct firefox_reader *r)
{
	const struct json *json;
	json_id strings = find_table(r, "stringArray", &json);

	if (strings == JSON_NONE)
		strings = find_table(r, "stringTable", &json);
	open_column(r, &r->strings, json, strings, true);
	for (size_t i = 0; i < COLUMNS; i++) {
		json_id table = find_table(r, columns[i].table, &json);

		open_column(r, &r->column[i], json, json_get(json, table, columns[i].name),
			    columns[i].strings);
	}
	read_libraries(r);
}

static void read_one(struct firefox_reader *r)
{
	static const char *const kinds[] = { "samples", "nativeAllocations", "jsAllocations" };

	open_columns(r);
	r->frame_count = json_column_count(&r->column[FRAME_FUNC]);
	r->stack_count = json_column_count(&r->column[STACK_FRAME]);
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
	struct firefox_reader r = { .root = json, .profile = profile };
	struct json_items threads;

	(void)err;
	r.shared = json_get(json, JSON_ROOT, "shared");
	json_items_open(&threads, json, json_get(json, JSON_ROOT, "threads"));
	r.json = threads.json;
	while (json_items_next(&threads)) {
		r.thread = threads.id;
		read_one(&r);
	}
	for (size_t i = 0; i < COLUMNS; i++)
		json_column_close(&r.column[i]);
	json_column_close(&r.strings);
	vec_done(&r.libs);
	vec_done(&r.path);
	return 0;
}

bool firefox_is_json(const struct json *json)
{
	json_id thread = json_item(json, json_get(json, JSON_ROOT, "threads"), 0);

	return json_has(json, json_get(json, JSON_ROOT, "meta"), "preprocessedProfileVersion") ||
	       json_has(json, json_get(json, thread, "funcTable"), "name"); /* the first version */
}
