/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of the kernel's ring buffer (see trace_dat.h). Format: Documentation/trace/ring-buffer-*
 * and header_event of tracefs. */
#include <stdlib.h>
#include <string.h>

#include "format/ftrace/trace_dat.h"

#define COMMIT_MASK    ((1u << 27) - 1)
#define MISSED_STORED  (1u << 30)
#define MISSED_EVENTS  (1u << 31)
#define DELTA_BITS     27
#define STAMP_BITS     59
#define TYPE_LARGE     0
#define TYPE_PADDING   29
#define TYPE_EXTEND    30
#define TYPE_STAMP     31
#define DEFAULT_OFFSET 16

bool trace_dat_field(struct trace_dat_text format, const char *name, uint32_t *ret_offset,
		     uint32_t *ret_size)
{
	const char *at = format.data, *end = format.data + format.len;
	size_t len = strlen(name);

	while (at && (at = memmem(at, (size_t)(end - at), name, len))) {
		const char *offset, *size;

		at += len;
		if (at == end || !strchr(";[", *at) || at - len == format.data ||
		    !strchr(" \t*", at[-(ptrdiff_t)len - 1]))
			continue;
		offset = memmem(at, (size_t)(end - at), "offset:", 7);
		size = memmem(at, (size_t)(end - at), "size:", 5);
		if (!offset || !size || memchr(at, '\n', (size_t)(offset - at)))
			continue;
		*ret_offset = (uint32_t)strtoul(offset + 7, NULL, 10);
		*ret_size = (uint32_t)strtoul(size + 5, NULL, 10);
		return true;
	}
	return false;
}

void trace_dat_reader_init(struct trace_dat_reader *reader, const struct trace_dat *dat,
			   const struct trace_dat_cpu *cpu)
{
	uint32_t offset, size;

	*reader = (struct trace_dat_reader){ .dat = dat, .cpu = cpu };
	reader->data_offset = 8 + dat->long_size;
	if (trace_dat_field(dat->header_page, "data", &offset, &size) && offset >= 8 + 4 &&
	    offset < 256)
		reader->data_offset = offset;
}

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Positions the reader at the first event of the next page. */
static bool open_page(struct trace_dat_reader *reader, uint64_t *ret_lost)
{
	const struct trace_dat_cpu *cpu = reader->cpu;
	const uint8_t *page = cpu->pages + reader->page;
	size_t room, used;
	uint32_t commit;

	if (cpu->len - reader->page < cpu->page_size || cpu->page_size < reader->data_offset)
		return false;
	room = cpu->page_size - reader->data_offset;
	reader->page += cpu->page_size;
	memcpy(&reader->stamp, page, sizeof(reader->stamp));
	commit = get_u32(page + 8);
	used = commit & COMMIT_MASK & ~MISSED_STORED;
	if (used > room)
		used = room;
	reader->at = page + reader->data_offset;
	reader->end = reader->at + used;
	*ret_lost = commit & MISSED_EVENTS ? UINT64_MAX : 0;
	if (commit & MISSED_EVENTS && commit & MISSED_STORED && room - used >= 8 &&
	    reader->dat->long_size == 8)
		memcpy(ret_lost, reader->end, 8);
	return true;
}

static uint64_t to_ns(const struct trace_dat *dat, uint64_t stamp)
{
	if (dat->multiplier)
		stamp = (uint64_t)((unsigned __int128)stamp * dat->multiplier >> dat->shift) +
			dat->tsc_offset;
	return stamp + (uint64_t)dat->offset;
}

/* A record that is no event changes the time alone. Returns the bytes of the record, 0 = the rest
 * of the page is empty or damaged. */
static size_t take_record(struct trace_dat_reader *reader, struct trace_dat_event *ret)
{
	size_t left = (size_t)(reader->end - reader->at), len;
	uint32_t head = get_u32(reader->at), type = head & 31, word;
	uint64_t delta = head >> 5;

	ret->data = NULL;
	if (type > TYPE_LARGE && type < TYPE_PADDING) {
		reader->stamp += delta;
		ret->data = reader->at + 4;
		ret->len = type * 4;
		return ret->len + 4 <= left ? ret->len + 4 : 0;
	}
	if (left < 8 || (type == TYPE_PADDING && !delta))
		return 0;
	word = get_u32(reader->at + 4);
	if (type == TYPE_EXTEND) {
		reader->stamp += ((uint64_t)word << DELTA_BITS) + delta;
		return 8;
	}
	if (type == TYPE_STAMP) { /* the highest bits do not change */
		reader->stamp = (reader->stamp >> STAMP_BITS << STAMP_BITS) |
				(((uint64_t)word << DELTA_BITS) + delta);
		return 8;
	}
	reader->stamp += delta;
	len = 4 + (((size_t)word + 3) & ~(size_t)3); /* its own length is part of it */
	if (word < 4 || len > left)
		return 0;
	if (type == TYPE_LARGE) {
		ret->data = reader->at + 8;
		ret->len = word - 4;
	}
	return len;
}

bool trace_dat_next(struct trace_dat_reader *reader, struct trace_dat_event *ret)
{
	uint64_t lost = 0;

	for (;;) {
		while (reader->end - reader->at >= 4) {
			size_t len = take_record(reader, ret);

			if (!len)
				break;
			reader->at += len;
			if (!ret->data)
				continue;
			ret->time_ns = to_ns(reader->dat, reader->stamp);
			ret->cpu = reader->cpu->cpu;
			ret->lost = lost;
			return true;
		}
		if (!open_page(reader, &lost))
			return false;
	}
}
