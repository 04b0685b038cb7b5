/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nearest words to a mistyped one, for "did you mean". */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

#define NEAR_MAX 3

/* Keeps the best few candidates. Zero-initialise but for `word`. */
struct near {
	const char *word; /* what was typed */
	struct {
		const char *name; /* borrowed from the caller of near_offer() */
		unsigned distance;
	} best[NEAR_MAX];
	size_t count;
};

/* Considers one candidate; words too different are ignored. */
void near_offer(struct near *near, const char *candidate);
/* "'a', 'b' or 'c'" into the buffer, empty when nothing is near. Returns the buffer. */
const char *near_text(const struct near *near, char *buffer, size_t size);

#endif
