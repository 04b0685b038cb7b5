/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressing half of -z (see perf_data_write_zstd.h). */
#include "format/perf_data/perf_data_write_zstd.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define RECORD_COMPRESSED 81
#define PAYLOAD_MAX	  ((size_t)65528 - sizeof(struct perf_event_header))

struct perf_data_zstd {
	ZSTD_CCtx *context;
	struct {
		struct perf_event_header header;
		uint8_t payload[PAYLOAD_MAX];
	} record;
};

/* Higher levels look back further, up to 128 MB, which readers must keep in memory. */
#define WIDE_LEVEL 19
#define WINDOW_LOG 23

int perf_data_zstd_new(int level, struct perf_data_zstd **ret, struct err *err)
{
	struct perf_data_zstd *zstd = mem_zalloc(sizeof(*zstd));

	zstd->context = ZSTD_createCCtx();
	if (!zstd->context ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_compressionLevel, level)) ||
	    (level > WIDE_LEVEL &&
	     ZSTD_isError(ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_windowLog, WINDOW_LOG)))) {
		perf_data_zstd_free(zstd);
		return err_set(err, -EINVAL, "zstd: invalid compression level %d", level);
	}
	zstd->record.header.type = RECORD_COMPRESSED;
	*ret = zstd;
	return 0;
}

void perf_data_zstd_free(struct perf_data_zstd *zstd)
{
	if (!zstd)
		return;
	ZSTD_freeCCtx(zstd->context);
	free(zstd);
}

/* One chunk, flushed: the records appended here contain all its bytes. */
static int put_chunk(struct perf_data_zstd *zstd, ZSTD_inBuffer *in, struct buf *ret,
		     struct err *err)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { zstd->record.payload, PAYLOAD_MAX, 0 };

		left = ZSTD_compressStream2(zstd->context, &out, in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return err_set(err, -EIO, "zstd: %s", ZSTD_getErrorName(left));
		zstd->record.header.size = (uint16_t)(sizeof(zstd->record.header) + out.pos);
		if (out.pos && buf_append(ret, &zstd->record, zstd->record.header.size))
			return err_set(err, -E2BIG, "zstd: output buffer full");
	} while (left);
	return 0;
}

int perf_data_zstd_put(struct perf_data_zstd *zstd, const void *data, size_t len, struct buf *ret,
		       struct err *err)
{
	const uint8_t *bytes = data;

	while (len) {
		size_t part = len < PERF_DATA_ZSTD_CHUNK ? len : PERF_DATA_ZSTD_CHUNK;
		ZSTD_inBuffer in = { bytes, part, 0 };
		int r = put_chunk(zstd, &in, ret, err);

		if (r)
			return r;
		bytes += part;
		len -= part;
	}
	return 0;
}
