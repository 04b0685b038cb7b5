/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ClickHouse's format RowBinary: numbers little-endian in their own width, strings and arrays after
 * their length in LEB128. What is read past the end is 0 and sets `failed`. */
#ifndef STORE_CLICKHOUSE_ROW_BINARY_H
#define STORE_CLICKHOUSE_ROW_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

struct row_reader {
	const uint8_t *at, *end;
	bool failed;
};

static inline struct row_reader row_reader_of(const struct buf *buf)
{
	const uint8_t *data = (const uint8_t *)buf->data;

	return (struct row_reader){ data, data ? data + buf->len : NULL, false };
}

static inline bool row_reader_more(const struct row_reader *in)
{
	return !in->failed && in->at < in->end;
}

static inline uint64_t row_take(struct row_reader *in, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(in->end - in->at) < bytes) {
		in->failed = true;
		in->at = in->end;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)in->at[i] << (8 * i);
	in->at += bytes;
	return value;
}

/* A length that may be there: each item has at least that many bytes. */
static inline size_t row_take_length(struct row_reader *in, size_t item_bytes)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; shift < 64 && byte >= 0x80 && !in->failed; shift += 7) {
		byte = (uint8_t)row_take(in, 1);
		value |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (byte >= 0x80 || value > (uint64_t)(in->end - in->at) / item_bytes)
		in->failed = true;
	return in->failed ? 0 : (size_t)value;
}

/* Borrowed from the input, not terminated. */
static inline const char *row_take_string(struct row_reader *in, size_t *ret_len)
{
	const char *text = NULL;

	*ret_len = row_take_length(in, 1);
	text = (const char *)in->at;
	in->at += *ret_len;
	return *ret_len ? text : "";
}

static inline void row_put(struct buf *out, uint64_t value, size_t bytes)
{
	uint8_t little[8];

	for (size_t i = 0; i < bytes; i++)
		little[i] = (uint8_t)(value >> (8 * i));
	(void)buf_append(out, little, bytes);
}

static inline void row_put_string(struct buf *out, const char *text, size_t len)
{
	(void)buf_put_varint(out, len);
	(void)buf_append(out, text, len);
}

static inline double row_take_double(struct row_reader *in)
{
	uint64_t bits = row_take(in, 8);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline void row_put_double(struct buf *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	row_put(out, bits, 8);
}

#endif
