/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cursor over untrusted little-endian bytes. Reading past the end gives 0, moves to the end and
 * sets `failed`, so a parser may check once after several reads. */
#ifndef SYMBOL_DWARF_READER_H
#define SYMBOL_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader {
	const uint8_t *pos, *end;
	bool failed;
};

struct bytes {
	const uint8_t *data;
	size_t len;
};

/* An empty reader, for ranges outside. */
static inline struct reader reader_failed(void)
{
	static const uint8_t nothing[1];

	return (struct reader){ .pos = nothing, .end = nothing, .failed = true };
}

/* A reader from `offset` to the end of the bytes; empty and failed when that is outside. */
static inline struct reader reader_at(struct bytes bytes, uint64_t offset)
{
	if (offset > bytes.len || !bytes.data)
		return reader_failed();
	return (struct reader){ .pos = bytes.data + offset, .end = bytes.data + bytes.len };
}

static inline size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->pos);
}

static inline void reader_fail(struct reader *r)
{
	r->failed = true;
	r->pos = r->end;
}

static inline void read_skip(struct reader *r, uint64_t len)
{
	if (len > reader_left(r))
		reader_fail(r);
	else
		r->pos += len;
}

/* An unsigned number of 1 to 8 bytes. */
static inline uint64_t read_uint(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if (size > reader_left(r)) {
		reader_fail(r);
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)r->pos[i] << (8 * i);
	r->pos += size;
	return value;
}

static inline uint8_t read_u8(struct reader *r)
{
	if (r->pos == r->end) {
		reader_fail(r);
		return 0;
	}
	return *r->pos++;
}

static inline uint16_t read_u16(struct reader *r)
{
	return (uint16_t)read_uint(r, 2);
}

static inline uint32_t read_u32(struct reader *r)
{
	return (uint32_t)read_uint(r, 4);
}

static inline uint64_t read_u64(struct reader *r)
{
	return read_uint(r, 8);
}

/* LEB128; bits past the 64th are dropped. */
static inline uint64_t read_uleb(struct reader *r)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (r->pos < r->end) {
		uint8_t byte = *r->pos++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
		shift += 7;
	}
	reader_fail(r);
	return 0;
}

static inline int64_t read_sleb(struct reader *r)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (r->pos < r->end) {
		uint8_t byte = *r->pos++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= ~(uint64_t)0 << shift;
		return (int64_t)value;
	}
	reader_fail(r);
	return 0;
}

/* A NUL-terminated string, borrowed from the bytes; NULL when it does not end. */
static inline const char *read_string(struct reader *r)
{
	const uint8_t *start = r->pos;
	const uint8_t *nul = reader_left(r) ? memchr(start, 0, reader_left(r)) : NULL;

	if (!nul) {
		reader_fail(r);
		return NULL;
	}
	r->pos = nul + 1;
	return (const char *)start;
}

/* DWARF's "initial length": sets *ret_offset_size to 4 or 8 and cuts the reader's end to the unit.
 * Returns the position after the unit, or NULL when it does not fit. */
static inline const uint8_t *read_unit_length(struct reader *r, uint8_t *ret_offset_size)
{
	uint64_t len = read_u32(r);
	uint8_t offset_size = 4;

	if (len == 0xffffffff) {
		len = read_u64(r);
		offset_size = 8;
	}
	if (r->failed || len > reader_left(r))
		return NULL;
	*ret_offset_size = offset_size;
	r->end = r->pos + len;
	return r->end;
}

#endif
