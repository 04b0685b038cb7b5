/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of memory that another profiler in the program has picked: samples of its static probes
 * otel_memory:alloc (address, size, bytes that the block stands for) and otel_memory:free
 * (address), as blocks of heap.h. */
#ifndef PROFILE_HEAP_PRODUCER_H
#define PROFILE_HEAP_PRODUCER_H

struct heap_summary;
struct profile;

/* Of samples, in profile->values. */
enum heap_producer_value {
	HEAP_PRODUCER_ADDRESS,
	HEAP_PRODUCER_SIZE,
	HEAP_PRODUCER_WEIGHT,
};

/* The profile has PROFILE_KEEP_TIME and PROFILE_ADDR_IS_VALUES. Its samples become those of
 * heap_sum_up(), with whole stacks. Others than these are left out. ret->rate is at most what the
 * producer's is: the least that a sample stands for. */
void heap_producer_sum_up(struct profile *profile, struct heap_summary *ret);

#endif
