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

struct gecko_table {
	json_id schema;
	VEC(json_id) rows;
};

struct gecko_reader {
	const struct json *json;
	struct profile *profile;
	struct gecko_table frames, stacks, samples;
	json_id strings;
	VEC(uint32_t) stack_of; /* by row → stack id */
	VEC(uint32_t) path;
};

static void open_table(const struct gecko_reader *r, json_id object, struct gecko_table *ret)
{
	json_id data = json_get(r->json, object, "data");

	*ret = (struct gecko_table){ .schema = json_get(r->json, object, "schema") };
	for (json_id id = json_first(r->json, data); id != JSON_NONE;
	     id = json_next(r->json, data, id))
		vec_push(&ret->rows, id);
}

static json_id cell(const struct gecko_reader *r, const struct gecko_table *table, uint64_t row,
		    const char *column)
{
	uint64_t at = json_u64(r->json, json_get(r->json, table->schema, column), UINT64_MAX);

	return row < table->rows.count ? json_item(r->json, table->rows.item[row], at) : JSON_NONE;
}

/* "function (file:line)" of scripts, plain names of native code. */
static frame_id make_frame(const struct gecko_reader *r, uint64_t row)
{
	uint64_t location = json_u64(r->json, cell(r, &r->frames, row, "location"), UINT64_MAX);
	struct strtab *strings = r->profile->strings;
	struct frame frame = { 0 };
	struct buf text = { 0 };
	const char *open;

	json_put(r->json, json_item(r->json, r->strings, location), &text);
	open = text.len && text.data[text.len - 1] == ')' ? strstr(text.data, " (") : NULL;
	if (open && open > text.data) {
		frame.kind = FRAME_JIT;
		frame.file =
			strtab_intern(strings, open + 2, text.len - (size_t)(open + 3 - text.data));
		text.len = (size_t)(open - text.data);
	}
	frame.function = strtab_intern(strings, text.data ? text.data : "", text.len);
	buf_done(&text);
	return profile_frame(r->profile, &frame);
}

static stack_id stack_at(struct gecko_reader *r, uint64_t row)
{
	stack_id stack = STACK_EMPTY;

	r->path.count = 0;
	while (row < r->stack_of.count) {
		if (r->stack_of.item[row] != UNSET) {
			stack.v = r->stack_of.item[row];
			break;
		}
		r->stack_of.item[row] = STACK_EMPTY.v; /* until the way down */
		vec_push(&r->path, (uint32_t)row);
		row = json_u64(r->json, cell(r, &r->stacks, row, "prefix"), UINT64_MAX);
	}
	while (r->path.count) {
		uint32_t at = r->path.item[--r->path.count];
		uint64_t frame = json_u64(r->json, cell(r, &r->stacks, at, "frame"), UINT64_MAX);

		stack = profile_stack_push(r->profile, stack, make_frame(r, frame));
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

	for (size_t i = 0; i < r->samples.rows.count; i++) {
		sample.stack = stack_at(
			r, json_u64(r->json, cell(r, &r->samples, i, "stack"), UINT64_MAX));
		sample.stack = profile_stack_or_unknown(r->profile, sample.stack);
		sample.time_ns = json_ns(r->json, cell(r, &r->samples, i, "time"), 1e6);
		profile_add(r->profile, &sample);
	}
}

static void read_thread(struct gecko_reader *r, json_id thread)
{
	const struct json *json = r->json;
	string_id name = json_intern(json, json_get(json, thread, "name"), r->profile->strings);
	uint64_t pid = json_u64(json, json_get(json, thread, "pid"), PROFILE_NO_ID);
	uint64_t tid = json_u64(json, json_get(json, thread, "tid"), PROFILE_NO_ID);

	if (json_type(json, thread) != JSON_OBJECT) { /* another process, packed in a string */
		r->profile->meta.unknown_records++;
		return;
	}
	r->strings = json_get(json, thread, "stringTable");
	open_table(r, json_get(json, thread, "frameTable"), &r->frames);
	open_table(r, json_get(json, thread, "stackTable"), &r->stacks);
	open_table(r, json_get(json, thread, "samples"), &r->samples);
	r->stack_of.count = 0;
	for (size_t i = 0; i < r->stacks.rows.count; i++)
		vec_push(&r->stack_of, UNSET);
	add_samples(r,
		    profile_thread(r->profile, pid < PROFILE_NO_ID ? (uint32_t)pid : PROFILE_NO_ID,
				   tid < PROFILE_NO_ID ? (uint32_t)tid : PROFILE_NO_ID,
				   profile_string(r->profile, name)));
	vec_done(&r->frames.rows);
	vec_done(&r->stacks.rows);
	vec_done(&r->samples.rows);
}

static int gecko_read(const struct json *json, struct profile *profile, struct err *err)
{
	struct gecko_reader r = { .json = json, .profile = profile };
	json_id root = json_get(json, JSON_ROOT, "threads") != JSON_NONE
			       ? JSON_ROOT
			       : json_get(json, JSON_ROOT, "profile");
	json_id threads = json_get(json, root, "threads");

	(void)err;
	for (json_id id = json_first(json, threads); id != JSON_NONE;
	     id = json_next(json, threads, id))
		read_thread(&r, id);
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
