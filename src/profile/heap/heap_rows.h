/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory by the stack that allocated it, of a profile that heap_sum_up() has made. */
#ifndef PROFILE_HEAP_HEAP_ROWS_H
#define PROFILE_HEAP_HEAP_ROWS_H

#include "base/vec.h"
#include "profile/profile.h"

enum heap_measure {
	HEAP_ALLOCATED,
	HEAP_ALLOCATIONS,
	HEAP_LIVE,
	HEAP_PEAK,
	HEAP_TEMPORARY,
	HEAP_MEASURES
};

struct heap_row {
	stack_id stack;
	enum stack_stop stop;
	double value[HEAP_MEASURES]; /* bytes; allocations: how many */
};

struct heap_rows {
	VEC(struct heap_row) row;
};

void heap_rows_collect(const struct profile *profile, struct heap_rows *ret);
/* Most first. */
void heap_rows_sort(struct heap_rows *rows, enum heap_measure by);
void heap_rows_done(struct heap_rows *rows);

#endif
