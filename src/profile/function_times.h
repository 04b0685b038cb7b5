/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often functions were called and how long that took: sums by name, and the distribution of
 * single times. */
#ifndef PROFILE_FUNCTION_TIMES_H
#define PROFILE_FUNCTION_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

enum function_times_order {
	FUNCTION_TIMES_TOTAL,
	FUNCTION_TIMES_AVERAGE,
	FUNCTION_TIMES_MAXIMUM,
	FUNCTION_TIMES_COUNT,
	FUNCTION_TIMES_NAME,
};

struct function_time {
	const char *name; /* of the strings */
	uint64_t count, total_ns, max_ns;
};

struct function_times {
	struct strtab *strings;
	struct map by_name;
	VEC(struct function_time) item;
	uint64_t lost; /* events that found no room */
};

void function_times_init(struct function_times *times);
void function_times_add(struct function_times *times, const char *name, size_t len, uint64_t ns);
/* The largest first, names in order of the alphabet. Nothing can be added after it. */
void function_times_sort(struct function_times *times, enum function_times_order order);
void function_times_done(struct function_times *times);

#define LATENCY_BUCKETS 22

/* Powers of two of the unit, or steps of one size. */
struct latency_counts {
	uint64_t unit_ns;		 /* 1 or 1000 */
	uint64_t step, minimum, maximum; /* in units; step 0 = powers of two */
	uint64_t bucket[LATENCY_BUCKETS];
	uint64_t count, total_ns, min_ns, max_ns;
	uint64_t lost;
};

void latency_counts_add(struct latency_counts *counts, uint64_t ns);
/* The first value of a bucket, in units. The last one has no end. */
uint64_t latency_counts_start(const struct latency_counts *counts, size_t bucket);

#endif
