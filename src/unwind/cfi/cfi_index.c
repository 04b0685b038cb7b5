/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the FDE of a pc (see cfi_index.h). Format of .eh_frame_hdr: LSB 5.0 Core 10.6.2. */
#include "unwind/cfi/cfi_index.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/vec.h"

#define HDR_VERSION	1
#define HDR_ENTRY_BYTES 8

bool cfi_hdr_parse(const uint8_t *data, size_t len, uint64_t addr, struct cfi_hdr *ret)
{
	struct cfi_section section = { .data = data, .len = len, .addr = addr, .data_addr = addr };
	struct cfi_cursor cursor = { .at = data, .end = data + len };
	uint8_t version = cursor_u8(&cursor);
	uint8_t frame_encoding = cursor_u8(&cursor);
	uint8_t count_encoding = cursor_u8(&cursor);
	uint8_t table_encoding = cursor_u8(&cursor);
	uint64_t count;

	*ret = (struct cfi_hdr){ 0 };
	if (cursor.bad || version != HDR_VERSION || frame_encoding == DW_EH_PE_omit)
		return false;
	ret->eh_frame_addr = cfi_pointer(&cursor, &section, frame_encoding);
	if (cursor.bad)
		return false;
	if (count_encoding != DW_EH_PE_udata4 ||
	    table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return true;
	count = cursor_unsigned(&cursor, 4);
	if (cursor.bad || !count || !cursor_has(&cursor, count * HDR_ENTRY_BYTES))
		return true;
	ret->table = cursor.at;
	ret->count = (size_t)count;
	return true;
}

static int64_t hdr_word(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool hdr_is_sorted(const struct cfi_hdr *hdr)
{
	for (size_t i = 1; i < hdr->count; i++)
		if (hdr_word(hdr->table + (i - 1) * HDR_ENTRY_BYTES) >
		    hdr_word(hdr->table + i * HDR_ENTRY_BYTES))
			return false;
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct cfi_index_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* An entry takes at least 8 bytes of the section, so the table stays within twice its size. */
static void scan(struct cfi_index *index)
{
	VEC(struct cfi_index_entry) entries = { 0 };
	size_t offset = 0, at = 0;
	enum cfi_entry what;
	struct cfi_fde fde;

	while ((what = cfi_next(&index->section, &offset, &fde)) != CFI_ENTRY_END) {
		/* Discarded functions leave FDEs that start at 0. */
		if (what == CFI_ENTRY_FDE && fde.start)
			vec_push(&entries, ((struct cfi_index_entry){ fde.start, (uint32_t)at }));
		at = offset;
	}
	if (entries.count)
		qsort(entries.item, entries.count, sizeof(*entries.item), compare_entries);
	index->entry = entries.item;
	index->count = entries.count;
}

void cfi_index_open(const struct cfi_section *section, const struct cfi_hdr *hdr, uint64_t hdr_addr,
		    struct cfi_index *ret)
{
	*ret = (struct cfi_index){ .section = *section };
	if (hdr && hdr->table && hdr_is_sorted(hdr)) {
		ret->hdr = hdr->table;
		ret->hdr_addr = hdr_addr;
		ret->count = hdr->count;
	} else {
		scan(ret);
	}
}

void cfi_index_close(struct cfi_index *index)
{
	free(index->entry);
	*index = (struct cfi_index){ 0 };
}

static uint64_t start_of(const struct cfi_index *index, size_t i)
{
	if (!index->hdr)
		return index->entry[i].start;
	return index->hdr_addr + (uint64_t)hdr_word(index->hdr + i * HDR_ENTRY_BYTES);
}

static uint64_t offset_of(const struct cfi_index *index, size_t i)
{
	if (!index->hdr)
		return index->entry[i].offset;
	return index->hdr_addr + (uint64_t)hdr_word(index->hdr + i * HDR_ENTRY_BYTES + 4) -
	       index->section.addr;
}

/* How many entries start at or before the pc. */
static size_t count_before(const struct cfi_index *index, uint64_t pc)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (start_of(index, middle) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool read_entry(const struct cfi_index *index, size_t i, struct cfi_fde *ret)
{
	uint64_t place = offset_of(index, i);
	size_t offset = (size_t)place;

	return place < index->section.len &&
	       cfi_next(&index->section, &offset, ret) == CFI_ENTRY_FDE;
}

size_t cfi_index_lower(const struct cfi_index *index, uint64_t pc)
{
	size_t before = count_before(index, pc);

	return before ? before - 1 : 0;
}

bool cfi_index_get(const struct cfi_index *index, size_t i, struct cfi_fde *ret, uint64_t *from,
		   uint64_t *to)
{
	uint64_t start = start_of(index, i), end = UINT64_MAX;

	if (i + 1 < index->count)
		end = start_of(index, i + 1);
	if (end <= start || !read_entry(index, i, ret))
		return false;
	*from = start > ret->start ? start : ret->start;
	*to = end < ret->end ? end : ret->end;
	return *from < *to;
}

bool cfi_index_find(const struct cfi_index *index, uint64_t pc, struct cfi_fde *ret)
{
	size_t before = count_before(index, pc);

	return before && read_entry(index, before - 1, ret) && pc >= ret->start && pc < ret->end;
}
