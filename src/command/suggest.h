/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the nearest of a list of names to a mistyped word. */
#ifndef COMMAND_SUGGEST_H
#define COMMAND_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *word; /* what was typed */
	const char *best; /* nearest name so far, NULL when nothing is near enough */
	size_t distance;  /* edits between the two */
};

/* Compares one name; both strings must outlive the suggestion. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

#endif
