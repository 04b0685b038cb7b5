/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorted arrays of mappings with copy on write (see address_space.h). Processes have tens of
 * executable mappings, rarely thousands, so arrays with binary search beat trees. */
#include "proc/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define HUGE_PAGE_BYTES (2ull << 20)

struct address_space *address_space_new(uint32_t id, uint32_t pid)
{
	struct address_space *space = mem_zalloc(sizeof(*space));

	*space = (struct address_space){ .id = id, .pid = pid, .refs = 1 };
	return space;
}

struct address_space *address_space_ref(struct address_space *space)
{
	space->refs++;
	return space;
}

void address_space_unref(struct address_space *space)
{
	if (!space || --space->refs)
		return;
	address_space_unref(space->before);
	free(space->item);
	free(space);
}

static void make_private(struct address_space **space, uint32_t id)
{
	struct address_space *old = *space, *copy;

	if (old->refs == 1) {
		old->id = id;
		return;
	}
	copy = address_space_new(id, old->pid);
	copy->capacity = copy->count = old->count;
	copy->before = old->before ? address_space_ref(old->before) : NULL;
	if (old->count) {
		copy->item = mem_alloc(old->count * sizeof(*copy->item));
		memcpy(copy->item, old->item, old->count * sizeof(*copy->item));
	}
	address_space_unref(old);
	*space = copy;
}

/* Index of the first mapping that ends after `address`. */
static size_t first_after(const struct address_space *space, uint64_t address)
{
	size_t lo = 0, hi = space->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (space->item[mid].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void open_gap(struct address_space *space, size_t at)
{
	if (space->count == space->capacity) {
		space->capacity = space->capacity ? space->capacity * 2 : 16;
		space->item = mem_realloc(space->item, space->capacity * sizeof(*space->item));
	}
	memmove(&space->item[at + 1], &space->item[at], (space->count - at) * sizeof(*space->item));
	space->count++;
}

/* Cuts [start, end) out and returns the index where a mapping of that range belongs. */
static size_t cut(struct address_space *space, uint64_t start, uint64_t end)
{
	size_t at = first_after(space, start), last = at;

	if (at < space->count && space->item[at].start < start) {
		if (space->item[at].end > end) { /* a hole in the middle of one mapping */
			open_gap(space, at);
			space->item[at] = space->item[at + 1];
			space->item[at + 1].pgoff += end - space->item[at + 1].start;
			space->item[at + 1].start = end;
			space->item[at].end = start;
			return at + 1;
		}
		space->item[at].end = start;
		last = ++at;
	}
	while (last < space->count && space->item[last].end <= end)
		last++;
	if (last < space->count && space->item[last].start < end) {
		space->item[last].pgoff += end - space->item[last].start;
		space->item[last].start = end;
	}
	if (last != at)
		memmove(&space->item[at], &space->item[last],
			(space->count - last) * sizeof(*space->item));
	space->count -= last - at;
	return at;
}

void address_space_insert(struct address_space **space, uint32_t id, const struct mapping *mapping)
{
	size_t at;

	make_private(space, id);
	at = cut(*space, mapping->start, mapping->end);
	open_gap(*space, at);
	(*space)->item[at] = *mapping;
}

void address_space_remove(struct address_space **space, uint32_t id, uint64_t start, uint64_t end)
{
	make_private(space, id);
	(void)cut(*space, start, end); /* only the removal is wanted */
}

bool address_space_is_text_copy(const struct address_space *space, const struct mapping *mapping)
{
	const struct mapping *old = address_space_find(space, mapping->start);

	return mapping->module->kind == MODULE_JIT && old && old->module->kind == MODULE_FILE &&
	       old->end >= mapping->end && mapping->start % HUGE_PAGE_BYTES == 0 &&
	       mapping->end % HUGE_PAGE_BYTES == 0;
}

const struct mapping *address_space_find(const struct address_space *space, uint64_t pc)
{
	size_t at = first_after(space, pc);

	return at < space->count && space->item[at].start <= pc ? &space->item[at] : NULL;
}

const struct mapping *address_space_find_from_kernel(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);

	return mapping || !space->before ? mapping : address_space_find(space->before, pc);
}
