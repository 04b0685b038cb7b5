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

/* Considers one candidate; words too different are ignored. */
void suggest_offer(struct suggest *suggest, const char *candidate);
/* "'a', 'b' or 'c'" into the buffer, empty when nothing is near. Returns the buffer. */
const char *suggest_text(const struct suggest *suggest, char *buffer, size_t size);

#endif
