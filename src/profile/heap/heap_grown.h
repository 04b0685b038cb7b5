/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that realloc() made larger, by stack: how often, by how much, and whether they had to
 * move. Sums are estimates, as those of heap.h. */
#ifndef PROFILE_HEAP_GROWN_H
#define PROFILE_HEAP_GROWN_H

#include "base/vec.h"
#include "profile/profile.h"

/* How a stack lets its blocks grow. */
enum heap_pattern {
	HEAP_PATTERN_VARIES,
	HEAP_PATTERN_STEP,   /* by about the same number of bytes */
	HEAP_PATTERN_FACTOR, /* by about the same factor */
};

struct heap_grown {
	stack_id stack;
	enum stack_stop stop;
	uint64_t samples;
	double calls;
	double moved;		   /* of these, to another address */
	double moved_bytes;	   /* what the blocks had room for before that */
	double largest;		   /* new size */
	double step, step_squares; /* sums over the calls, of bytes and of logarithms of factors */
	double factor, factor_squares;
};

struct heap_grown_rows {
	VEC(struct heap_grown) row;
};

/* order: the samples of blocks by time; rate: see struct heap_summary. Most moved bytes first. */
void heap_grown_collect(const struct profile *profile, const uint32_t *order, size_t count,
			struct heap_grown_rows *ret);
/* amount: the mean step in bytes, or the mean factor. */
enum heap_pattern heap_grown_pattern(const struct heap_grown *grown, double *amount);
void heap_grown_done(struct heap_grown_rows *rows);

#endif
