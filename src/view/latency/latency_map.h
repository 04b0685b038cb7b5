/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heat map of latencies: time from left to right, length from bottom to top, and the darker a
 * cell is the more often there was that length at that time. An SVG picture without scripts, or a
 * page with zoom. */
#ifndef VIEW_LATENCY_MAP_H
#define VIEW_LATENCY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct buf;
struct err;

#define LATENCY_MAP_ROWS 64

struct latency_map {
	uint64_t start_ns, column_ns; /* of the first column, of each */
	VEC(uint64_t) count;	      /* LATENCY_MAP_ROWS for each column */
};

struct latency_map_options {
	const char *title;
	const char *thing;   /* what is counted: "waits" */
	uint32_t unit_ns;    /* row 0 is 0 and 1 of it, row i is [2^i, 2^(i+1)); 0 = rows are
			      * plain numbers, of `number` */
	const char *number;  /* "threads waiting" */
	const char *about;   /* which threads, where; NULL = nothing */
	const char *missing; /* what is known to be missing; NULL = nothing */
};

/* Times before the first column are taken for its. */
void latency_map_add(struct latency_map *map, uint64_t time_ns, uint32_t row, uint64_t count);
/* The row of a length in units. */
uint32_t latency_map_row(uint64_t length);
void latency_map_svg(const struct latency_map *map, const struct latency_map_options *options,
		     struct buf *ret);
int latency_map_html(const struct latency_map *map, const struct latency_map_options *options,
		     struct buf *ret, struct err *err);
/* What lengths a row has: "8.0 us to 16 us", or "3 threads waiting". */
void latency_map_put_row(const struct latency_map_options *options, uint32_t row, struct buf *out);
/* Where a row begins, in ns or numbers. */
double latency_map_bound(const struct latency_map_options *options, uint32_t row);
void latency_map_done(struct latency_map *map);

#endif
