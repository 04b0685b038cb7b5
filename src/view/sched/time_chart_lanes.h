/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lanes of a time chart that are neither CPUs nor states of threads: which are shown, in which
 * order, and their words. For both kinds of picture. */
#ifndef VIEW_TIME_CHART_LANES_H
#define VIEW_TIME_CHART_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct buf;
struct sched_lane_span;
struct sched_lanes;
struct sched_spans;
struct time_chart_options;

struct chart_lanes {
	const struct sched_lanes *lanes;
	const struct time_chart_options *options;
	uint64_t start_ns, end_ns;
	VEC(uint32_t) shown;	/* first those of the machine, then those of threads */
	size_t machine;		/* how many of the former */
	size_t left_out;	/* threads that are too many */
	uint32_t *first, *next; /* by lane, by span: a span + 1 */
};

/* What is drawn of a span; ns is how long it took of that. */
struct chart_lane_part {
	uint64_t start_ns, end_ns, ns;
};

/* What of the recording is drawn. */
void time_chart_range(const struct sched_spans *spans, const struct time_chart_options *options,
		      uint64_t *ret_start_ns, uint64_t *ret_end_ns);
void chart_lanes_make(const struct sched_spans *spans, const struct time_chart_options *options,
		      struct chart_lanes *ret);
void chart_lanes_done(struct chart_lanes *lanes);
/* Returns false if it is outside of the picture. */
bool chart_lanes_part(const struct chart_lanes *lanes, size_t span, struct chart_lane_part *ret);
/* "interrupts CPU 0", "disk vda", "eth0 sent", "dd 4711 I/O"; of a thread's name at most so many
 * letters. */
void chart_lane_name(const struct sched_lanes *lanes, uint32_t lane, size_t most, struct buf *ret);
/* Packets have none. */
bool chart_lane_has_times(const struct sched_lanes *lanes, uint32_t lane);
/* ", 12 requests, 49152 bytes" of all that ended in the picture. */
void chart_lane_put_amount(const struct chart_lanes *lanes, uint32_t lane, uint8_t doing,
			   struct buf *ret);
/* "read, fd 3, 4096 bytes" */
void chart_lane_span_text(const struct sched_lanes *lanes, const struct sched_lane_span *span,
			  struct buf *ret);

#endif
