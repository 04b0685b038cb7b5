/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who writes to watched words, as text and as JSON. */
#ifndef VIEW_ACCESS_WRITERS_VIEW_H
#define VIEW_ACCESS_WRITERS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct profile;
struct writers;

struct writers_view {
	const struct profile *profile;
	const struct writers *writers;
	const char *name;	/* of what is watched */
	uint64_t base;		/* its address */
	uint64_t words_of_line; /* 8-byte words from there on that were watched; 0 = one place */
	bool reads;		/* reads count as well */
	uint64_t lost;
	uint64_t rows;		  /* of each word; 0 = all */
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

void writers_text(const struct writers_view *view, struct buf *out);
/* {"cupel":1,"command":[…],"name","address":n,"hits":n,"lost":n,"sharing":"none"|"true"|"false",
 * "rows":[{"offset":n,"command","tid":n,"hits":n,"stack":[…]}]} */
void writers_json(const struct writers_view *view, struct buf *out);

#endif
