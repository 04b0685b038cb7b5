/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was looked up lately: u64 keys (hashes, already mixed) → u32. It forgets: a key takes the
 * place of an older one with the same low bits, so memory is bounded and a lookup touches one
 * place. Zero-initialise. Not thread-safe. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache {
	struct cache_entry {
		uint64_t key;
		uint32_t value;
		bool used;
	} * entry;
	size_t capacity, used; /* capacity is 0 or a power of two */
};

static inline bool cache_get(const struct cache *cache, uint64_t key, uint32_t *ret)
{
	const struct cache_entry *entry;

	if (!cache->capacity)
		return false;
	entry = &cache->entry[key & (cache->capacity - 1)];
	if (entry->key != key || !entry->used)
		return false;
	*ret = entry->value;
	return true;
}

/* Has the key's place fetched meanwhile: most of a lookup is waiting for memory. */
static inline void cache_prefetch(const struct cache *cache, uint64_t key)
{
	if (cache->capacity)
		__builtin_prefetch(&cache->entry[key & (cache->capacity - 1)]);
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value);
void cache_done(struct cache *cache);

#endif
