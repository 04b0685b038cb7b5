/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes that the user defined under a name, as perf's `probe_libc:malloc`: a text file among the
 * user's settings, no object of the kernel. A line for each: "GROUP:EVENT<tab>SPEC", with a
 * specification as events take it: "probe:FILE:PLACE" or "kprobe:FUNCTION", and what is read there
 * behind a blank. */
#ifndef SESSION_PROBE_PROBE_DEFINITIONS_H
#define SESSION_PROBE_PROBE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct arena;
struct err;

#define PROBE_DEFINITIONS_MAX 4096

struct probe_definition_entry {
	const char *name; /* "GROUP:EVENT" */
	const char *spec;
};

struct probe_definitions {
	VEC(struct probe_definition_entry) item; /* sorted by name, each once */
	char *text;				 /* that the strings are in */
};

/* The specification of a name; the caller frees it. -ENOENT if there is none. */
int probe_definition_find(const char *group_and_name, char **ret_spec, struct err *err);

/* A list of events with "GROUP:EVENT=SPEC" in place of each name that is defined, and of each
 * "GROUP:GLOB" that matches some; the text itself if there is none. */
const char *probe_definitions_expand(const char *events, struct arena *arena);

/* All of them; none if the user never defined one. */
int probe_definitions_read(struct probe_definitions *ret, struct err *err);
/* The same of such a text, which is copied. Lines that are malformed are ignored. */
void probe_definitions_parse(const char *text, size_t len, struct probe_definitions *ret);
void probe_definitions_done(struct probe_definitions *definitions);
/* The place of a specification, behind the colon of the file; NULL = malformed. */
const char *probe_spec_place(const char *spec);
/* "kprobe:FUNCTION", without a file. */
bool probe_spec_is_of_kernel(const char *spec);

/* Keeps a definition. -EEXIST if the name is in use. */
int probe_definition_add(const char *group_and_name, const char *spec, struct err *err);
/* Drops one. -ENOENT if there is none. */
int probe_definition_remove(const char *group_and_name, struct err *err);

#endif
