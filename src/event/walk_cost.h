/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What walking user stacks in the kernel cost while a recording was made: counted by the recorder,
 * kept in the file, shown by reports. */
#ifndef EVENT_WALK_COST_H
#define EVENT_WALK_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts: field (its name in files and JSON) and plain text. */
#define WALK_COUNTS(X)                                                                     \
	X(walked, "user stacks walked in the kernel")                                      \
	X(handed_up, "handed up as registers and stack bytes")                             \
	X(handed_up_refused, "not handed up: too many at a time")                          \
	X(replaced, "met a library that took the place of another")                        \
	X(reused, "waits where the thread stood before, by its registers and stack words") \
	X(believed, "waits believed to be there, by registers, within 50 us of another")   \
	X(cache_hits, "rules found in the cache")                                          \
	X(cache_misses, "rules looked up in tables")                                       \
	X(ring_bytes, "bytes from kernel to user space")                                   \
	X(table_bytes, "bytes of unwind tables in the kernel at the end")                  \
	X(tables_built, "tables made from binaries")                                       \
	X(tables_read, "tables read from the cache on disk")                               \
	X(table_build_ns, "CPU time that made them, in ns")                                \
	X(rate_asked, "samples a second that were asked for; 0 = they were taken")         \
	X(rate_lowest, "samples a second at the least")                                    \
	X(rate_changes, "changes of the rate, to keep to the budget of sampling")

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
/* False when there is no count of that name. */
bool walk_count_set(struct walk_cost *cost, const char *name, uint64_t value);
/* Adds what another walker did. */
void walk_cost_add(struct walk_cost *cost, const struct walk_cost *other);
/* Whether anything was walked or handed up. */
bool walk_cost_any(const struct walk_cost *cost);
/* The shortest time that belongs to a bucket. */
uint64_t walk_cost_bucket_ns(size_t bucket);
/* The time that so many in a thousand walks did not exceed (the end of its bucket); 0 without
 * walks. */
uint64_t walk_cost_quantile_ns(const struct walk_cost *cost, unsigned per_mille);

#endif
