/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chunks of a store's files (see chunk.h). */
#include "store/segment/chunk.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "store/segment/bytes.h"

#define MAGIC	  0x67655343u /* "CSeg" */
#define VERSION	  1
#define MAX_CHUNK ((uint64_t)256 << 20)

static_assert(sizeof(struct chunk_head) == 80, "ORDER: the layout of files");

static uint64_t hash_of(const struct chunk_head *head, const void *body)
{
	struct chunk_head copy = *head;

	copy.hash = hash_bytes(body, (size_t)head->body_bytes);
	return hash_bytes(&copy, sizeof(copy));
}

void chunk_append(struct buf *ret, const struct chunk_head *head, const void *body, size_t len)
{
	struct chunk_head full = *head;

	full.magic = MAGIC;
	full.version = VERSION;
	full.body_bytes = len;
	full.hash = hash_of(&full, body);
	(void)buf_append(ret, &full, sizeof(full));
	(void)buf_append(ret, body, len);
}

void chunk_repair(uint8_t *data, size_t len)
{
	struct chunk_head head;

	for (size_t at = 0; len - at >= sizeof(head); at += sizeof(head) + head.body_bytes) {
		memcpy(&head, data + at, sizeof(head));
		if (head.body_bytes > len - at - sizeof(head))
			return;
		head.magic = MAGIC;
		head.version = VERSION;
		head.hash = hash_of(&head, data + at + sizeof(head));
		memcpy(data + at, &head, sizeof(head));
	}
}

enum chunk_found chunk_next(struct bytes *in, struct chunk *ret)
{
	size_t left = (size_t)(in->end - in->at);
	struct chunk_head head;

	if (!left)
		return CHUNK_END;
	if (left < sizeof(head))
		return CHUNK_TORN;
	memcpy(&head, in->at, sizeof(head));
	if (head.magic != MAGIC || head.body_bytes > MAX_CHUNK ||
	    head.body_bytes > left - sizeof(head))
		return CHUNK_TORN;
	ret->head = head;
	ret->body = in->at + sizeof(head);
	if (head.hash != hash_of(&head, ret->body) || head.version != VERSION) {
		/* The last one was not written to its end. */
		if (head.body_bytes == left - sizeof(head))
			return CHUNK_TORN;
		in->at = ret->body + head.body_bytes;
		return CHUNK_DAMAGED;
	}
	in->at = ret->body + head.body_bytes;
	return CHUNK_FOUND;
}

void chunk_list_read(struct chunk_list *list, const uint8_t *data, size_t len)
{
	struct bytes in = { data, data + len, false };
	struct chunk chunk;
	enum chunk_found found;
	size_t whole = list->chunks.count;

	while ((found = chunk_next(&in, &chunk)) == CHUNK_FOUND || found == CHUNK_DAMAGED) {
		list->damaged += found == CHUNK_DAMAGED;
		if (found == CHUNK_FOUND)
			vec_push(&list->chunks, chunk);
		if (found == CHUNK_FOUND && chunk.head.more)
			continue;
		whole = list->chunks.count;
		list->whole_bytes = (size_t)(in.at - data);
	}
	list->chunks.count = whole;
	for (size_t i = 0; i < whole; i++)
		if (list->chunks.item[i].head.last_seq > list->last_seq)
			list->last_seq = list->chunks.item[i].head.last_seq;
}

void chunk_list_done(struct chunk_list *list)
{
	vec_done(&list->chunks);
}

void packed_append(struct buf *ret, const void *data, size_t len, int level)
{
	size_t room = ZSTD_compressBound(len), packed;
	char *out = mem_alloc(room);

	packed = ZSTD_compress(out, room, data, len, level);
	if (ZSTD_isError(packed))
		BUG("zstd has room enough");
	(void)buf_put_varint(ret, len);
	(void)buf_put_varint(ret, packed);
	(void)buf_append(ret, out, packed);
	free(out);
}

int packed_take(struct bytes *in, size_t most, struct buf *ret, struct err *err)
{
	uint64_t len = bytes_take(in), packed = bytes_take(in);
	const uint8_t *data = bytes_take_run(in, packed);
	size_t at = ret->len, got;

	if (!data || in->failed || len > most || buf_extend(ret, (size_t)len))
		return err_set(err, -EBADMSG, "a packed part is damaged");
	if (!len)
		return 0;
	got = ZSTD_decompress(ret->data + at, (size_t)len, data, (size_t)packed);
	if (got == (size_t)len)
		return 0;
	ret->len = at;
	return err_set(err, -EBADMSG, "a packed part is damaged");
}

void packed_skip(struct bytes *in)
{
	uint64_t packed;

	(void)bytes_take(in);
	packed = bytes_take(in);
	(void)bytes_take_run(in, packed);
}
