/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain values as bytes for another process of this program, which takes them apart again: numbers
 * and structs without pointers as they are in memory, strings and arrays behind their length. */
#ifndef BASE_PACKING_H
#define BASE_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;

/* Append. Data beyond the buffer's limit is left out, and unpacking the result fails. */
void pack_put(struct buf *ret, const void *data, size_t len);
void pack_put_string(struct buf *ret, const char *s); /* NULL: "" */
void pack_put_array(struct buf *ret, const void *items, size_t count, size_t item_bytes);

/* Zero all but data and len before use. */
struct unpack {
	const uint8_t *data;
	size_t len, at;
	bool damaged; /* once it is, all that follows is empty */
};

/* Into ret, or zeros. */
void unpack_take(struct unpack *unpack, void *ret, size_t len);
/* Copied, tidied if wanted (base/buf.h); "" when there is none. */
const char *unpack_string(struct unpack *unpack, bool tidy, struct arena *arena);
/* malloc'd; NULL for none. */
void *unpack_array(struct unpack *unpack, size_t item_bytes, size_t *ret_count);
/* Whether all of it was taken, and was undamaged. */
bool unpack_end(const struct unpack *unpack);

#endif
