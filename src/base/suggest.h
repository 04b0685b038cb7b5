/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest words to a mistyped one, for "did you mean". */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

#define SUGGEST_MAX 3

/* Keeps the best few candidates. Zero-initialise but for `word`. */
struct suggest {
	const char *word; /* what was typed */
	struct {
		const char *name; /* borrowed from the caller of suggest_offer() */
		unsigned distance;
	} best[SUGGEST_MAX];
	size_t count;
};

/* Considers one candidate; words too different, and those offered before, are ignored. */
void suggest_offer(struct suggest *suggest, const char *candidate);
/* Writes "'a', 'b' or 'c'" to the buffer, or an empty string without suggestions; returns the
 * buffer. */
const char *suggest_text(const struct suggest *suggest, char *buffer, size_t size);

#endif
