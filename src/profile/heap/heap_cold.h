/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of what each stack allocated was touched in an interval: sampled blocks and pages that
 * were looked at, put together. */
#ifndef PROFILE_HEAP_HEAP_COLD_H
#define PROFILE_HEAP_HEAP_COLD_H

#include "profile/heap/heap_life.h"

struct heap_cold_page {
	uint64_t address;
	bool touched;
};

struct heap_cold_range {
	uint64_t start, end;
};

/* Of one process; pages and ranges in rising order. */
struct heap_cold_pages {
	uint32_t pid;
	uint64_t begin_ns, end_ns, page_bytes;
	VEC(struct heap_cold_page) page;      /* that were looked at */
	VEC(struct heap_cold_range) resident; /* at the beginning */
};

struct heap_cold_row {
	stack_id stack;
	enum stack_stop stop;
	uint64_t blocks;       /* sampled ones */
	double live, resident; /* bytes that these stand for */
	double looked, cold;   /* of the resident ones: on pages that were looked at */
};

struct heap_cold_table {
	VEC(struct heap_cold_row) row; /* the one with the most cold bytes first */
	struct heap_cold_row sum;
	double others; /* bytes of blocks that were not there all the time, at its beginning or end
			*/
};

/* Resident bytes that were not touched, if as much of them is cold as of those that were looked at;
 * negative: none was looked at. */
double heap_cold_bytes(const struct heap_cold_row *row);
void heap_cold_collect(const struct heap_lives *lives, const struct heap_cold_pages *pages,
		       struct heap_cold_table *ret);
void heap_cold_done(struct heap_cold_table *table);
void heap_cold_pages_done(struct heap_cold_pages *pages);

#endif
