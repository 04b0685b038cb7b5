/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forgetting map of cache.h: doubles when half full, up to 4 MiB. */
#include "base/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define FIRST_ENTRIES ((size_t)1 << 9)
#define MOST_ENTRIES  ((size_t)1 << 18)

/* The set's oldest goes, unless the key is there. */
static void put(struct cache *cache, struct cache_entry entry)
{
	struct cache_entry *set = cache_set(cache, entry.key);
	size_t place = 0;

	while (place + 1 < CACHE_WAYS && set[place].used && set[place].key != entry.key)
		place++;
	cache->used += !set[place].used;
	memmove(set + 1, set, place * sizeof(*set));
	set[0] = entry;
}

static void grow(struct cache *cache)
{
	struct cache old = *cache;

	cache->used = 0;
	cache->capacity = old.capacity ? old.capacity * 2 : FIRST_ENTRIES;
	cache->entry = mem_table(cache->capacity * sizeof(*cache->entry));
	for (size_t i = old.capacity; i-- > 0;)
		if (old.entry[i].used)
			put(cache, old.entry[i]);
	free(old.entry);
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value)
{
	if (cache->used * 2 >= cache->capacity && cache->capacity < MOST_ENTRIES)
		grow(cache);
	put(cache, (struct cache_entry){ .key = key, .value = value, .used = true });
}

void cache_done(struct cache *cache)
{
	free(cache->entry);
	*cache = (struct cache){ 0 };
}
