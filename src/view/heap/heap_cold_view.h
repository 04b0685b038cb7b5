/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that was not touched, by the stack that allocated it, as text and as JSON. */
#ifndef VIEW_HEAP_HEAP_COLD_VIEW_H
#define VIEW_HEAP_HEAP_COLD_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct heap_cold_table;
struct profile;

struct heap_cold_view {
	const struct profile *profile;
	const struct heap_cold_table *table;
	double seconds;
	uint64_t looked, anonymous; /* pages that were looked at, and that there were */
	uint64_t lost;		    /* samples */
	uint64_t rows;		    /* of the text; 0 = all */
};

void heap_cold_text(const struct heap_cold_view *view, struct buf *out);
/* A member: "sites": {"method":"damon","pages","looked_at","lost","others","rows":[{"cold",
 * "resident","live","blocks","stopped","stack":[…]}]}; cold is null where no page was looked at. */
void heap_cold_json(const struct heap_cold_view *view, struct buf *out);

#endif
