/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by the object that they access, as text and as JSON. */
#ifndef VIEW_ACCESS_ACCESS_VIEW_H
#define VIEW_ACCESS_ACCESS_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct access_table;
struct buf;
struct profile;

struct access_view {
	const struct profile *profile;
	const struct access_table *table;
	uint64_t lost;
	uint64_t rows;		  /* of the table; 0 = all */
	const char *const *words; /* of the command line, for JSON */
	size_t word_count;
};

void access_text(const struct access_view *view, struct buf *out);
/* {"cupel":1,"command":[…],"samples":n,"accesses":n,"kernel":n,"lost":n,"blocks":n,"rows":[{"kind",
 * "object","module","size","samples","weight","guessed","writes","stack":[…],
 * "functions":[{"function","module","samples"}],"words":[{"offset","samples"}],
 * "fields":[{"field","samples"}]}]} */
void access_json(const struct access_view *view, struct buf *out);

#endif
