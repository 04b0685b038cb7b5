/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as text for terminals: what changed, how much, how sure, and what could not have
 * been seen. And as folded text with two columns, which FlameGraph's difffolded.pl writes. */
#ifndef VIEW_DIFF_TEXT_H
#define VIEW_DIFF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct diff;

struct diff_text_options {
	const char *before, *after; /* names of the sides */
	size_t limit;		    /* rows per table, 0 = 25 */
	bool all;		    /* include changes that are not significant */
	bool paths;		    /* paths instead of functions */
};

void diff_text(const struct diff *diff, const struct diff_text_options *options, struct buf *ret);

struct diff_folded_options {
	bool normalize; /* scale the first column to the sum of the second */
	bool strip_hex; /* 0x… becomes 0x..., so that addresses compare equal */
};

/* The profile must have been compared by weight. */
void diff_folded(const struct diff *diff, const struct diff_folded_options *options,
		 struct buf *ret);

#endif
