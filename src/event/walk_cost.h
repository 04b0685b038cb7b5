/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of unwinding user stacks in the kernel during a recording: counted by the recorder,
 * stored in the file, shown by reports. */
#ifndef EVENT_WALK_COST_H
#define EVENT_WALK_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts: field (its name in files and JSON) and plain text. */
#define WALK_COUNTS(X)                                                         \
	X(walked, "user stacks unwound in the kernel")                         \
	X(handed_up, "sent to user space as registers and stack bytes")        \
	X(handed_up_refused, "not sent to user space: too many at once")       \
	X(replaced, "through a mapping that replaced another")                 \
	X(reused, "waits with a reused stack: same registers and stack words") \
	X(believed, "waits with a reused stack: same registers, within 50 us") \
	X(cache_hits, "unwind rules found in the cache")                       \
	X(cache_misses, "unwind rules looked up in tables")                    \
	X(ring_bytes, "bytes from kernel to user space")                       \
	X(table_bytes, "bytes of unwind tables in the kernel at the end")      \
	X(tables_built, "tables built from binaries")                          \
	X(tables_read, "tables read from the cache on disk")                   \
	X(table_build_ns, "CPU time to build them, in ns")                     \
	X(rate_asked, "requested samples per second; 0: taken at that rate")   \
	X(rate_lowest, "lowest samples per second")                            \
	X(rate_changes, "rate changes to stay within the sampling budget")

#define WALK_COST_BUCKETS 256

struct walk_cost {
#define WALK_COUNT_FIELD(id, text) uint64_t id;
	WALK_COUNTS(WALK_COUNT_FIELD)
#undef WALK_COUNT_FIELD
	/* Walks by their time: bucket b < 16 is b ns; above, four for each power of two. */
	uint64_t by_time[WALK_COST_BUCKETS];
};

struct walk_count {
	const char *name, *text;
	size_t offset; /* in struct walk_cost, of a uint64_t */
};

extern const struct walk_count walk_counts[]; /* ends with a NULL name */

uint64_t walk_count_get(const struct walk_cost *cost, const struct walk_count *count);
/* Returns false if there is no count of that name. */
bool walk_count_set(struct walk_cost *cost, const char *name, uint64_t value);
/* Adds the counts of another walker. */
void walk_cost_add(struct walk_cost *cost, const struct walk_cost *other);
/* True if a stack was unwound or sent to user space. */
bool walk_cost_any(const struct walk_cost *cost);
/* The shortest time of a bucket, in ns. */
uint64_t walk_cost_bucket_ns(size_t bucket);
/* The per_mille quantile of the times, as the end of its bucket; 0 without walks. */
uint64_t walk_cost_quantile_ns(const struct walk_cost *cost, unsigned per_mille);

#endif
