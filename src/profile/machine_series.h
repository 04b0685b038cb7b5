/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's context over a whole recording (event/machine.h), and the rows that views make of
 * it: a number for each sample, in units people read. */
#ifndef PROFILE_MACHINE_SERIES_H
#define PROFILE_MACHINE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/machine.h"

struct machine_series {
	VEC(struct machine_sample) sample; /* by time */
};

/* Takes ownership of the sample; drops it if it is not later than the last. */
void machine_series_add(struct machine_series *series, struct machine_sample *sample);
void machine_series_done(struct machine_series *series);
/* The time that samples cover. */
uint64_t machine_series_ns(const struct machine_series *series);

enum machine_row_unit {
	MACHINE_ROW_PERCENT,
	MACHINE_ROW_RATE, /* a second */
	MACHINE_ROW_LEVEL,
	MACHINE_ROW_BYTES,
	MACHINE_ROW_BYTE_RATE, /* a second */
	MACHINE_ROW_MS,
};

struct machine_row {
	char group[48], name[48];
	enum machine_row_unit unit;
	double *value; /* of each sample; NaN = not known */
	double mean, max;
};

/* "percent", "per_s", … for programs. */
const char *machine_row_unit_name(enum machine_row_unit unit);

struct machine_rows {
	VEC(struct machine_row) row; /* those of one group in a row */
};

/* Omits values that are unknown throughout; each CPU has a row. */
void machine_rows_make(const struct machine_series *series, struct machine_rows *ret);
void machine_rows_done(struct machine_rows *rows);

#endif
