/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash map of map.h: linear probing, at most 5/8 full. */
#include "base/map.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"

uint64_t hash_bytes(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}

static struct map_slot *find_slot(const struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t i = hash_u64(key) & mask;

	while (map->slot[i].used && map->slot[i].key != key)
		i = (i + 1) & mask;
	return &map->slot[i];
}

static void grow(struct map *map)
{
	struct map old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : 16;
	map->slot = mem_table(map->capacity * sizeof(*map->slot));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slot[i].used)
			*find_slot(map, old.slot[i].key) = old.slot[i];
	free(old.slot);
}

bool map_get(const struct map *map, uint64_t key, uint64_t *ret)
{
	const struct map_slot *slot;

	if (!map->capacity)
		return false;
	slot = find_slot(map, key);
	if (!slot->used)
		return false;
	*ret = slot->value;
	return true;
}

uint64_t *map_add(struct map *map, uint64_t key, bool *added)
{
	struct map_slot *slot;

	if ((map->count + 1) * 8 > map->capacity * 5)
		grow(map);
	slot = find_slot(map, key);
	*added = !slot->used;
	if (*added) {
		*slot = (struct map_slot){ .key = key, .used = true };
		map->count++;
	}
	return &slot->value;
}

void map_set(struct map *map, uint64_t key, uint64_t value)
{
	bool added;

	*map_add(map, key, &added) = value;
}

/* Those that follow without a gap move up, unless that would be before the slot of their hash. */
void map_remove(struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1, gap;
	struct map_slot *slot;

	if (!map->capacity)
		return;
	slot = find_slot(map, key);
	if (!slot->used)
		return;
	gap = (size_t)(slot - map->slot);
	for (size_t i = (gap + 1) & mask; map->slot[i].used; i = (i + 1) & mask) {
		size_t home = hash_u64(map->slot[i].key) & mask;

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		map->slot[gap] = map->slot[i];
		gap = i;
	}
	map->slot[gap].used = false;
	map->count--;
}

void map_done(struct map *map)
{
	free(map->slot);
	*map = (struct map){ 0 };
}
