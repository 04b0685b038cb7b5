/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Activity of CPUs and threads over time, as one picture with a row for each. In each part of a
 * row, the height of a colour is its share of time, so even short intervals count: running at the
 * bottom, then the reasons of waits. An SVG without scripts, or a
 * timeline page. */
#ifndef VIEW_TIME_CHART_H
#define VIEW_TIME_CHART_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct err;
struct sched_spans;
struct sched_task;

struct time_chart_options {
	const char *title, *about; /* about: host and what else is known, for the page; or NULL */
	uint64_t start_ns, end_ns; /* what is drawn; 0 = from the beginning, to the end */
	uint32_t width;		   /* of the time axis, in pixels; 0 = 1200 */
	uint32_t max_tasks;	   /* the busiest; 0 = all */
	uint64_t min_ns;	   /* shorter I/O looks that long */
	bool no_cpus, no_tasks;	   /* rows of CPUs; of threads, */
	bool no_calls, no_devices; /* of their I/O; of disks and networks */
	/* Whether a thread gets a row; NULL = every one. */
	bool (*wanted)(const void *context, const struct sched_task *task);
	const void *context;
};

void time_chart(const struct sched_spans *spans, const struct time_chart_options *options,
		struct buf *ret);
int time_chart_page(const struct sched_spans *spans, const struct time_chart_options *options,
		    struct buf *ret, struct err *err);

#endif
