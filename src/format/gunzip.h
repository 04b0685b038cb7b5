/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks gzip, several members in a row as one: RFC 1952. */
#ifndef FORMAT_GUNZIP_H
#define FORMAT_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

#define GUNZIP_BYTES ((size_t)64 << 10) /* of packed bytes that are fetched at a time */

struct gunzip {
	z_stream z;
	uint8_t *packed;
	bool member_ended, any_ended;
	bool cut; /* the packed bytes are damaged, or end inside a member; stays after a reset */
	/* More packed bytes: their number, 0 at the end, or -errno. */
	ssize_t (*fetch)(void *context, void *data, size_t len);
	void *context;
};

/* False if memory is short. */
bool gunzip_open(struct gunzip *gunzip, ssize_t (*fetch)(void *context, void *data, size_t len),
		 void *context);
/* Continues where another one is, with the packed bytes behind those that it has used. */
bool gunzip_copy(struct gunzip *gunzip, const struct gunzip *from);
/* Begins with the first member. */
bool gunzip_reset(struct gunzip *gunzip);
/* Up to len bytes; 0 at the end, -errno when there is none because of damage. */
ssize_t gunzip_read(struct gunzip *gunzip, void *data, size_t len);
void gunzip_close(struct gunzip *gunzip);

#endif
