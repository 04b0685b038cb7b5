/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Activity of lanes, threads or CPUs, over time: as a self-contained HTML page, and in Chrome's
 * trace format, which Perfetto opens. Pure functions; the timeline borrows all its strings.
 *
 * A lane has slices in time order. Slices of one lane may overlap (a bin in which a thread ran,
 * waited and ran again, in an unknown order): ns is the part of the slice's time that belongs to
 * it; if that is all of it, the slice is exact. */
#ifndef VIEW_TIMELINE_TIMELINE_H
#define VIEW_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct buf;
struct machine_series;
struct err;
struct state_kind;

struct timeline_slice {
	uint64_t start_ns, end_ns;
	uint64_t ns;	/* of that time */
	uint16_t kind;	/* index in kinds */
	uint32_t label; /* index in labels; 0 = none */
};

struct timeline_lane {
	const char *name;    /* "worker:4712" */
	const char *thread;  /* name without number, for merging lanes */
	const char *process; /* likewise; "" = none */
	uint32_t pid, tid;
	bool cpu; /* what a CPU did: threads do the same, so sums leave it out */
	VEC(struct timeline_slice) slice;
};

struct timeline {
	const char *title, *about;
	const char *what;    /* kind of chart, in the title of the document */
	const char *missing; /* what is known to be missing; NULL = nothing */
	uint64_t start_ns, end_ns;
	const struct state_kind *kind;
	size_t kinds;
	VEC(const char *) label; /* item 0 is "" when there are any */
	VEC(struct timeline_lane) lane;
	const struct machine_series *context; /* of the machine, same clock; NULL = none */
};

void timeline_done(struct timeline *timeline);
int timeline_html(const struct timeline *timeline, struct buf *ret, struct err *err);
void timeline_chrome_trace(const struct timeline *timeline, struct buf *ret);

#endif
