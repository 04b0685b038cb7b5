// SPDX-License-Identifier: GPL-2.0-or-later
/* Range lists (.debug_ranges, .debug_rnglists) and the interval search (see dwarf_range.h). Format:
 * DWARF 4, section 2.17.3; DWARF 5, section 2.17.3 and 7.25. */
#include "symbol/dwarf/dwarf_range.h"

#include <dwarf.h>
#include <stdlib.h>

static void add_range(struct dwarf_ranges *ret, uint64_t start, uint64_t end, uint32_t owner)
{
	if (end <= start || !start)
		return;
	vec_push(&ret->list, ((struct dwarf_range){ start, end, owner }));
}

static void add_range_list_v4(const struct dwarf_unit *unit, uint64_t offset, uint32_t owner,
			      struct dwarf_ranges *ret)
{
	struct reader r = reader_at(unit->file->sections.section[DWARF_RANGES], offset);
	size_t size = unit->encoding.address_size;
	uint64_t select = size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t base = unit->low_pc;

	for (; ret->left; ret->left--) {
		uint64_t start = read_uint(&r, size);
		uint64_t end = read_uint(&r, size);

		if (r.failed || (!start && !end))
			return;
		if (start == select)
			base = end;
		else if (base + start >= base) /* else a dropped function: -1 or -2 */
			add_range(ret, base + start, base + end, owner);
	}
}

/* An address by index; one that is missing becomes 0, which add_range() drops. */
static uint64_t indexed(const struct dwarf_unit *unit, struct reader *r)
{
	uint64_t address = 0;

	if (!dwarf_unit_addrx(unit, read_uleb(r), &address))
		address = 0;
	return address;
}

static void add_range_list_v5(const struct dwarf_unit *unit, uint64_t offset, uint32_t owner,
			      struct dwarf_ranges *ret)
{
	struct reader r = reader_at(unit->file->sections.section[DWARF_RNGLISTS], offset);
	size_t size = unit->encoding.address_size;
	uint64_t base = unit->low_pc;

	for (; !r.failed && ret->left; ret->left--) {
		uint64_t start = 0, end = 0;

		switch (read_u8(&r)) {
		case DW_RLE_base_addressx:
			base = indexed(unit, &r);
			break;
		case DW_RLE_startx_endx:
			start = indexed(unit, &r);
			end = indexed(unit, &r);
			break;
		case DW_RLE_startx_length:
			start = indexed(unit, &r);
			end = start + read_uleb(&r);
			break;
		case DW_RLE_offset_pair:
			start = base + read_uleb(&r);
			end = base + read_uleb(&r);
			break;
		case DW_RLE_base_address:
			base = read_uint(&r, size);
			break;
		case DW_RLE_start_end:
			start = read_uint(&r, size);
			end = read_uint(&r, size);
			break;
		case DW_RLE_start_length:
			start = read_uint(&r, size);
			end = start + read_uleb(&r);
			break;
		default: /* end of list, or unknown */
			return;
		}
		if (!r.failed)
			add_range(ret, start, end, owner);
	}
}

static void add_range_list(const struct dwarf_unit *unit, const struct dwarf_value *value,
			   uint32_t owner, struct dwarf_ranges *ret)
{
	uint64_t offset = value->number;
	struct reader r;

	if (unit->encoding.version < 5) {
		add_range_list_v4(unit, unit->ranges_base + offset, owner, ret);
		return;
	}
	if (value->form == DW_FORM_rnglistx) {
		size_t size = unit->encoding.offset_size;

		r = reader_at(unit->file->sections.section[DWARF_RNGLISTS], unit->rnglists_base);
		read_skip(&r, offset < UINT32_MAX ? offset * size : UINT64_MAX);
		offset = unit->rnglists_base + read_uint(&r, size);
		if (r.failed)
			return;
	}
	add_range_list_v5(unit, offset, owner, ret);
}

void dwarf_add_ranges(const struct dwarf_unit *unit, const struct dwarf_extent *extent,
		      uint32_t owner, struct dwarf_ranges *ret)
{
	uint64_t low, high;

	if (extent->ranges.form) {
		add_range_list(unit, &extent->ranges, owner, ret);
		return;
	}
	if (!ret->left || !dwarf_value_address(unit, &extent->low_pc, &low))
		return;
	ret->left--;
	if (dwarf_value_number(&extent->high_pc, &high))
		add_range(ret, low, low + high, owner);
	else if (dwarf_value_address(unit, &extent->high_pc, &high))
		add_range(ret, low, high, owner);
}

static int compare_range(const void *a, const void *b)
{
	const struct dwarf_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

/* A heap of the ranges that contain the current address, greatest owner on top. Closed ones stay
 * until they reach the top. */
struct heap {
	VEC(const struct dwarf_range *) open;
};

static void heap_push(struct heap *heap, const struct dwarf_range *range)
{
	size_t i = heap->open.count;

	vec_push(&heap->open, range);
	for (; i && heap->open.item[(i - 1) / 2]->owner < range->owner; i = (i - 1) / 2)
		heap->open.item[i] = heap->open.item[(i - 1) / 2];
	heap->open.item[i] = range;
}

static void heap_pop(struct heap *heap)
{
	const struct dwarf_range **item = heap->open.item;
	const struct dwarf_range *last = item[--heap->open.count];
	size_t count = heap->open.count;
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < count && item[child + 1]->owner > item[child]->owner)
			child++;
		if (child >= count || item[child]->owner <= last->owner)
			break;
		item[i] = item[child];
		i = child;
	}
	if (count)
		item[i] = last;
}

static void add_cut(struct dwarf_cuts *cuts, uint64_t start, uint32_t owner)
{
	if (cuts->list.count) {
		struct dwarf_cut *last = vec_last(&cuts->list);

		if (last->owner == owner)
			return;
		if (last->start == start) {
			last->owner = owner;
			return;
		}
	}
	vec_push(&cuts->list, ((struct dwarf_cut){ start, owner }));
}

/* Closes the ranges that end at or before `upto`, each end giving way to the next open range. */
static void close_ranges(struct heap *heap, uint64_t upto, struct dwarf_cuts *ret)
{
	while (heap->open.count && heap->open.item[0]->end <= upto) {
		uint64_t end = heap->open.item[0]->end;

		while (heap->open.count && heap->open.item[0]->end <= end)
			heap_pop(heap);
		add_cut(ret, end, heap->open.count ? heap->open.item[0]->owner : DWARF_NO_OWNER);
	}
}

void dwarf_cut_ranges(struct dwarf_ranges *ranges, struct dwarf_cuts *ret)
{
	struct heap heap = { 0 };

	if (ranges->list.count)
		qsort(ranges->list.item, ranges->list.count, sizeof(*ranges->list.item),
		      compare_range);
	for (size_t i = 0; i < ranges->list.count; i++) {
		const struct dwarf_range *range = &ranges->list.item[i];

		close_ranges(&heap, range->start, ret);
		heap_push(&heap, range);
		add_cut(ret, range->start, heap.open.item[0]->owner);
	}
	close_ranges(&heap, UINT64_MAX, ret);
	vec_done(&heap.open);
}

size_t dwarf_cut_index(const struct dwarf_cuts *cuts, uint64_t address)
{
	size_t low = 0, high = cuts->list.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cuts->list.item[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : cuts->list.count;
}

uint32_t dwarf_cut_find(const struct dwarf_cuts *cuts, uint64_t address)
{
	size_t index = dwarf_cut_index(cuts, address);

	return index < cuts->list.count ? cuts->list.item[index].owner : DWARF_NO_OWNER;
}
