/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's context over a whole recording (event/context.h), and the rows that views make of
 * it: a number for each sample, in units people read. */
#ifndef PROFILE_CONTEXT_SERIES_H
#define PROFILE_CONTEXT_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/context.h"

struct context_series {
	VEC(struct context_sample) sample; /* by time */
};

/* Takes the sample over; one that is not later than the last is dropped. */
void context_series_add(struct context_series *series, struct context_sample *sample);
void context_series_done(struct context_series *series);
/* The time that samples cover. */
uint64_t context_series_ns(const struct context_series *series);

enum context_row_unit {
	CONTEXT_ROW_PERCENT,
	CONTEXT_ROW_RATE, /* a second */
	CONTEXT_ROW_LEVEL,
	CONTEXT_ROW_BYTES,
	CONTEXT_ROW_BYTE_RATE, /* a second */
	CONTEXT_ROW_MS,
};

struct context_row {
	char group[48], name[48];
	enum context_row_unit unit;
	double *value; /* of each sample; NaN = not known */
	double mean, max;
};

/* "percent", "per_s", … for programs. */
const char *context_row_unit_name(enum context_row_unit unit);

struct context_rows {
	VEC(struct context_row) row; /* those of one group in a row */
};

/* Rows of which nothing is known are left out; CPUs have one each. */
void context_rows_make(const struct context_series *series, struct context_rows *ret);
void context_rows_done(struct context_rows *rows);

#endif
