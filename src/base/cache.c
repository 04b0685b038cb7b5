/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forgetting map of cache.h: grows well before it is full, because a key has only one place; up
 * to 4 MiB. */
#include "base/cache.h"

#include <stdlib.h>

#include "base/arena.h"

#define FIRST_ENTRIES ((size_t)1 << 9)
#define MOST_ENTRIES  ((size_t)1 << 18)

static void grow(struct cache *cache)
{
	struct cache old = *cache;

	cache->capacity = old.capacity ? old.capacity * 2 : FIRST_ENTRIES;
	cache->entry = mem_zalloc(cache->capacity * sizeof(*cache->entry));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.entry[i].used)
			cache->entry[old.entry[i].key & (cache->capacity - 1)] = old.entry[i];
	free(old.entry);
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value)
{
	struct cache_entry *entry;

	if (cache->used * 8 >= cache->capacity && cache->capacity < MOST_ENTRIES)
		grow(cache);
	entry = &cache->entry[key & (cache->capacity - 1)];
	cache->used += !entry->used;
	*entry = (struct cache_entry){ .key = key, .value = value, .used = true };
}

void cache_done(struct cache *cache)
{
	free(cache->entry);
	*cache = (struct cache){ 0 };
}
