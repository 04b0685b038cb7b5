/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting and indexing by address (see address_table.h). The sort is a least-significant-digit
 * radix sort of (address, index) pairs, then one move of the items. */
#include "symbol/address_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define DIGIT_BITS 11
#define DIGITS	   (1u << DIGIT_BITS)

struct pair {
	uint64_t key;
	uint32_t index;
};

static void sort_digit(const struct pair *from, struct pair *to, size_t count, unsigned shift)
{
	uint32_t place[DIGITS + 1] = { 0 };

	for (size_t i = 0; i < count; i++)
		place[(from[i].key >> shift & (DIGITS - 1)) + 1]++;
	for (size_t i = 1; i < DIGITS; i++)
		place[i] += place[i - 1];
	for (size_t i = 0; i < count; i++)
		to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static uint64_t address_of(const uint8_t *item)
{
	uint64_t address;

	memcpy(&address, item, sizeof(address));
	return address;
}

static void move_items(uint8_t *item, const struct pair *order, size_t count, size_t item_bytes)
{
	uint8_t *moved = mem_alloc(count * item_bytes);

	for (size_t i = 0; i < count; i++)
		memcpy(moved + i * item_bytes, item + order[i].index * item_bytes, item_bytes);
	memcpy(item, moved, count * item_bytes);
	free(moved);
}

void address_sort(void *item, size_t count, size_t item_bytes)
{
	const uint8_t *bytes = item;
	uint64_t low = UINT64_MAX, high = 0, previous = 0;
	struct pair *from, *to;
	bool sorted = true;

	for (size_t i = 0; i < count; i++) {
		uint64_t key = address_of(bytes + i * item_bytes);

		sorted = sorted && key >= previous;
		previous = key;
		low = key < low ? key : low;
		high = key > high ? key : high;
	}
	if (sorted)
		return;
	from = mem_alloc(count * sizeof(*from));
	to = mem_alloc(count * sizeof(*to));
	for (size_t i = 0; i < count; i++)
		from[i] = (struct pair){ address_of(bytes + i * item_bytes) - low, (uint32_t)i };
	for (unsigned shift = 0; shift < 64 && (high - low) >> shift; shift += DIGIT_BITS) {
		struct pair *swap = from;

		sort_digit(from, to, count, shift);
		from = to;
		to = swap;
	}
	move_items(item, from, count, item_bytes);
	free(from);
	free(to);
}

void address_index_build(struct address_index *index, const void *item, size_t count,
			 size_t item_bytes)
{
	const uint8_t *bytes = item;
	uint64_t range;
	size_t at = 0;

	*index = (struct address_index){ 0 };
	if (count == 0)
		return;
	index->base = address_of(bytes);
	range = address_of(bytes + (count - 1) * item_bytes) - index->base;
	/* About one slice for every item. */
	while (range >> index->shift >= count)
		index->shift++;
	index->slices = (size_t)(range >> index->shift) + 1;
	index->first = mem_alloc((index->slices + 1) * sizeof(*index->first));
	for (size_t i = 0; i < index->slices; i++) {
		while ((address_of(bytes + at * item_bytes) - index->base) >> index->shift < i)
			at++;
		index->first[i] = (uint32_t)at;
	}
	index->first[index->slices] = (uint32_t)count;
}

void address_index_done(struct address_index *index)
{
	free(index->first);
	*index = (struct address_index){ 0 };
}
