/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the libraries that stand before an allocator: which blocks are sampled. Bytes are
 * picked at exponential distances, as a Poisson process: a block is sampled if one of its bytes is
 * picked. An allocation costs a countdown; a free, a look into a table that is nearly always empty
 * there. It never allocates, locks, writes or calls the system. */
#ifndef HEAP_SAMPLER_H
#define HEAP_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define HEAP_FILTER_BITS   16
#define HEAP_FILTER_STICKY 255 /* a count that stays */

enum heap_state { HEAP_STATE_UNKNOWN, HEAP_STATE_OFF, HEAP_STATE_SAMPLING, HEAP_STATE_EXACT };

struct heap_sampler {
	int state; /* written after the others */
	double rate;
	uint64_t token;
};
extern struct heap_sampler heap_sampler;

/* How many sampled blocks there are in a place of the table. */
extern uint8_t heap_filter[1u << HEAP_FILTER_BITS];

/* Of a thread. */
struct heap_thread {
	int64_t left; /* bytes until the next one is picked; 0 at first */
	uint64_t random;
	uint64_t was; /* of the next block, which realloc() made: see HEAP_GROWN; 0 = unknown */
};

/* The includer's: settles what is HEAP_STATE_UNKNOWN, and gives a thread a random number. */
void heap_settle(void);
void heap_seed(struct heap_thread *thread);

/* rate: bytes from sample to sample on average, 0 = every block. */
void heap_sampler_begin(uint64_t rate, uint64_t token);

static inline uint32_t heap_hash(const void *block, unsigned bits)
{
	return (uint32_t)(((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15ULL >> (64 - bits));
}

/* The countdown is over. */
void heap_count_down(struct heap_thread *thread, void *block, size_t size);
/* A block that may be sampled is about to be freed. True: it was. */
bool heap_forget(void *block);
/* realloc() failed, and the block that was forgotten is still there. */
void heap_keep(void *block);

/* Whether a block of that size may be sampled next. */
static inline bool heap_is_due(const struct heap_thread *thread, size_t size)
{
	return UNLIKELY(thread->left < (int64_t)size);
}

/* At most PTRDIFF_MAX bytes, or there would be no block. A thread starts with nothing left, so that
 * the first block of it that has a size gets to heap_count_down(); with `exact` all blocks do. */
static inline void *heap_take(struct heap_thread *thread, void *block, size_t size)
{
	if (UNLIKELY(!block))
		return block;
	thread->left -= (int64_t)size;
	if (UNLIKELY(thread->left < 0 || (!size && !thread->left)))
		heap_count_down(thread, block, size);
	return block;
}

static inline bool heap_may_be_sampled(const void *block)
{
	return block &&
	       __atomic_load_n(&heap_filter[heap_hash(block, HEAP_FILTER_BITS)], __ATOMIC_RELAXED);
}

#endif
