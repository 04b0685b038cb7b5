/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles in JSON, told apart by what is in them: speedscope, Firefox, Chrome traces and CPU
 * profiles, stackprof, GHC's and d3-flame-graph. Slots of struct format_ops, the readers behind
 * them, and what these share. */
#ifndef FORMAT_JSON_JSON_READ_H
#define FORMAT_JSON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "profile/profile.h"

struct err;
struct input;

int json_profile_sniff(const uint8_t *head, size_t len);
int json_profile_read(struct input *input, struct profile *profile, struct err *err);

/* Readers of one kind of document; what they cannot use they count in meta.unknown_records. */
int speedscope_read(const struct json *json, struct profile *profile, struct err *err);
int firefox_read(const struct json *json, struct profile *profile, struct err *err);
int gecko_read(const struct json *json, struct profile *profile, struct err *err);
int chrome_trace_read(const struct json *json, struct profile *profile, struct err *err);
int cpuprofile_read(const struct json *json, struct profile *profile, struct err *err);
int stackprof_read(const struct json *json, struct profile *profile, struct err *err);
int ghc_json_read(const struct json *json, struct profile *profile, struct err *err);
int json_tree_read(const struct json *json, struct profile *profile, struct err *err);

/* A V8 CPU profile in one object, or in chunks, as samples of a thread. */
struct cpuprofile;
void cpuprofile_whole(const struct json *json, json_id object, struct profile *profile,
		      thread_id thread);
struct cpuprofile *cpuprofile_new(const struct json *json, struct profile *profile,
				  thread_id thread, double start_us);
void cpuprofile_add(struct cpuprofile *cpuprofile, json_id object, json_id deltas);
void cpuprofile_finish(struct cpuprofile *cpuprofile, double end_us); /* frees it */

/* Frames below an open span, outermost first, and the time that was spent in them: what formats of
 * begin and end events become samples by. */
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

/* Up to `at_ns` the open frames were running. Time that goes backwards stands still. */
void timeline_advance(struct timeline *timeline, uint64_t at_ns);
void timeline_push(struct timeline *timeline, frame_id frame);
void timeline_pop(struct timeline *timeline);

/* Some number of the array has a part behind the point. */
bool json_has_fractions(const struct json *json, json_id array);
/* The number at id as nanoseconds, when it is in units of so many; 0 for what is none. Numbers in
 * strings are numbers, too. */
uint64_t json_ns(const struct json *json, json_id id, double unit_ns);

#endif
