/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forgetting map of cache.h: grows when half full, up to 4 MiB. */
#include "base/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define FIRST_SETS ((size_t)1 << 6)
#define MOST_SETS  ((size_t)1 << 16)
#define GROWTH	   4

/* Replaces the oldest slot of the set. If the key is in it already, lookups find the newest
 * slot. */
static void put(struct cache *cache, uint64_t key, uint32_t value)
{
	struct cache_set *set = cache_set(cache, key);

	cache->used += !set->key[CACHE_WAYS - 1];
	memmove(set->key + 1, set->key, sizeof(set->key) - sizeof(set->key[0]));
	memmove(set->value + 1, set->value, sizeof(set->value) - sizeof(set->value[0]));
	set->key[0] = key;
	set->value[0] = value;
}

static void grow(struct cache *cache)
{
	struct cache old = *cache;

	cache->used = 0;
	cache->sets = old.sets ? old.sets * GROWTH : FIRST_SETS;
	cache->set = mem_table(cache->sets * sizeof(*cache->set));
	for (size_t i = 0; i < old.sets; i++)
		for (size_t way = CACHE_WAYS; way-- > 0;)
			if (old.set[i].key[way])
				put(cache, old.set[i].key[way], old.set[i].value[way]);
	free(old.set);
}

void cache_put(struct cache *cache, uint64_t key, uint32_t value)
{
	if (cache->used * 2 >= cache->sets * CACHE_WAYS && cache->sets < MOST_SETS)
		grow(cache);
	put(cache, key, value);
}

void cache_done(struct cache *cache)
{
	free(cache->set);
	*cache = (struct cache){ 0 };
}
