/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a process at one moment: its mappings, and which of their pages there are. Both in
 * order of addresses. */
#ifndef EVENT_PAGE_MAP_H
#define EVENT_PAGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

/* What a page is. The kernel's PAGE_IS_* of PAGEMAP_SCAN. */
enum page_kind {
	PAGE_FILE = 1 << 2, /* of a file or of shared memory */
	PAGE_PRESENT = 1 << 3,
	PAGE_SWAPPED = 1 << 4,
	PAGE_ZERO = 1 << 5, /* the page of zeros that all processes share */
	PAGE_HUGE = 1 << 6,
};

struct page_area {
	uint64_t start, end;
	bool shared, writable;
	bool hugetlb;	    /* its pages do not count as resident */
	uint64_t rss, swap; /* bytes */
	const char *path;   /* "/usr/bin/x", "[heap]"; "" = none. In the arena */
};

struct page_range {
	uint64_t start, end;
	uint64_t kind; /* enum page_kind bits */
};

struct page_map {
	struct arena arena;
	VEC(struct page_area) area;
	VEC(struct page_range) range;
	uint64_t counted; /* resident bytes by the kernel's own counters (kmem:rss_stat); 0 =
			     unknown */
};

static inline void page_map_done(struct page_map *map)
{
	vec_done(&map->area);
	vec_done(&map->range);
	arena_done(&map->arena);
}

#endif
