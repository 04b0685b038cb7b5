/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as the variants of the store pass them on: a series and a leaf of a dictionary
 * (dictionary.h), a time, and sums. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <stdint.h>

#include "base/vec.h"

struct store_row {
	uint32_t series, leaf;
	uint64_t time_ns; /* begin of the bucket, Unix time */
	uint64_t count, weight;
};

struct store_rows {
	VEC(struct store_row) rows;
};

typedef void (*store_row_visit)(void *context, const struct store_row *row);

/* Sorts rows by series, leaf and bucket, and adds up those of one bucket. */
void store_rows_merge(struct store_rows *rows, uint64_t step_ns);

#endif
