/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorted disjoint ranges (see range_table.h). */
#include "symbol/range_table.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"
#include "symbol/address_table.h"

/* A range on its way through the sweep. */
struct claim {
	uint64_t start;
	struct range range;
	size_t order; /* higher wins */
};

/* A heap of the claims that reach past the current address, the strongest on top. */
struct claim_heap {
	const struct claim **item;
	size_t count, capacity;
};

struct sweep {
	struct range_table out;
	struct claim_heap heap;
};

void range_table_add(struct range_table *table, const struct range *range)
{
	vec_push(table, *range);
}

static void heap_push(struct claim_heap *heap, const struct claim *claim)
{
	size_t at = heap->count;

	vec_push(heap, claim);
	while (at && heap->item[(at - 1) / 2]->order < claim->order) {
		heap->item[at] = heap->item[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->item[at] = claim;
}

static void heap_pop(struct claim_heap *heap)
{
	const struct claim *last = heap->item[--heap->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    heap->item[child + 1]->order > heap->item[child]->order)
			child++;
		if (heap->item[child]->order <= last->order)
			break;
		heap->item[at] = heap->item[child];
		at = child;
	}
	if (heap->count)
		heap->item[at] = last;
}

/* Assigns [from, to) to its owners, piece by piece as claims end. */
static void emit(struct sweep *sweep, uint64_t from, uint64_t to)
{
	while (from < to && sweep->heap.count) {
		const struct range *top = &sweep->heap.item[0]->range;
		struct range piece = *top;

		if (top->end <= from) {
			heap_pop(&sweep->heap);
			continue;
		}
		piece.start = from;
		piece.end = top->end < to ? top->end : to;
		from = piece.end;
		if (sweep->out.count) {
			struct range *last = vec_last(&sweep->out);

			if (last->end == piece.start && last->name == piece.name) {
				last->end = piece.end;
				continue;
			}
		}
		vec_push(&sweep->out, piece);
	}
}

static bool has_overlaps(const struct range_table *table)
{
	for (size_t i = 1; i < table->count; i++)
		if (table->item[i].start < table->item[i - 1].end)
			return true;
	return false;
}

void range_table_settle(struct range_table *table)
{
	struct sweep sweep = { 0 };
	struct claim *claim;

	if (!has_overlaps(table))
		return;
	claim = mem_alloc(table->count * sizeof(*claim));
	for (size_t i = 0; i < table->count; i++)
		claim[i] = (struct claim){ table->item[i].start, table->item[i], i };
	address_sort(claim, table->count, sizeof(*claim));
	for (size_t i = 0; i < table->count; i++) {
		if (i)
			emit(&sweep, claim[i - 1].start, claim[i].start);
		heap_push(&sweep.heap, &claim[i]);
	}
	emit(&sweep, claim[table->count - 1].start, UINT64_MAX);
	free(claim);
	vec_done(&sweep.heap);
	vec_done(table);
	*table = sweep.out;
}

void range_table_index(struct range_table *table)
{
	vec_trim(table);
	address_index_build(&table->index, table->item, table->count, sizeof(*table->item));
}

const struct range *range_table_find(const struct range_table *table, uint64_t address)
{
	size_t bytes = sizeof(*table->item);
	size_t i = table->index.slices
			   ? address_index_find(&table->index, table->item, bytes, address)
			   : address_bisect(table->item, bytes, 0, table->count, address) - 1;

	return i != ADDRESS_NONE && address < table->item[i].end ? &table->item[i] : NULL;
}

void range_table_done(struct range_table *table)
{
	vec_done(table);
	address_index_done(&table->index);
}
