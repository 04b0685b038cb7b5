/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stacks of text have in common with those before them. Samples of one program mostly differ
 * near the leaf; the lines from the root on, which end the text, are compared as bytes and need not
 * be read again. A trail is the end of one body of text, kept by how its last line looks. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_TRAIL_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_TRAIL_H

#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h"
#include "profile/profile.h"

#define SCRIPT_NO_STACK ((stack_id){ UINT32_MAX })

/* What the owner knows of the lines from the root to one of them. */
struct script_mark {
	uint64_t hash;
	stack_id stack; /* SCRIPT_NO_STACK: nothing can go on from here */
};

struct script_trails;
struct script_trail;

struct script_trails *script_trails_new(void);
void script_trails_free(struct script_trails *trails);
/* The trail of the last text that ended like this one; an empty one when there was none. */
struct script_trail *script_trail_find(struct script_trails *trails, struct slice text);
/* Bytes at the end of `text` that are whole lines of the trail, and the mark of the innermost;
 * without any 0 and a mark of hash 0 and STACK_EMPTY. */
size_t script_trail_shared(const struct script_trail *trail, struct slice text,
			   struct script_mark *ret);
/* Keeps the last `shared` bytes, whole lines as script_trail_shared() found them. */
void script_trail_cut(struct script_trail *trail, size_t shared);
/* Adds the next line towards the leaf; too much is left out. */
void script_trail_add(struct script_trail *trail, struct slice line, struct script_mark mark);

#endif
