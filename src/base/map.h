/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash map from u64 to u64 (an id, an index or a pointer), open addressing. All keys are allowed.
 * Not thread-safe; concurrent map_get() is fine without a writer. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot *slot;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

struct map_slot {
	uint64_t key, value;
	bool used;
};

/* Mixes a key so that its low bits are usable as a table index. */
static inline uint64_t hash_u64(uint64_t key)
{
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93u;
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93u;
	return key ^ (key >> 32);
}

/* Before several look-ups, so that their cache misses overlap. */
static inline void map_prefetch(const struct map *map, uint64_t key)
{
	if (map->capacity)
		__builtin_prefetch(&map->slot[hash_u64(key) & (map->capacity - 1)]);
}

/* Hash of bytes (XXH3). */
uint64_t hash_bytes(const void *data, size_t len);

bool map_get(const struct map *map, uint64_t key, uint64_t *ret);
/* The value's place, with *added telling whether it is new (then zero). Valid until the next add.
 */
uint64_t *map_add(struct map *map, uint64_t key, bool *added);
void map_set(struct map *map, uint64_t key, uint64_t value);
/* A key that is not there is fine. Moves others: places of map_add() are no longer valid. */
void map_remove(struct map *map, uint64_t key);
void map_done(struct map *map);

#endif
