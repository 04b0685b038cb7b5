/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_cold.h. A page that is looked at counts for the bytes that a block has in it. */
#include "profile/heap/heap_cold.h"

#include <stdlib.h>

#include "base/map.h"

#define MOST_BYTES 1e18 /* of a block: addresses are less */

/* A sampled block. */
struct block {
	uint64_t start, end;
	double weight; /* blocks that it stands for */
};

static uint64_t common(const struct block *block, uint64_t start, uint64_t end)
{
	start = start > block->start ? start : block->start;
	end = end < block->end ? end : block->end;
	return end > start ? end - start : 0;
}

/* The first that ends behind the address. */
static size_t first_range(const struct heap_cold_pages *pages, uint64_t address)
{
	size_t low = 0, high = pages->resident.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pages->resident.item[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t first_page(const struct heap_cold_pages *pages, uint64_t address)
{
	size_t low = 0, high = pages->page.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pages->page.item[middle].address + pages->page_bytes <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_block(const struct heap_cold_pages *pages, const struct block *block,
		      struct heap_cold_row *row)
{
	row->blocks++;
	row->live += block->weight * (double)(block->end - block->start);
	for (size_t i = first_range(pages, block->start);
	     i < pages->resident.count && pages->resident.item[i].start < block->end; i++)
		row->resident += block->weight * (double)common(block,
								pages->resident.item[i].start,
								pages->resident.item[i].end);
	for (size_t i = first_page(pages, block->start);
	     i < pages->page.count && pages->page.item[i].address < block->end; i++) {
		const struct heap_cold_page *page = &pages->page.item[i];
		double bytes = block->weight * (double)common(block, page->address,
							      page->address + pages->page_bytes);

		row->looked += bytes;
		row->cold += page->touched ? 0 : bytes;
	}
}

double heap_cold_bytes(const struct heap_cold_row *row)
{
	return row->looked > 0 ? row->resident * (row->cold / row->looked) : -1;
}

static int colder(const void *a, const void *b)
{
	const struct heap_cold_row *x = a, *y = b;
	double of_x = heap_cold_bytes(x), of_y = heap_cold_bytes(y);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

static void add_sum(struct heap_cold_table *table)
{
	for (size_t i = 0; i < table->row.count; i++) {
		const struct heap_cold_row *row = &table->row.item[i];

		table->sum.blocks += row->blocks;
		table->sum.live += row->live;
		table->sum.resident += row->resident;
		table->sum.looked += row->looked;
		table->sum.cold += row->cold;
	}
}

/* Of its process, at some moment of the interval. */
static bool was_there(const struct heap_lives *lives, const struct heap_life *life,
		      const struct heap_cold_pages *pages)
{
	return lives->process.item[life->process].pid == pages->pid && life->address &&
	       life->size >= 0 && life->size < MOST_BYTES && life->begin_ns <= pages->end_ns &&
	       (!life->end_ns || life->end_ns >= pages->begin_ns);
}

void heap_cold_collect(const struct heap_lives *lives, const struct heap_cold_pages *pages,
		       struct heap_cold_table *ret)
{
	struct map by_stack = { 0 };

	*ret = (struct heap_cold_table){ 0 };
	for (size_t i = 0; i < lives->life.count; i++) {
		const struct heap_life *life = &lives->life.item[i];
		struct block block = { life->address, life->address + (uint64_t)life->size,
				       life->blocks };
		uint64_t *place;
		bool added;

		if (!was_there(lives, life, pages) || block.end < block.start)
			continue;
		if (life->begin_ns > pages->begin_ns ||
		    (life->end_ns && life->end_ns < pages->end_ns)) {
			ret->others += life->size * life->blocks;
			continue;
		}
		place = map_add(&by_stack, (uint64_t)life->stack.v << 8 | life->stop, &added);
		if (added) {
			*place = ret->row.count;
			vec_push(&ret->row, ((struct heap_cold_row){ .stack = life->stack,
								     .stop = life->stop }));
		}
		add_block(pages, &block, &ret->row.item[*place]);
	}
	map_done(&by_stack);
	add_sum(ret);
	if (ret->row.count)
		qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), colder);
}

void heap_cold_done(struct heap_cold_table *table)
{
	vec_done(&table->row);
}

void heap_cold_pages_done(struct heap_cold_pages *pages)
{
	vec_done(&pages->page);
	vec_done(&pages->resident);
}
