/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often values occurred, in the layout of BCC's argdist or as JSON. */
#ifndef VIEW_PROBE_ARGUMENT_VALUES_H
#define VIEW_PROBE_ARGUMENT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct argument_row {
	const char *text; /* "size = 16" */
	/* Of a histogram: the number of the values' highest bit; of negative ones, of what they are
	 * without the sign, and 64 more. */
	uint64_t slot;
	uint64_t count;
};

struct argument_values {
	const char *label;	/* the first line */
	const char *expression; /* of a histogram */
	bool histogram;
	struct argument_row *row; /* is sorted */
	size_t rows;
	size_t top; /* print only that many of the most frequent; 0 = all */
};

void argument_values_text(const struct argument_values *values, struct buf *ret);
/* {"label":s,"values":[{"value":s,"count":n}]}, or "histogram":[{"from":n,"to":n,"count":n}]. */
void argument_values_json(const struct argument_values *values, struct buf *ret);

#endif
