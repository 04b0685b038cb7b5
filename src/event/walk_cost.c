/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and quantiles of walk costs (see walk_cost.h). */
#include "event/walk_cost.h"

#include <string.h>

#define LINEAR	   16 /* buckets of 1 ns */
#define LOG2_FIRST 4  /* 1 << 4 ns begin the first finer power of two */
#define PER_POWER  4

const struct walk_count walk_counts[] = {
#define WALK_COUNT_ROW(id, text) { #id, text, offsetof(struct walk_cost, id) },
	WALK_COUNTS(WALK_COUNT_ROW)
#undef WALK_COUNT_ROW
		{ NULL, NULL, 0 },
};

static uint64_t *place_of(struct walk_cost *cost, const struct walk_count *count)
{
	return (uint64_t *)(void *)((char *)cost + count->offset);
}

uint64_t walk_count_get(const struct walk_cost *cost, const struct walk_count *count)
{
	uint64_t value;

	memcpy(&value, (const char *)cost + count->offset, sizeof(value));
	return value;
}

bool walk_count_set(struct walk_cost *cost, const char *name, uint64_t value)
{
	for (const struct walk_count *count = walk_counts; count->name; count++)
		if (strcmp(count->name, name) == 0) {
			*place_of(cost, count) = value;
			return true;
		}
	return false;
}

void walk_cost_add(struct walk_cost *cost, const struct walk_cost *other)
{
	for (const struct walk_count *count = walk_counts; count->name; count++)
		*place_of(cost, count) += walk_count_get(other, count);
	for (size_t i = 0; i < WALK_COST_BUCKETS; i++)
		cost->by_time[i] += other->by_time[i];
}

bool walk_cost_any(const struct walk_cost *cost)
{
	return cost->walked || cost->handed_up || cost->handed_up_refused || cost->reused ||
	       cost->believed;
}

uint64_t walk_cost_bucket_ns(size_t bucket)
{
	size_t above = bucket - LINEAR, power = LOG2_FIRST + above / PER_POWER;

	if (bucket < LINEAR)
		return bucket;
	return power < 64 ? (uint64_t)(PER_POWER + above % PER_POWER) << (power - 2) : UINT64_MAX;
}

uint64_t walk_cost_quantile_ns(const struct walk_cost *cost, unsigned per_mille)
{
	uint64_t total = 0, seen = 0;

	for (size_t i = 0; i < WALK_COST_BUCKETS; i++)
		total += cost->by_time[i];
	if (!total)
		return 0;
	for (size_t i = 0; i < WALK_COST_BUCKETS; i++) {
		seen += cost->by_time[i];
		if ((double)seen * 1000 >= (double)total * per_mille)
			return walk_cost_bucket_ns(i + 1) - 1;
	}
	return UINT64_MAX;
}
