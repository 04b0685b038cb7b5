/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks a definition of a probe as the user types it (probe_request.h), and makes of it what is
 * kept (probe_definitions.h). */
#ifndef SESSION_PROBE_PROBE_DEFINE_H
#define SESSION_PROBE_PROBE_DEFINE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"

struct err;

#define PROBE_DEFINE_MAX 128 /* functions of a glob, as in perf */

struct probe_defined {
	struct buf name;   /* "GROUP:EVENT" */
	struct buf spec;   /* "probe:FILE:PLACE ARGUMENT...", "kprobe:FUNCTION ARGUMENT..." */
	struct buf placed; /* a line for each place */
	struct buf notes;  /* what was left out */
};

struct probe_defined_list {
	VEC(struct probe_defined) item; /* one; of a glob one for each function */
};

/* binary: as probe_binary_find() takes it, NULL = the kernel. sources: a folder of source files,
 * NULL = none. The result must be freed also after failures. */
int probe_define(const char *binary, const char *text, const char *sources,
		 struct probe_defined_list *ret, struct err *err);
/* The same of a specification that was kept; fails if it means nothing any more. */
int probe_define_again(const char *spec, struct err *err);
void probe_defined_list_done(struct probe_defined_list *list);

/* Appends " (on PLACE in FILE with ARGUMENT...)", as perf lists it; of the kernel without a file.
 */
void probe_spec_put(const char *spec, struct buf *ret);

#endif
