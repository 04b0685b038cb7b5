/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounds-checked reader of little-endian call frame bytes. Reading past the end yields 0 and sets
 * `bad`, which stays set, so a parser reads a whole header and checks once. */
#ifndef UNWIND_CFI_CURSOR_H
#define UNWIND_CFI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cfi_cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline size_t cursor_left(const struct cfi_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline bool cursor_has(struct cfi_cursor *cursor, uint64_t size)
{
	if (cursor->bad || size > cursor_left(cursor))
		cursor->bad = true;
	return !cursor->bad;
}

static inline void cursor_skip(struct cfi_cursor *cursor, uint64_t size)
{
	if (cursor_has(cursor, size))
		cursor->at += size;
}

static inline uint8_t cursor_u8(struct cfi_cursor *cursor)
{
	return cursor_has(cursor, 1) ? *cursor->at++ : 0;
}

/* size must be 1, 2, 4 or 8; otherwise the cursor becomes bad. */
static inline uint64_t cursor_unsigned(struct cfi_cursor *cursor, size_t size)
{
	uint64_t value = 0;

	if (size > sizeof(value) || (size & (size - 1)) || !size)
		cursor->bad = true;
	if (!cursor_has(cursor, size))
		return 0;
	memcpy(&value, cursor->at, size);
	cursor->at += size;
	return value;
}

static inline int64_t cursor_signed(struct cfi_cursor *cursor, size_t size)
{
	uint64_t value = cursor_unsigned(cursor, size);
	unsigned shift = cursor->bad ? 0 : 64 - 8 * (unsigned)size;

	return (int64_t)(value << shift) >> shift;
}

/* Bits past the 64th are dropped, as all readers do: producers pad LEB128 with zeros or ones. */
static inline uint64_t cursor_uleb(struct cfi_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t cursor_sleb(struct cfi_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

#endif
