/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/block_cycles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *line_of(struct block_cycles *blocks, const struct block_place *place)
{
	const char *slash = place->file ? strrchr(place->file, '/') : NULL;
	char text[256];

	if (!place->file || !place->line)
		return NULL;
	(void)snprintf(text, sizeof(text), "%s:%u", slash ? slash + 1 : place->file, place->line);
	return arena_strdup(&blocks->arena, text);
}

static struct block_row *row_of(struct block_cycles *blocks, const struct block_place *end)
{
	uint64_t key = hash_u64((uint64_t)end->module_id << 32 | 1) ^ hash_u64(end->function + 2);
	bool added;
	uint64_t *at = map_add(&blocks->index, hash_u64(key ^ hash_u64(end->offset + 3)), &added);

	if (added) {
		*at = blocks->row.count;
		vec_push(&blocks->row,
			 ((struct block_row){ .symbol = arena_strdup(&blocks->arena, end->symbol),
					      .module = arena_strdup(&blocks->arena, end->module),
					      .line = { NULL, line_of(blocks, end) },
					      .end = end->offset }));
	}
	return &blocks->row.item[*at];
}

void block_cycles_add(struct block_cycles *blocks, const struct block_place *begin,
		      const struct block_place *end, uint64_t cycles)
{
	struct block_row *row = row_of(blocks, end);

	blocks->total += cycles;
	row->cycles += cycles;
	row->count++;
	if (!begin || begin->module_id != end->module_id || begin->function != end->function ||
	    begin->offset > end->offset || (row->has_start && row->start <= begin->offset))
		return;
	row->has_start = true;
	row->start = begin->offset;
	row->line[0] = line_of(blocks, begin);
}

void block_cycles_add_unnamed(struct block_cycles *blocks, uint64_t cycles)
{
	blocks->total += cycles;
	blocks->unnamed += cycles;
}

static int compare(const void *left, const void *right)
{
	const struct block_row *a = left, *b = right;

	if (a->cycles != b->cycles)
		return a->cycles < b->cycles ? 1 : -1;
	if (strcmp(a->symbol, b->symbol) != 0)
		return strcmp(a->symbol, b->symbol);
	return a->end < b->end ? -1 : a->end > b->end;
}

void block_cycles_sort(struct block_cycles *blocks)
{
	if (blocks->row.count)
		qsort(blocks->row.item, blocks->row.count, sizeof(struct block_row), compare);
	map_done(&blocks->index);
}

void block_cycles_done(struct block_cycles *blocks)
{
	vec_done(&blocks->row);
	map_done(&blocks->index);
	arena_done(&blocks->arena);
}
