/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMPRESSED records (type 81): record bytes as one zstd stream that spans records. The older of
 * the two forms, because every reader supports it. */
#ifndef FORMAT_PERF_DATA_WRITE_ZSTD_H
#define FORMAT_PERF_DATA_WRITE_ZSTD_H

#include <stddef.h>

struct buf;
struct err;
struct perf_data_zstd;

/* Most bytes that go into the compressor between two flushes, so that a reader's buffer of this
 * size (mmap_len in the file) holds what any one record gives. */
#define PERF_DATA_ZSTD_CHUNK ((size_t)512 << 10)

int perf_data_zstd_new(int level, struct perf_data_zstd **ret, struct err *err);
void perf_data_zstd_free(struct perf_data_zstd *zstd); /* NULL is fine */
/* Appends COMPRESSED records for all of data. */
int perf_data_zstd_put(struct perf_data_zstd *zstd, const void *data, size_t len, struct buf *ret,
		       struct err *err);

#endif
