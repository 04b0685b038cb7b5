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
	uint32_t first;		/* line of the table's body at the top; others are scrolled away */
	uint32_t selected;	/* line of the body + 1; 0 = none */
	double cost;		/* own CPU time per time, 1 = a CPU; negative = not known */
	bool whole_stacks;	/* show how many are complete */
	uint64_t idle, kernel;	/* samples, whether or not they are in the profile */
};

/* What of the table is on the screen. */
struct top_shown {
	uint32_t lines, room; /* of its body: all, and how many fit */
	uint32_t selected;    /* line of the screen; UINT32_MAX = none is */
	char symbol[256];     /* in the selected line; "" = none */
};

/* The profile covers the last seconds (profile/recent.h). Lines end in '\n' and are truncated to
 * the width between characters. */
int top_screen(const struct profile *profile, const struct top_view *view,
	       struct top_shown *ret_shown, struct buf *ret, struct err *err);

#endif
