/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays of items that start with their uint64_t address: sorting and searching them. qsort() of
 * a symbol table takes longer than reading it, and bisecting misses the cache at every step. So
 * the sort is linear, and an index over slices of the address range narrows the search. */
#ifndef SYMBOL_ADDRESS_TABLE_H
#define SYMBOL_ADDRESS_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct address_index {
	uint64_t base;	 /* first address */
	unsigned shift;	 /* slice = (address - base) >> shift */
	size_t slices;	 /* 0 = empty table */
	uint32_t *first; /* of every slice: the first item in it or after it */
};

/* Stable, in place; count < 2^32. */
void address_sort(void *item, size_t count, size_t item_bytes);

/* Of sorted items, which then must not move. */
void address_index_build(struct address_index *index, const void *item, size_t count,
			 size_t item_bytes);
void address_index_done(struct address_index *index);

#define ADDRESS_NONE SIZE_MAX

/* The first of the items from `low` to `high` behind the address, or `high`. */
static inline size_t address_bisect(const void *item, size_t item_bytes, size_t low, size_t high,
				    uint64_t address)
{
	const unsigned char *bytes = item;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)(const void *)(bytes + middle * item_bytes) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Index of the last item at or before the address, or ADDRESS_NONE. */
static inline size_t address_index_find(const struct address_index *index, const void *item,
					size_t item_bytes, uint64_t address)
{
	uint64_t slice = (address - index->base) >> index->shift;

	if (index->slices == 0 || address < index->base)
		return ADDRESS_NONE;
	if (slice >= index->slices)
		return (size_t)index->first[index->slices] - 1;
	return address_bisect(item, item_bytes, index->first[slice], index->first[slice + 1],
			      address) -
	       1;
}

#endif
