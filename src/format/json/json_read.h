/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles in JSON, distinguished by their content, and what their readers share. */
#ifndef FORMAT_JSON_JSON_READ_H
#define FORMAT_JSON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "profile/profile.h"

struct err;

/* The object has such a member. */
bool json_has(const struct json *json, json_id object, const char *name);

/* Reads a document as what it is, and frees it. */
int json_read_document(struct json *json, struct profile *profile, struct err *err);

/* Readers of formats that can also be written (see format.h). */
int speedscope_read(const struct json *json, struct profile *profile, struct err *err);
bool speedscope_is_json(const struct json *json);
int firefox_read(const struct json *json, struct profile *profile, struct err *err);
bool firefox_is_json(const struct json *json);
int chrome_trace_read(const struct json *json, struct profile *profile, struct err *err);
bool chrome_trace_is_json(const struct json *json);

/* A V8 CPU profile in one object, or in chunks, as samples of a thread. */
struct cpuprofile;
void cpuprofile_whole(const struct json *json, json_id object, struct profile *profile,
		      thread_id thread);
struct cpuprofile *cpuprofile_new(struct profile *profile, thread_id thread, double start_us);
void cpuprofile_add(struct cpuprofile *cpuprofile, const struct json *json, json_id object,
		    json_id deltas);
void cpuprofile_finish(struct cpuprofile *cpuprofile, double end_us); /* frees it */

/* Open frames, outermost first, and the time spent in them: converts begin and end events to
 * samples. */
struct timeline {
	struct profile *profile;
	thread_id thread;
	uint16_t event;
	VEC(struct open_span) open;
	uint64_t last_ns;
	bool started;
};

struct open_span {
	frame_id frame;
	stack_id stack;
};

/* Adds time up to `at_ns` to the open frames. Ignores time that goes backwards. */
void timeline_advance(struct timeline *timeline, uint64_t at_ns);
void timeline_push(struct timeline *timeline, frame_id frame);
void timeline_pop(struct timeline *timeline);

/* The values of an array by their index: strings when it has a table for them, otherwise numbers.
 * Those of a deferred array are loaded. */
struct json_column {
	const struct json *json;
	json_id array;
	struct strtab *strings;
	bool loaded;
	VEC(uint64_t) values;
};

void json_column_open(struct json_column *ret, const struct json *json, json_id array,
		      struct strtab *strings);
void json_column_close(struct json_column *column);
uint64_t json_column_u64(const struct json_column *column, uint64_t row); /* UINT64_MAX = none */
size_t json_column_count(const struct json_column *column);
string_id json_column_string(const struct json_column *column, uint64_t row);

/* True if a number of the array has a fraction. */
bool json_has_fractions(const struct json *json, json_id array);
/* The number at id, in units of unit_ns, as nanoseconds; 0 if it is not a number. Accepts numbers
 * in strings. */
uint64_t json_ns(const struct json *json, json_id id, double unit_ns);

#endif
