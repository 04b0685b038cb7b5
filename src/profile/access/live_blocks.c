/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live blocks (see live_blocks.h): a block is registered in each of the 4 KiB pages that it is in,
 * or, if it is larger than a few, in each of its megabytes. */
#include "profile/access/live_blocks.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#define SMALL_SHIFT 12
#define LARGE_SHIFT 20
#define LARGE_BYTES (16u << SMALL_SHIFT)
#define MAX_CELLS   (1u << 20) /* of one block: a terabyte */

/* A list of the blocks of a cell. */
struct link {
	uint32_t block, next; /* indexes + 1; 0 = none */
};

struct live_blocks {
	VEC(struct live_block) item; /* size 0: gone */
	VEC(struct link) link;
	struct map at_start;	 /* start → index + 1 */
	struct map small, large; /* cell → index of its first link + 1 */
};

struct live_blocks *live_blocks_new(void)
{
	return mem_zalloc(sizeof(struct live_blocks));
}

void live_blocks_free(struct live_blocks *blocks)
{
	if (!blocks)
		return;
	vec_done(&blocks->item);
	vec_done(&blocks->link);
	map_done(&blocks->at_start);
	map_done(&blocks->small);
	map_done(&blocks->large);
	free(blocks);
}

static void put(struct live_blocks *blocks, struct map *map, uint64_t cell, uint32_t block)
{
	bool added;
	uint64_t *first = map_add(map, cell, &added), at = *first;

	while (at) { /* the place of one that is gone */
		struct link *link = &blocks->link.item[at - 1];

		if (!blocks->item.item[link->block - 1].size) {
			link->block = block;
			return;
		}
		at = link->next;
	}
	vec_push(&blocks->link, ((struct link){ block, (uint32_t)*first }));
	*first = blocks->link.count;
}

void live_blocks_add(struct live_blocks *blocks, const struct live_block *block)
{
	bool large = block->size >= LARGE_BYTES;
	unsigned shift = large ? LARGE_SHIFT : SMALL_SHIFT;
	uint64_t first = block->start >> shift, last;

	if (!block->start || !block->size || block->start + block->size < block->start)
		return;
	last = (block->start + block->size - 1) >> shift;
	live_blocks_remove(blocks, block->start);
	vec_push(&blocks->item, *block);
	map_set(&blocks->at_start, block->start, blocks->item.count);
	for (uint64_t cell = first; cell <= last && cell - first < MAX_CELLS; cell++)
		put(blocks, large ? &blocks->large : &blocks->small, cell,
		    (uint32_t)blocks->item.count);
}

void live_blocks_remove(struct live_blocks *blocks, uint64_t start)
{
	uint64_t index;

	if (!map_get(&blocks->at_start, start, &index) || !index)
		return;
	blocks->item.item[index - 1].size = 0;
	map_set(&blocks->at_start, start, 0);
}

static bool find_in(const struct live_blocks *blocks, const struct map *map, uint64_t cell,
		    uint64_t address, struct live_block *ret)
{
	uint64_t at;

	if (!map_get(map, cell, &at))
		return false;
	while (at) {
		const struct link *link = &blocks->link.item[at - 1];
		const struct live_block *block = &blocks->item.item[link->block - 1];

		if (block->size && address - block->start < block->size) {
			*ret = *block;
			return true;
		}
		at = link->next;
	}
	return false;
}

bool live_blocks_find(const struct live_blocks *blocks, uint64_t address, struct live_block *ret)
{
	return find_in(blocks, &blocks->small, address >> SMALL_SHIFT, address, ret) ||
	       find_in(blocks, &blocks->large, address >> LARGE_SHIFT, address, ret);
}
