/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip in memory (see unpack_body.h). */
#include "server/unpack_body.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/gunzip.h"

#define PIECE ((size_t)256 << 10)

bool unpack_is_gzip(struct body_bytes data)
{
	return data.len >= 3 && data.at[0] == 0x1f && data.at[1] == 0x8b && data.at[2] == 8;
}

static ssize_t fetch(void *context, void *data, size_t len)
{
	struct body_bytes *packed = context;
	size_t count = packed->len < len ? packed->len : len;

	if (count)
		memcpy(data, packed->at, count);
	packed->at += count;
	packed->len -= count;
	return (ssize_t)count;
}

int unpack_gzip(struct body_bytes data, struct buf *ret, struct err *err)
{
	struct gunzip gunzip;
	ssize_t got = 0;
	int code = 0;

	if (!gunzip_open(&gunzip, fetch, &data))
		return err_set(err, -ENOMEM, "gzip: out of memory");
	do {
		size_t from = ret->len,
		       room = ret->limit - from < PIECE ? ret->limit - from : PIECE;

		if (!room || buf_extend(ret, room)) {
			code = err_set(err, -E2BIG,
				       "the data are too large when they are unpacked");
			break;
		}
		got = gunzip_read(&gunzip, ret->data + from, room);
		ret->len = from + (got > 0 ? (size_t)got : 0);
	} while (got > 0);
	if (!code && (got < 0 || !gunzip.member_ended))
		code = err_set(err, -EBADMSG, "the gzip data are damaged or not whole");
	gunzip_close(&gunzip);
	return code;
}
