/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of scheduling delays, as perf sched latency (6.12) prints it, and the same as JSON. */
#ifndef VIEW_SCHED_LATENCY_H
#define VIEW_SCHED_LATENCY_H

#include <stdbool.h>

struct buf;
struct sched_delays;
struct sched_faults;

struct sched_latency_options {
	bool histogram; /* of all delays, below the table */
};

void sched_latency_table(const struct sched_delays *delays, const struct sched_faults *faults,
			 const struct sched_latency_options *options, struct buf *ret);
/* {"cupel":1,"rows":[…],"total":{…},"histogram":[…],"faults":{…}}, times in nanoseconds. */
void sched_latency_json(const struct sched_delays *delays, const struct sched_faults *faults,
			struct buf *ret);
/* perf's INFO lines: faults of the recording. */
void sched_faults_text(const struct sched_faults *faults, struct buf *ret);

#endif
