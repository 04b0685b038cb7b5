/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_grown.h. A sample of HEAP_GROWN belongs to the sampled block before it in its thread. */
#include "profile/heap/heap_grown.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "event/heap_block.h"

#define ALIKE	 0.3 /* deviation of steps from their mean, and of factors, that is one pattern */
#define NO_BLOCK 0

struct grower {
	const struct profile *profile;
	struct heap_grown_rows *rows;
	struct map last;     /* thread → its last sampled block's sample + 1 */
	struct map by_stack; /* stack and stop → row */
};

static const struct heap_block *block_of(const struct grower *g,
					 const struct profile_sample *sample)
{
	return &g->profile->blocks.item[sample->addr];
}

static struct heap_grown *row_of(struct grower *g, const struct profile_sample *sample)
{
	bool added;
	uint64_t *index =
		map_add(&g->by_stack, (uint64_t)sample->stack.v << 8 | sample->stop, &added);

	if (added) {
		*index = g->rows->row.count;
		vec_push(&g->rows->row,
			 ((struct heap_grown){ .stack = sample->stack,
					       .stop = (enum stack_stop)sample->stop }));
	}
	return &g->rows->row.item[*index];
}

static void add(struct grower *g, const struct profile_sample *alloc, uint64_t was)
{
	double before = (double)(was & ~HEAP_GROWN_MOVED), size = (double)block_of(g, alloc)->size;
	double step = size - before, n = size > 0 ? (double)alloc->weight / size : 0;
	struct heap_grown *row;

	if (before <= 0 || step <= 0)
		return;
	row = row_of(g, alloc);
	row->samples++;
	row->calls += n;
	if (was & HEAP_GROWN_MOVED) {
		row->moved += n;
		row->moved_bytes += n * before;
	}
	row->largest = fmax(row->largest, size);
	row->step += n * step;
	row->step_squares += n * step * step;
	row->factor += n * log(size / before);
	row->factor_squares += n * log(size / before) * log(size / before);
}

static void take(struct grower *g, uint32_t number)
{
	const struct profile_sample *sample = &g->profile->samples.item[number];
	const struct heap_block *block = block_of(g, sample);
	uint64_t last;

	if (g->profile->events.item[sample->event].kind == EVENT_KIND_HEAP_ALLOC) {
		map_set(&g->last, sample->thread.v,
			block->size == HEAP_KEPT ? NO_BLOCK : number + 1);
	} else if (block->size == HEAP_GROWN && map_get(&g->last, sample->thread.v, &last) &&
		   last) {
		add(g, &g->profile->samples.item[last - 1], block->address);
		map_set(&g->last, sample->thread.v, NO_BLOCK);
	}
}

static int most_moved(const void *a, const void *b)
{
	const struct heap_grown *x = a, *y = b;

	if (x->moved_bytes > y->moved_bytes || x->moved_bytes < y->moved_bytes)
		return x->moved_bytes > y->moved_bytes ? -1 : 1;
	if (x->step > y->step || x->step < y->step)
		return x->step > y->step ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

void heap_grown_collect(const struct profile *profile, const uint32_t *order, size_t count,
			struct heap_grown_rows *ret)
{
	struct grower g = { .profile = profile, .rows = ret };

	*ret = (struct heap_grown_rows){ 0 };
	for (size_t i = 0; i < count; i++)
		take(&g, order[i]);
	if (ret->row.count)
		qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), most_moved);
	map_done(&g.last);
	map_done(&g.by_stack);
}

static double deviation(double sum, double squares, double n)
{
	double mean = sum / n;

	return sqrt(fmax(squares / n - mean * mean, 0));
}

enum heap_pattern heap_grown_pattern(const struct heap_grown *grown, double *amount)
{
	double steps, factors;

	if (grown->samples < 2 || grown->calls <= 0) {
		*amount = grown->calls > 0 ? grown->step / grown->calls : 0;
		return HEAP_PATTERN_VARIES;
	}
	steps = deviation(grown->step, grown->step_squares, grown->calls) /
		(grown->step / grown->calls);
	factors = deviation(grown->factor, grown->factor_squares, grown->calls) /
		  (grown->factor / grown->calls);
	if (factors < ALIKE && factors <= steps) {
		*amount = exp(grown->factor / grown->calls);
		return HEAP_PATTERN_FACTOR;
	}
	*amount = grown->step / grown->calls;
	return steps < ALIKE ? HEAP_PATTERN_STEP : HEAP_PATTERN_VARIES;
}

void heap_grown_done(struct heap_grown_rows *rows)
{
	vec_done(&rows->row);
}
