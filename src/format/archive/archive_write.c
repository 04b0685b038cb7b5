/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives on their way to a file (see archive_write.h). */
#include "format/archive/archive_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "format/archive/tar.h"

#define PIECE_BYTES ((size_t)1 << 16)
#define GZIP_LEVEL  6
#define ZSTD_LEVEL  3

struct archive_writer {
	int fd;
	enum archive_packing packing;
	z_stream deflate;
	ZSTD_CCtx *zstd;
	char *piece; /* PIECE_BYTES */
};

enum archive_packing archive_packing_of(const char *name)
{
	static const struct {
		const char *end;
		enum archive_packing packing;
	} ends[] = { { ".zst", ARCHIVE_ZSTD },	 { ".tzst", ARCHIVE_ZSTD },
		     { ".tar", ARCHIVE_PLAIN },	 { ".bz2", ARCHIVE_OTHER },
		     { ".tbz2", ARCHIVE_OTHER }, { ".xz", ARCHIVE_OTHER },
		     { ".txz", ARCHIVE_OTHER },	 { ".lz4", ARCHIVE_OTHER },
		     { ".zip", ARCHIVE_OTHER } };
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i].end);

		if (len >= n && strcmp(name + len - n, ends[i].end) == 0)
			return ends[i].packing;
	}
	return ARCHIVE_GZIP;
}

int archive_writer_open(int fd, enum archive_packing packing, struct archive_writer **ret,
			struct err *err)
{
	struct archive_writer *writer = mem_zalloc(sizeof(*writer));
	bool ready = true;

	writer->fd = fd;
	writer->packing = packing;
	writer->piece = mem_alloc(PIECE_BYTES);
	if (packing == ARCHIVE_ZSTD) {
		writer->zstd = ZSTD_createCCtx();
		ready = writer->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(
						writer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL));
	} else if (packing == ARCHIVE_GZIP) {
		ready = deflateInit2(&writer->deflate, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
				     Z_DEFAULT_STRATEGY) == Z_OK;
		writer->packing = ready ? packing : ARCHIVE_PLAIN; /* then nothing to free */
	}
	if (!ready) {
		archive_writer_free(writer);
		return err_set(err, -ENOMEM, "cannot initialize compression");
	}
	*ret = writer;
	return 0;
}

void archive_writer_free(struct archive_writer *writer)
{
	if (!writer)
		return;
	if (writer->packing == ARCHIVE_GZIP)
		(void)deflateEnd(&writer->deflate); /* only frees */
	(void)ZSTD_freeCCtx(writer->zstd);
	free(writer->piece);
	free(writer);
}

static int put_gzip(struct archive_writer *writer, const void *data, size_t len, bool end)
{
	z_stream *z = &writer->deflate;
	const uint8_t *at = data;
	int code = 0;

	do {
		size_t part = len < PIECE_BYTES ? len : PIECE_BYTES;

		z->next_in = (Bytef *)(uintptr_t)at;
		z->avail_in = (uInt)part;
		at += part;
		len -= part;
		do {
			z->next_out = (Bytef *)writer->piece;
			z->avail_out = PIECE_BYTES;
			(void)deflate(z, end && !len ? Z_FINISH : Z_NO_FLUSH);
			code = fd_write_all(writer->fd, writer->piece, PIECE_BYTES - z->avail_out);
		} while (!code && z->avail_out == 0);
	} while (!code && len);
	return code;
}

static int put_zstd(struct archive_writer *writer, const void *data, size_t len, bool end)
{
	ZSTD_inBuffer in = { data, len, 0 };
	size_t left;
	int code;

	do {
		ZSTD_outBuffer out = { writer->piece, PIECE_BYTES, 0 };

		left = ZSTD_compressStream2(writer->zstd, &out, &in,
					    end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		code = fd_write_all(writer->fd, writer->piece, out.pos);
	} while (!code && (in.pos < in.size || (end && left)));
	return code;
}

static int put(struct archive_writer *writer, const void *data, size_t len, bool end)
{
	if (writer->packing == ARCHIVE_GZIP)
		return put_gzip(writer, data, len, end);
	if (writer->packing == ARCHIVE_ZSTD)
		return put_zstd(writer, data, len, end);
	return fd_write_all(writer->fd, data, len);
}

int archive_writer_add(struct archive_writer *writer, const struct tar_member *member,
		       struct err *err)
{
	static const char zeros[TAR_BLOCK];
	struct buf header = { 0 };
	int code = tar_put_header(member, &header);

	if (!code)
		code = put(writer, header.data, header.len, false);
	buf_done(&header);
	if (!code && member->type == TAR_FILE && member->len) {
		code = put(writer, member->data, member->len, false);
		if (!code)
			code = put(writer, zeros, -member->len & (TAR_BLOCK - 1), false);
	}
	return code ? err_set(err, code, "%s: %s", member->name, strerror(-code)) : 0;
}

int archive_writer_finish(struct archive_writer *writer, struct err *err)
{
	static const char end[2 * TAR_BLOCK];
	int code = put(writer, end, sizeof(end), true);

	return code ? err_set(err, code, "%s", strerror(-code)) : 0;
}
