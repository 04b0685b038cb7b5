/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen of `cupel top`: a line of facts, then the report table, as much of it as there is room
 * for. */
#ifndef VIEW_TOP_H
#define VIEW_TOP_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct profile;
struct report_options;

struct top_view {
	const struct report_options *report;
	const char *keys;	/* a last line; NULL = none */
	uint32_t rows, columns; /* of the screen; 0 = no limit */
	uint32_t entries;	/* lines of the table; 0 = no limit */
	bool whole_stacks;	/* show how many are complete */
	uint64_t idle, kernel;	/* samples, whether or not they are in the profile */
};

/* The profile covers the last seconds (profile/recent.h). Lines end in '\n' and are truncated to
 * the width between characters. */
int top_screen(const struct profile *profile, const struct top_view *view, struct buf *ret,
	       struct err *err);

#endif
