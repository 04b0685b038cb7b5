/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often functions were called, in the layout of BCC's funccount or as JSON. */
#ifndef VIEW_PROBE_FUNCTION_COUNTS_H
#define VIEW_PROBE_FUNCTION_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct buf;

struct function_counts {
	const char *const *name;
	const uint64_t *count;
	size_t functions;
};

/* The least often called ones first; without those that were not called. */
void function_counts_text(const struct function_counts *counts, struct buf *ret);
/* {"cupel":1,"what":"calls","probed":n,"calls":n,"functions":[{"name":s,"calls":n}]}, the most
 * often called ones first. */
void function_counts_json(const struct function_counts *counts, struct buf *ret);

#endif
