/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of samples as the body of a chunk, column by column, each column one zstd frame, so a reader
 * unpacks what it needs and passes over series that it does not want.
 *
 * Body: five packed frames (chunk.h). The directory: number of series; of each the number of the
 * series less that of the one before, its rows, its usual weight of one sample (zigzag), and the
 * bytes that it has in each column. The columns: leaf (less the one before), bucket (from the
 * chunk's first; in rows of the same leaf from the row before), count, and weight (zigzag, less
 * count times the usual one). Rows are sorted by series, leaf and time. */
#ifndef STORE_SEGMENT_BLOCK_H
#define STORE_SEGMENT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/rows.h"

struct buf;
struct chunk;
struct err;

#define BLOCK_MAX_ROWS ((size_t)1 << 20)

struct block_range {
	uint64_t step_ns, first_seq, last_seq;
};

/* Appends merged rows as chunks, of BLOCK_MAX_ROWS at most. */
void block_write(const struct store_rows *rows, const struct block_range *range, struct buf *ret);

/* What to read: series by number (NULL = all), and buckets that begin in [from, to). */
struct block_filter {
	const bool *wanted;
	size_t series;
	uint64_t from_ns, to_ns;
};
/* -EBADMSG for damaged ones, of which rows may have been visited. */
int block_read(const struct chunk *chunk, const struct block_filter *filter, store_row_visit visit,
	       void *context, struct err *err);

#endif
