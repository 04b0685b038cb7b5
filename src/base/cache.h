/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was looked up lately: u64 keys (hashes, already mixed) → u32. It forgets: a key has a few
 * places, in one cache line, and the newest takes that of the oldest, so memory is bounded and a
 * lookup waits for memory once. The key 0 is never remembered. Zero-initialise. Not thread-safe. */
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

/* All places are looked at in any case: which one it is cannot be foretold. */
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

/* Has the key's places fetched meanwhile: most of a lookup is waiting for memory. */
static inline void cache_prefetch(const struct cache *cache, uint64_t key)
{
	if (cache->sets)
		__builtin_prefetch(cache_set(cache, key));
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value);
void cache_done(struct cache *cache);

#endif
