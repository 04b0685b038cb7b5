/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_rows.h. */
#include "profile/heap/heap_rows.h"

#include <stdlib.h>

#include "base/map.h"

static bool measure_of(enum event_kind kind, enum heap_measure *ret)
{
	switch (kind) {
	case EVENT_KIND_HEAP_ALLOC:
		*ret = HEAP_ALLOCATED;
		return true;
	case EVENT_KIND_HEAP_COUNT:
		*ret = HEAP_ALLOCATIONS;
		return true;
	case EVENT_KIND_HEAP_LIVE:
		*ret = HEAP_LIVE;
		return true;
	case EVENT_KIND_HEAP_PEAK:
		*ret = HEAP_PEAK;
		return true;
	case EVENT_KIND_HEAP_TEMPORARY:
		*ret = HEAP_TEMPORARY;
		return true;
	default:
		return false;
	}
}

void heap_rows_collect(const struct profile *profile, struct heap_rows *ret)
{
	struct map by_stack = { 0 };

	*ret = (struct heap_rows){ 0 };
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		const struct profile_event *event = &profile->events.item[sample->event];
		enum heap_measure measure;
		bool added;
		uint64_t *place;

		if (!measure_of(event->kind, &measure))
			continue;
		place = map_add(&by_stack, (uint64_t)sample->stack.v << 8 | sample->stop, &added);
		if (added) {
			*place = ret->row.count;
			vec_push(&ret->row,
				 ((struct heap_row){ .stack = sample->stack,
						     .stop = (enum stack_stop)sample->stop }));
		}
		ret->row.item[*place].value[measure] +=
			(double)sample->weight / (event->scale ? event->scale : 1);
	}
	map_done(&by_stack);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct heap_row *x = a, *y = b;
	enum heap_measure by = *(const enum heap_measure *)context;

	if (x->value[by] != y->value[by])
		return x->value[by] > y->value[by] ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

void heap_rows_sort(struct heap_rows *rows, enum heap_measure by)
{
	if (rows->row.count)
		qsort_r(rows->row.item, rows->row.count, sizeof(*rows->row.item), compare, &by);
}

void heap_rows_done(struct heap_rows *rows)
{
	vec_done(&rows->row);
}
