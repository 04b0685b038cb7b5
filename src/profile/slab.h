/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples of kmem:* say about the kernel's small objects, or about its pages: how much was
 * requested, allocated and freed, by stack, and what is still there. */
#ifndef PROFILE_SLAB_H
#define PROFILE_SLAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/profile.h"

/* Of a sample in profile->values; frees have the first two. */
enum slab_value {
	SLAB_CALL_SITE,
	SLAB_POINTER,
	SLAB_REQUESTED,
	SLAB_ALLOCATED,
	SLAB_VALUES,
	SLAB_PAGE_ORDER = SLAB_REQUESTED, /* of pages; their pointer is a page number */
	SLAB_PAGE_TYPE,			  /* MIGRATE_… */
	SLAB_PAGE_FLAGS,		  /* string_id of the GFP flags */
};

#define SLAB_PAGE_ORDERS 32
#define SLAB_PAGE_TYPES	 6 /* the last one is that of all others */

struct slab_sums {
	uint64_t hits, requested, allocated;
	uint64_t live, live_hits; /* bytes allocated and not freed; objects */
	uint64_t other_cpu;	  /* objects that another CPU freed */
};

struct slab_row {
	stack_id stack;
	enum stack_stop stop;
	struct slab_sums sums;
	uint64_t pointer;     /* of rows by object: its address, or page number */
	uint32_t order, type; /* of pages */
	string_id flags;
};

struct slab {
	struct slab_sums total;
	uint64_t freed;		/* bytes, of objects allocated while it was watched */
	uint64_t unknown_frees; /* of others */
	uint64_t requests[SLAB_PAGE_ORDERS][SLAB_PAGE_TYPES]; /* of pages */
	VEC(struct slab_row) row;
};

enum slab_order {
	SLAB_BY_ALLOCATED,
	SLAB_BY_REQUESTED,
	SLAB_BY_HITS,
	SLAB_BY_LIVE,
	SLAB_BY_FRAG,
	SLAB_BY_PINGPONG,
	SLAB_ORDERS,
};

struct slab_choice {
	uint64_t page_bytes; /* of pages, of this size; 0 = small objects */
	bool by_object;	     /* rows are objects by address, not stacks */
};

/* The profile has PROFILE_KEEP_TIME, PROFILE_KEEP_CPU and PROFILE_ADDR_IS_VALUES. */
void slab_sum_up(const struct profile *profile, const struct slab_choice *choice, struct slab *ret);
/* "MOVABLE" */
const char *slab_page_type(uint32_t type);
void slab_sort(struct slab *slab, enum slab_order order);
void slab_done(struct slab *slab);
/* Allocated and not requested, of what is allocated. */
double slab_fragmentation(const struct slab_sums *sums);

#endif
