/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Firefox's raw ("gecko") profiles → profile: tables are rows with columns named by a schema. Every
 * sample has weight 1. Format: docs-developer/gecko-profile-format.md of
 * firefox-devtools/profiler. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "format/format.h"
#include "format/json/json_read.h"

#define UNSET UINT32_MAX

struct gecko_reader {
	const struct json *json; /* of the thread */
	struct profile *profile;
	json_id thread;
	struct json_column strings;
	VEC(uint32_t) locations; /* of frames: index in strings */
	VEC(uint32_t) prefixes;	 /* of stacks */
	VEC(uint32_t) frames;	 /* of stacks */
	VEC(uint32_t) stack_of;	 /* by row → stack id */
	VEC(uint32_t) path;
};

/* A table's rows; columns are at the places that its schema says. */
struct gecko_rows {
	const struct json *json; /* of the schema */
	json_id schema;
	struct json_items rows;
};

static void open_rows(const struct gecko_reader *r, const char *table, struct gecko_rows *ret)
{
	json_id object = json_get(r->json, r->thread, table);

	ret->json = r->json;
	ret->schema = json_get(r->json, object, "schema");
	json_items_open(&ret->rows, r->json, json_get(r->json, object, "data"));
}

/* The cell of the current row; the caller closes it. */
static void open_cell(const struct gecko_rows *rows, const char *column, struct json_items *ret)
{
	uint64_t at = json_u64(rows->json, json_get(rows->json, rows->schema, column), UINT64_MAX);

	json_items_open(ret, rows->rows.json, rows->rows.id);
	while (json_items_next(ret) && at)
		at--;
}

static uint32_t index_of(const struct gecko_rows *rows, const char *column)
{
	struct json_items cell;
	uint64_t index;

	open_cell(rows, column, &cell);
	index = json_u64(cell.json, cell.id, UNSET);
	json_items_close(&cell);
	return index < UNSET ? (uint32_t)index : UNSET;
}

static uint64_t time_of(const struct gecko_rows *rows)
{
	struct json_items cell;
	uint64_t time_ns;

	open_cell(rows, "time", &cell);
	time_ns = json_ns(cell.json, cell.id, 1e6);
	json_items_close(&cell);
	return time_ns;
}

/* "function (file:line)" of scripts, plain names of native code. */
static frame_id make_frame(const struct gecko_reader *r, uint32_t row)
{
	uint32_t location = row < r->locations.count ? r->locations.item[row] : UNSET;
	struct strtab *strings = r->profile->strings;
	const char *text = "", *open;
	struct frame frame = { 0 };
	size_t len;

	if (location != UNSET)
		text = profile_string(r->profile, json_column_string(&r->strings, location));
	len = strlen(text);
	open = len && text[len - 1] == ')' ? strstr(text, " (") : NULL;
	if (open && open > text) {
		frame.kind = FRAME_JIT;
		frame.file = strtab_intern(strings, open + 2, len - (size_t)(open + 3 - text));
		len = (size_t)(open - text);
	}
	frame.function = strtab_intern(strings, text, len);
	return profile_frame(r->profile, &frame);
}

static stack_id stack_at(struct gecko_reader *r, uint32_t row)
{
	stack_id stack = STACK_EMPTY;

	r->path.count = 0;
	while (row < r->stack_of.count) {
		if (r->stack_of.item[row] != UNSET) {
			stack.v = r->stack_of.item[row];
			break;
		}
		r->stack_of.item[row] = STACK_EMPTY.v; /* until the way down */
		vec_push(&r->path, row);
		row = r->prefixes.item[row];
	}
	while (r->path.count) {
		uint32_t at = r->path.item[--r->path.count];

		stack = profile_stack_push(r->profile, stack, make_frame(r, r->frames.item[at]));
		r->stack_of.item[at] = stack.v;
	}
	return stack;
}

static void add_samples(struct gecko_reader *r, thread_id thread)
{
	struct profile_sample sample = { .thread = thread,
					 .event = profile_event(r->profile, "samples", "samples"),
					 .cpu = PROFILE_NO_CPU,
					 .weight = 1,
					 .count = 1 };
	struct gecko_rows samples;

	open_rows(r, "samples", &samples);
	while (json_items_next(&samples.rows)) {
		sample.stack = profile_stack_or_unknown(r->profile,
							stack_at(r, index_of(&samples, "stack")));
		sample.time_ns = time_of(&samples);
		profile_add(r->profile, &sample);
	}
}

static void read_tables(struct gecko_reader *r)
{
	struct gecko_rows table;

	json_column_close(&r->strings);
	json_column_open(&r->strings, r->json, json_get(r->json, r->thread, "stringTable"),
			 r->profile->strings);
	r->locations.count = r->prefixes.count = r->frames.count = r->stack_of.count = 0;
	open_rows(r, "frameTable", &table);
	while (json_items_next(&table.rows))
		vec_push(&r->locations, index_of(&table, "location"));
	open_rows(r, "stackTable", &table);
	while (json_items_next(&table.rows)) {
		vec_push(&r->prefixes, index_of(&table, "prefix"));
		vec_push(&r->frames, index_of(&table, "frame"));
		vec_push(&r->stack_of, UNSET);
	}
}

static void read_thread(struct gecko_reader *r)
{
	const struct json *json = r->json;
	json_id thread = r->thread;
	string_id name = json_intern(json, json_get(json, thread, "name"), r->profile->strings);
	uint64_t pid = json_u64(json, json_get(json, thread, "pid"), PROFILE_NO_ID);
	uint64_t tid = json_u64(json, json_get(json, thread, "tid"), PROFILE_NO_ID);

	if (json_type(json, thread) != JSON_OBJECT) { /* another process, packed in a string */
		r->profile->meta.unknown_records++;
		return;
	}
	read_tables(r);
	add_samples(r,
		    profile_thread(r->profile, pid < PROFILE_NO_ID ? (uint32_t)pid : PROFILE_NO_ID,
				   tid < PROFILE_NO_ID ? (uint32_t)tid : PROFILE_NO_ID,
				   profile_string(r->profile, name)));
}

static int gecko_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct gecko_reader r = { .profile = profile };
	json_id root = json_get(json, JSON_ROOT, "threads") != JSON_NONE
			       ? JSON_ROOT
			       : json_get(json, JSON_ROOT, "profile");
	struct json_items threads;

	(void)err;
	json_items_open(&threads, json, json_get(json, root, "threads"));
	r.json = threads.json;
	while (json_items_next(&threads)) {
		r.thread = threads.id;
		read_thread(&r);
	}
	json_column_close(&r.strings);
	vec_done(&r.locations);
	vec_done(&r.prefixes);
	vec_done(&r.frames);
	vec_done(&r.stack_of);
	vec_done(&r.path);
	return 0;
}

/* From the profiler in the browser, or wrapped by the old developer tools. */
static bool is_gecko(const struct json *json)
{
	json_id profile = json_get(json, JSON_ROOT, "profile");

	return (json_has(json, JSON_ROOT, "meta") && json_has(json, JSON_ROOT, "threads")) ||
	       (json_has(json, profile, "meta") && json_has(json, profile, "threads"));
}

const struct format_ops format_gecko = {
	.name = "gecko",
	.help = "Firefox Profiler's raw format",
	.is_json = is_gecko,
	.read_json = gecko_read,
};
