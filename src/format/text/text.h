/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the readers of plain text reports. Invalid lines are counted in
 * meta.unknown_records. */
#ifndef FORMAT_TEXT_TEXT_H
#define FORMAT_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h" /* struct slice */
#include "profile/profile.h"

/* Returns the next line without its end and advances text; false at the end. */
bool text_line(struct slice *text, struct slice *ret);
struct slice text_trim(struct slice s);
/* Removes and returns the part of s before the first `c`, or all of it. */
struct slice text_cut(struct slice *s, char c);
bool text_starts(struct slice s, const char *start);
bool text_has(struct slice s, const char *part);
/* A decimal number with thousands separators and a fraction, as value * scale; false for others. */
bool text_number(struct slice s, uint64_t scale, uint64_t *ret);
/* A function's name. Rust names, which such tools show partly mangled, are made readable. */
string_id text_name(struct profile *profile, struct slice name);
/* A frame with only a name. */
frame_id text_frame(struct profile *profile, struct slice name);
/* The same, named "module`function" as DTrace does; an empty module is left out. */
frame_id text_module_frame(struct profile *profile, struct slice module, struct slice function);
/* The event of a format with integer weights. Cupel's own files give a scale in the name:
 * "samples/1000". */
uint16_t text_event(struct profile *profile, const char *name, const char *unit);
/* A first event and the only thread. */
struct profile_sample text_sample(struct profile *profile, const char *event, const char *unit);

/* Call trees drawn by indentation, each line with the weight of all below it. */
struct indented {
	struct profile *profile;
	struct profile_sample sample; /* event and thread of all */
	bool counts;		      /* weights are numbers of samples */
	bool no_modules;	      /* see struct format_read_options */
	VEC(struct indented_line) open;
};

struct indented_line {
	size_t depth;
	stack_id stack;
	uint64_t total, below;
};

/* `total` includes what follows deeper. */
void indented_add(struct indented *tree, size_t depth, frame_id frame, uint64_t total);
/* The same for lines with self weight; 0 adds nothing. */
stack_id indented_push(struct indented *tree, size_t depth, frame_id frame);
void indented_finish(struct indented *tree);

#endif
