/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stacks of text have in common with those before them. Samples of one program mostly differ
 * near the leaf; the lines from the root on, which end the text, are compared as bytes and need not
 * be read again. A trail is the end of one body of text, kept by how its last line looks. Texts end
 * with a newline. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_TRAIL_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h"

/* What the owner knows of a line. */
struct script_mark {
	uint64_t hash;	   /* of the lines from the root to this one; not 0 */
	uint32_t id;	   /* of the line alone */
	uint32_t from_end; /* bytes from its start to the end of the text */
	bool waits;	   /* it says something about the next one: nothing goes on from here */
};

struct script_trails;
struct script_trail;

struct script_trails *script_trails_new(void);
void script_trails_free(struct script_trails *trails);
/* The trail of the last text that ended like this one; an empty one for the second such text; NULL
 * for the first, because many ends never come again. */
struct script_trail *script_trail_find(struct script_trails *trails, struct slice text);
/* Bytes at the end of `text` that are whole lines of the trail, and the hash of the innermost;
 * without any 0 and 0. */
size_t script_trail_shared(const struct script_trail *trail, struct slice text, uint64_t *ret_hash);
/* Of the trail only the last `shared` bytes stay, as script_trail_shared() found them. In front of
 * them come the text's other lines, leaf first in `mark`; too much is left out. */
void script_trail_keep(struct script_trail *trail, struct slice text, size_t shared,
		       const struct script_mark *mark, size_t count);

#endif
