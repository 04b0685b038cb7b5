/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all parts of the reader stand on: plain values in the file's byte order, memory for records
 * that arrive through a pipe or out of compression, and the words for what is damaged (see
 * perf_data_private.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/perf_data/perf_data_private.h"

#define CHUNK_BYTES ((size_t)1 << 20)

uint8_t *chunks_room(struct chunks *chunks, size_t least, size_t *ret_room)
{
	struct chunk *last = chunks->last, *fresh;
	size_t tail = last ? last->len - chunks->at : 0, capacity;

	if (last && last->capacity - last->len >= least) {
		*ret_room = last->capacity - last->len;
		return (uint8_t *)last->data + last->len;
	}
	capacity = tail + least > CHUNK_BYTES ? tail + least : CHUNK_BYTES;
	fresh = mem_alloc(sizeof(*fresh) + capacity);
	*fresh = (struct chunk){ .capacity = capacity, .len = tail };
	if (last) {
		memcpy(fresh->data, (uint8_t *)last->data + chunks->at, tail);
		last->len = chunks->at;
		fresh->round = last->round;
		last->next = fresh;
	} else {
		chunks->first = fresh;
	}
	chunks->last = fresh;
	chunks->at = 0;
	chunks->held_bytes += capacity;
	*ret_room = capacity - tail;
	return (uint8_t *)fresh->data + tail;
}

void chunks_free_before(struct chunks *chunks, uint64_t round)
{
	while (chunks->first && chunks->first != chunks->last && chunks->first->round < round) {
		struct chunk *chunk = chunks->first;

		chunks->first = chunk->next;
		chunks->held_bytes -= chunk->capacity;
		free(chunk);
	}
}

void chunks_done(struct chunks *chunks)
{
	while (chunks->first) {
		struct chunk *chunk = chunks->first;

		chunks->first = chunk->next;
		free(chunk);
	}
	*chunks = (struct chunks){ 0 };
}

void perf_data_damage(struct perf_data *data, const char *fmt, ...)
{
	va_list args;

	if (data->stats.damage[0])
		return;
	va_start(args, fmt);
	(void)vsnprintf(data->stats.damage, sizeof(data->stats.damage), fmt, args);
	va_end(args);
}

struct blob perf_data_blob(const struct perf_data *data, const void *bytes, size_t len)
{
	return (struct blob){ .at = bytes,
			      .end = (const uint8_t *)bytes + len,
			      .swapped = data->header.swapped };
}

const uint8_t *blob_bytes(struct blob *blob, size_t len)
{
	const uint8_t *bytes = blob->at;

	if (blob->failed || len > (size_t)(blob->end - blob->at)) {
		blob->failed = true;
		return NULL;
	}
	blob->at += len;
	return bytes;
}

size_t blob_left(const struct blob *blob)
{
	return blob->failed ? 0 : (size_t)(blob->end - blob->at);
}

uint16_t blob_u16(struct blob *blob)
{
	const uint8_t *bytes = blob_bytes(blob, 2);
	uint16_t value;

	if (!bytes)
		return 0;
	memcpy(&value, bytes, sizeof(value));
	return blob->swapped ? bswap_16(value) : value;
}

uint32_t blob_u32(struct blob *blob)
{
	const uint8_t *bytes = blob_bytes(blob, 4);
	uint32_t value;

	if (!bytes)
		return 0;
	memcpy(&value, bytes, sizeof(value));
	return blob->swapped ? bswap_32(value) : value;
}

uint64_t blob_u64(struct blob *blob)
{
	const uint8_t *bytes = blob_bytes(blob, 8);
	uint64_t value;

	if (!bytes)
		return 0;
	memcpy(&value, bytes, sizeof(value));
	return blob->swapped ? bswap_64(value) : value;
}

const char *blob_string(struct blob *blob)
{
	uint32_t len = blob_u32(blob);
	const uint8_t *bytes = blob_bytes(blob, len);

	if (!bytes)
		return NULL;
	if (!memchr(bytes, '\0', len)) {
		blob->failed = true;
		return NULL;
	}
	return (const char *)bytes;
}
