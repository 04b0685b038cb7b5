/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Activity of CPUs and threads over time, as one picture with a row for each. In each part of a
 * row, the height of a colour is its share of time, so even short intervals count: running at the
 * bottom, then the reasons of waits. SVG without scripts, alone or in a page. */
#ifndef VIEW_TIME_CHART_H
#define VIEW_TIME_CHART_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct sched_spans;
struct sched_task;

struct time_chart_options {
	const char *title;
	uint64_t start_ns, end_ns; /* what is drawn; 0 = from the beginning, to the end */
	uint32_t width;		   /* of the time axis, in pixels; 0 = 1200 */
	uint32_t max_tasks;	   /* the busiest; 0 = all */
	bool no_cpus, no_tasks;
	bool page; /* HTML around it */
	/* Whether a thread gets a row; NULL = every one. */
	bool (*wanted)(const void *context, const struct sched_task *task);
	const void *context;
};

void time_chart(const struct sched_spans *spans, const struct time_chart_options *options,
		struct buf *ret);

#endif
