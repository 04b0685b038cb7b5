/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip in memory, with a limit: the buffer's. */
#ifndef SERVER_UNPACK_BODY_H
#define SERVER_UNPACK_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;

struct body_bytes {
	const uint8_t *at;
	size_t len;
};

bool unpack_is_gzip(struct body_bytes data);
/* -E2BIG when it is larger than the buffer may become; damage ends it with -EBADMSG. */
int unpack_gzip(struct body_bytes data, struct buf *ret, struct err *err);

#endif
