/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a distribution in BCC's layout. */
#ifndef VIEW_LATENCY_BUCKET_ROWS_H
#define VIEW_LATENCY_BUCKET_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct buf;

struct bucket_row {
	uint64_t from, to, count;
};

/* "unit : count distribution", and the rows up to the last one with a count; nothing if there is
 * none. */
void bucket_rows_text(const char *unit, const struct bucket_row *row, size_t count,
		      struct buf *ret);
/* [{"from":n,"to":n,"count":n},…], without empty ones. */
void bucket_rows_json(const struct bucket_row *row, size_t count, struct buf *ret);

#endif
