/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of functions (see function_times.h). */
#include "profile/function_times.h"

#include <stdlib.h>
#include <string.h>

void function_times_init(struct function_times *times)
{
	*times = (struct function_times){ .strings = strtab_new() };
}

void function_times_add(struct function_times *times, const char *name, size_t len, uint64_t ns)
{
	string_id id = strtab_intern(times->strings, name, len);
	bool added;
	uint64_t *at = map_add(&times->by_name, id.v, &added);
	struct function_time *time;

	if (added) {
		*at = times->item.count;
		vec_push(&times->item,
			 ((struct function_time){ .name = strtab_get(times->strings, id) }));
	}
	time = &times->item.item[*at];
	time->count++;
	time->total_ns += ns;
	if (ns > time->max_ns)
		time->max_ns = ns;
}

static int by_name(const struct function_time *a, const struct function_time *b)
{
	return strcmp(a->name, b->name);
}

static int descending(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct function_time *a = left, *b = right;
	int order = 0;

	switch (*(const enum function_times_order *)context) {
	case FUNCTION_TIMES_TOTAL:
		order = descending((double)a->total_ns, (double)b->total_ns);
		break;
	case FUNCTION_TIMES_AVERAGE:
		order = descending((double)a->total_ns / (double)a->count,
				   (double)b->total_ns / (double)b->count);
		break;
	case FUNCTION_TIMES_MAXIMUM:
		order = descending((double)a->max_ns, (double)b->max_ns);
		break;
	case FUNCTION_TIMES_COUNT:
		order = descending((double)a->count, (double)b->count);
		break;
	case FUNCTION_TIMES_NAME:
		break;
	}
	return order ? order : by_name(a, b);
}

void function_times_sort(struct function_times *times, enum function_times_order order)
{
	if (times->item.count)
		qsort_r(times->item.item, times->item.count, sizeof(*times->item.item), compare,
			&order);
}

void function_times_done(struct function_times *times)
{
	strtab_free(times->strings);
	map_done(&times->by_name);
	vec_done(&times->item);
}

/* Bucket 0 is below one unit, i is [2^(i-1), 2^i); of steps: below the minimum, then one each. The
 * last has all the rest. */
void latency_counts_add(struct latency_counts *counts, uint64_t ns)
{
	uint64_t value = ns / counts->unit_ns;
	size_t i = 0;

	if (!counts->step)
		i = value ? 64 - (size_t)__builtin_clzll(value) : 0;
	else if (value >= counts->maximum)
		i = LATENCY_BUCKETS - 1;
	else if (value >= counts->minimum)
		i = (value - counts->minimum) / counts->step + 1;
	if (i >= LATENCY_BUCKETS)
		i = LATENCY_BUCKETS - 1;
	counts->bucket[i]++;
	counts->total_ns += ns;
	if (!counts->count++ || ns < counts->min_ns)
		counts->min_ns = ns;
	if (ns > counts->max_ns)
		counts->max_ns = ns;
}

uint64_t latency_counts_start(const struct latency_counts *counts, size_t bucket)
{
	if (!bucket)
		return 0;
	if (!counts->step)
		return (uint64_t)1 << (bucket - 1);
	if (bucket == LATENCY_BUCKETS - 1)
		return counts->maximum;
	return counts->minimum + (bucket - 1) * counts->step;
}
