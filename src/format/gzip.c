/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing with zlib (see gzip.h). */
#include "format/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define PIECE_BYTES 65536
#define LEVEL	    6

static int pack(z_stream *z, const struct buf *data, struct buf *ret)
{
	char *piece = mem_alloc(PIECE_BYTES);
	size_t at = 0;
	int r = 0, code;

	do {
		size_t rest = data->len - at, part = rest < PIECE_BYTES ? rest : PIECE_BYTES;

		z->next_in = (Bytef *)data->data + at;
		z->avail_in = (uInt)part;
		at += part;
		do {
			z->next_out = (Bytef *)piece;
			z->avail_out = PIECE_BYTES;
			code = deflate(z, at == data->len ? Z_FINISH : Z_NO_FLUSH);
			r = buf_append(ret, piece, PIECE_BYTES - z->avail_out);
		} while (!r && z->avail_out == 0 && code != Z_STREAM_END);
	} while (!r && at < data->len);
	free(piece);
	return r;
}

int gzip_pack(struct buf *data, struct err *err)
{
	struct buf packed = { 0 };
	z_stream z = { 0 };
	int r;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_set(err, -ENOMEM, "cannot initialize compression");
	r = pack(&z, data, &packed);
	(void)deflateEnd(&z); /* only frees */
	if (r) {
		buf_done(&packed);
		return err_set(err, r, "the output is too large");
	}
	buf_done(data);
	*data = packed;
	return 0;
}
