/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lossy cache from u64 keys (well-mixed hashes) to u32. Each key has a few slots in one cache
 * line, and a new key replaces the oldest, so memory is bounded and a lookup costs one cache miss.
 * The key 0 is never stored. Zero-initialise. Not thread-safe. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_WAYS 5 /* places of a key; this many fill a cache line */

struct cache {
	struct cache_set {
		uint64_t key[CACHE_WAYS]; /* the newest first; 0 = free */
		uint32_t value[CACHE_WAYS], unused;
	} * set;
	size_t sets, used; /* sets is 0 or a power of two; used are places */
};

static inline struct cache_set *cache_set(const struct cache *cache, uint64_t key)
{
	return &cache->set[key & (cache->sets - 1)];
}

/* Compares all slots: the CPU cannot predict which one matches. */
static inline bool cache_get(const struct cache *cache, uint64_t key, uint32_t *ret)
{
	const struct cache_set *set;
	unsigned found = 0;

	if (!cache->sets)
		return false;
	set = cache_set(cache, key);
	for (unsigned i = 0; i < CACHE_WAYS; i++)
		found |= (unsigned)(set->key[i] == key) << i;
	if (!found || !key)
		return false;
	*ret = set->value[__builtin_ctz(found)];
	return true;
}

/* Prefetches the slots of a key: most of the cost of a lookup is its cache miss. */
static inline void cache_prefetch(const struct cache *cache, uint64_t key)
{
	if (cache->sets)
		__builtin_prefetch(cache_set(cache, key));
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value);
void cache_done(struct cache *cache);

#endif
