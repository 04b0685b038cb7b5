/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was looked up lately: u64 keys (hashes, already mixed) → u32. It forgets: a key has a few
 * places, in one cache line, and the newest takes that of the oldest, so memory is bounded and a
 * lookup waits for memory once. Zero-initialise. Not thread-safe. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_WAYS 4 /* places of a key */

struct cache {
	struct cache_entry {
		uint64_t key;
		uint32_t value;
		bool used;
	} * entry;	       /* by sets of CACHE_WAYS, the newest first */
	size_t capacity, used; /* capacity is 0 or a power of two */
};

static inline struct cache_entry *cache_set(const struct cache *cache, uint64_t key)
{
	return &cache->entry[key * CACHE_WAYS & (cache->capacity - 1)];
}

static inline bool cache_get(const struct cache *cache, uint64_t key, uint32_t *ret)
{
	const struct cache_entry *set;

	if (!cache->capacity)
		return false;
	set = cache_set(cache, key);
	for (size_t i = 0; i < CACHE_WAYS; i++)
		if (set[i].key == key && set[i].used) {
			*ret = set[i].value;
			return true;
		}
	return false;
}

/* Has the key's places fetched meanwhile: most of a lookup is waiting for memory. */
static inline void cache_prefetch(const struct cache *cache, uint64_t key)
{
	if (cache->capacity)
		__builtin_prefetch(cache_set(cache, key));
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value);
void cache_done(struct cache *cache);

#endif
