/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store's files are sequences of chunks that are only appended: a head with lengths, ranges and
 * a hash over all of it, and a body. The end of a file may be torn; what is damaged in between is
 * passed over. Numbers are little-endian.
 *
 * `seq` counts the checkpoints of a part: samples are in a write-ahead log under the number that
 * the next block of samples will have, and a roll-up says which blocks it is made of, so every
 * sample is counted once, wherever a crash ended. */
#ifndef STORE_SEGMENT_CHUNK_H
#define STORE_SEGMENT_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct buf;
struct bytes;
struct err;

enum chunk_kind {
	CHUNK_DICTIONARY = 1, /* one zstd frame: dictionary.h */
	CHUNK_BLOCK,	      /* samples: block.h */
	CHUNK_LOST,	      /* nothing: here an end was cut off that no log has */
	CHUNK_NUMBER,	      /* 8 bytes: of the next chunk's batch: received.h */
};

struct chunk_head {
	uint32_t magic;
	uint8_t version, kind;
	uint16_t more; /* chunks that follow and belong to it: without them it does not count */
	uint64_t body_bytes;
	uint64_t first_seq, last_seq; /* checkpoints of its samples */
	uint64_t first_ns, last_ns;   /* first and last bucket */
	uint64_t rows, count;	      /* stored rows; the samples that they stand for */
	uint64_t step_ns;	      /* width of the buckets */
	uint64_t hash;		      /* of the head with hash 0, and of the body's hash */
};

struct chunk {
	struct chunk_head head;
	const uint8_t *body;
};

/* Fills in magic, version, length and hash. */
void chunk_append(struct buf *ret, const struct chunk_head *head, const void *body, size_t len);

/* Makes the hashes of whole chunks right: for tests with damaged bytes. */
void chunk_repair(uint8_t *data, size_t len);

enum chunk_found {
	CHUNK_FOUND,
	CHUNK_DAMAGED, /* passed over: it is whole, but its hash is wrong */
	CHUNK_END,
	CHUNK_TORN, /* what follows is no whole chunk */
};

/* A whole file: the chunks that count, and what is torn or damaged. */
struct chunk_list {
	VEC(struct chunk) chunks;
	size_t whole_bytes; /* up to here it is whole */
	size_t damaged;	    /* chunks passed over */
	uint64_t last_seq;
};
void chunk_list_read(struct chunk_list *list, const uint8_t *data, size_t len);
void chunk_list_done(struct chunk_list *list);

/* The next one; *in moves behind it if it was found or is damaged. */
enum chunk_found chunk_next(struct bytes *in, struct chunk *ret);

/* zstd frames with their lengths in front. The unpacked length may not exceed `most`; returns
 * -EBADMSG for damaged ones. *in moves behind it. */
void packed_append(struct buf *ret, const void *data, size_t len, int level);
int packed_take(struct bytes *in, size_t most, struct buf *ret, struct err *err);
/* Passes over one. */
void packed_skip(struct bytes *in);

#endif
