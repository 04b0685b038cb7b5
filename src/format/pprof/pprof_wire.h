/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wire format of protocol buffers, as much of it as profile.proto needs: fields of varints
 * and of bytes, read one by one without copies, and written. Input is untrusted: a length beyond
 * the end makes the rest of the message invalid. Format: protobuf.dev/programming-guides/encoding.
 */
#ifndef FORMAT_PPROF_PPROF_WIRE_H
#define FORMAT_PPROF_PPROF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Unread bytes of a message, or of a packed list. */
struct wire {
	const uint8_t *at, *end;
	bool bad;
};

struct wire_field {
	uint32_t number;
	bool is_bytes;	   /* else a number */
	uint64_t value;	   /* of a number */
	struct wire bytes; /* a string, a message or a packed list */
};

/* Reads the next varint; false at the end; `bad` is set if it was invalid. */
bool wire_varint(struct wire *wire, uint64_t *ret);
/* The next field; fields of fixed size come as numbers. False at the end. */
bool wire_next(struct wire *wire, struct wire_field *ret);
/* Whether wire_next() failed for lack of bytes: more of the message may help. The wire is as it was
 * before that. */
bool wire_is_short(struct wire wire);
/* The numbers of a repeated field, packed or not: call until false. */
bool wire_number(struct wire_field *field, uint64_t *ret);

struct buf;
void wire_put_varint(struct buf *out, uint64_t value);
/* An absent field means zero. */
void wire_put_number(struct buf *out, uint32_t field, uint64_t value);
void wire_put_fixed(struct buf *out, uint32_t field, uint64_t value); /* of 64 bits */
void wire_put_bytes(struct buf *out, uint32_t field, const void *data, size_t len);
/* Writes the message and clears its buffer. */
void wire_put_message(struct buf *out, uint32_t field, struct buf *message);

#endif
