/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds perf.data content in memory, in either byte order, for tests. */
#ifndef TEST_PERF_DATA_BUILDER_H
#define TEST_PERF_DATA_BUILDER_H

#include <byteswap.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	uint8_t data[1 << 20];
	size_t len;
	bool swap;
	size_t record; /* where the open record began */
};

static inline struct builder *builder_new(bool swap)
{
	struct builder *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->swap = swap;
	return b;
}

static inline void put_bytes(struct builder *b, const void *bytes, size_t len)
{
	if (len > sizeof(b->data) - b->len)
		abort();
	memcpy(b->data + b->len, bytes, len);
	b->len += len;
}

static inline void put16(struct builder *b, uint16_t value)
{
	value = b->swap ? bswap_16(value) : value;
	put_bytes(b, &value, sizeof(value));
}

static inline void put32(struct builder *b, uint32_t value)
{
	value = b->swap ? bswap_32(value) : value;
	put_bytes(b, &value, sizeof(value));
}

static inline void put64(struct builder *b, uint64_t value)
{
	value = b->swap ? bswap_64(value) : value;
	put_bytes(b, &value, sizeof(value));
}

static inline void patch64(struct builder *b, size_t at, uint64_t value)
{
	value = b->swap ? bswap_64(value) : value;
	memcpy(b->data + at, &value, sizeof(value));
}

/* A string padded with NULs to a multiple of 8. */
static inline void put_padded(struct builder *b, const char *s)
{
	static const char zeros[8];
	size_t len = strlen(s) + 1;

	put_bytes(b, s, len);
	put_bytes(b, zeros, (8 - len % 8) % 8);
}

/* perf's length-prefixed string. */
static inline void put_string(struct builder *b, const char *s)
{
	put32(b, (uint32_t)((strlen(s) + 8) / 8 * 8));
	put_padded(b, s);
}

static inline void record_begin(struct builder *b, uint32_t type, uint16_t misc)
{
	b->record = b->len;
	put32(b, type);
	put16(b, misc);
	put16(b, 0);
}

static inline void record_end(struct builder *b)
{
	uint16_t size = (uint16_t)(b->len - b->record);

	size = b->swap ? bswap_16(size) : size;
	memcpy(b->data + b->record + 6, &size, sizeof(size));
}

/* Bits of the flags word, first one lowest; mirrored when foreign. */
static inline void put_flags(struct builder *b, uint64_t flags)
{
	for (unsigned i = 0; i < 8; i++) {
		uint8_t byte = (uint8_t)(flags >> 8 * i), mirror = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			mirror |= (uint8_t)((byte >> bit & 1) << (7 - bit));
		put_bytes(b, b->swap ? &mirror : &byte, 1);
	}
}

#define FLAG_SAMPLE_ID_ALL (1ull << 18)

struct attr_spec {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format;
};

static inline void put_attr(struct builder *b, const struct attr_spec *spec)
{
	size_t start = b->len;

	put32(b, spec->type);
	put32(b, spec->size);
	put64(b, spec->config);
	put64(b, spec->period);
	put64(b, spec->sample_type);
	put64(b, spec->read_format);
	put_flags(b, FLAG_SAMPLE_ID_ALL);
	while (b->len - start < spec->size)
		put64(b, 0);
}

/* File header, one id array per attr (ids 1, 2, …), the attrs. The data follows. */
static inline void put_file_header(struct builder *b, const struct attr_spec *attr, size_t count)
{
	size_t stride = attr[0].size + 16, ids = 104;

	put64(b, 0x32454c4946524550ull);
	put64(b, 104);
	put64(b, stride);
	put64(b, ids + 8 * count);
	put64(b, stride * count);
	put64(b, ids + 8 * count + stride * count); /* data offset */
	put64(b, 0);				    /* data size: file_end() */
	for (int i = 0; i < 6; i++)
		put64(b, 0);
	for (size_t i = 0; i < count; i++)
		put64(b, i + 1);
	for (size_t i = 0; i < count; i++) {
		put_attr(b, &attr[i]);
		put64(b, ids + 8 * i);
		put64(b, 8);
	}
}

static inline size_t data_offset(const struct builder *b)
{
	uint64_t offset;

	memcpy(&offset, b->data + 40, sizeof(offset));
	return b->swap ? bswap_64(offset) : offset;
}

/* Everything so far is data; feature sections may follow. */
static inline void end_data(struct builder *b)
{
	patch64(b, 48, b->len - data_offset(b));
}

static inline void put_round(struct builder *b)
{
	record_begin(b, 68, 0);
	record_end(b);
}

#endif
