/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of a store's files, read front to back: LEB128 numbers and byte strings. What is read past
 * the end is 0 and sets `failed`. */
#ifndef STORE_SEGMENT_BYTES_H
#define STORE_SEGMENT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *at, *end;
	bool failed;
};

static inline uint64_t bytes_take(struct bytes *bytes)
{
	uint64_t value = 0;

	if (bytes->at < bytes->end && *bytes->at < 0x80)
		return *bytes->at++;
	for (unsigned shift = 0; shift < 64 && bytes->at < bytes->end; shift += 7) {
		uint8_t byte = *bytes->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	bytes->failed = true;
	return 0;
}

static inline uint32_t bytes_take_u32(struct bytes *bytes)
{
	uint64_t value = bytes_take(bytes);

	if (value <= UINT32_MAX)
		return (uint32_t)value;
	bytes->failed = true;
	return 0;
}

static inline const uint8_t *bytes_take_run(struct bytes *bytes, uint64_t len)
{
	const uint8_t *run = bytes->at;

	if (len > (uint64_t)(bytes->end - bytes->at)) {
		bytes->failed = true;
		return NULL;
	}
	bytes->at += len;
	return run;
}

/* A number of things of which each takes so many bytes at least. */
static inline size_t bytes_take_count(struct bytes *bytes, size_t least)
{
	uint64_t count = bytes_take(bytes);

	if (count <= (uint64_t)(bytes->end - bytes->at) / least)
		return (size_t)count;
	bytes->failed = true;
	return 0;
}

/* Signed numbers: 0, -1, 1, -2, … */
static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

#endif
