/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text in memory as one that is read in pieces. Has no assertions: fuzzers use it as well. */
#ifndef TEST_UNIT_JSON_PIECES_H
#define TEST_UNIT_JSON_PIECES_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"

struct json_pieces {
	const char *data;
	size_t len, piece; /* most bytes of one read */
	int readers;	   /* open ones */
};

struct json_pieces_reader {
	struct json_pieces *of;
	size_t at;
};

static inline void *json_pieces_open(void *context, uint64_t offset)
{
	struct json_pieces_reader *reader = mem_zalloc(sizeof(*reader));

	reader->of = context;
	reader->at = offset < reader->of->len ? (size_t)offset : reader->of->len;
	reader->of->readers++;
	return reader;
}

static inline size_t json_pieces_read(void *context, void *data, size_t len)
{
	struct json_pieces_reader *reader = context;
	size_t left = reader->of->len - reader->at;

	len = len < left ? len : left;
	len = len < reader->of->piece ? len : reader->of->piece;
	memcpy(data, reader->of->data + reader->at, len);
	reader->at += len;
	return len;
}

static inline void json_pieces_close(void *context)
{
	struct json_pieces_reader *reader = context;

	reader->of->readers--;
	free(reader);
}

/* most_bytes 0: every array of two items is read again. */
static inline struct json_text json_pieces_text(struct json_pieces *pieces, size_t most_bytes)
{
	return (struct json_text){ .open = json_pieces_open,
				   .read = json_pieces_read,
				   .close = json_pieces_close,
				   .context = pieces,
				   .most_bytes = most_bytes };
}

#endif
