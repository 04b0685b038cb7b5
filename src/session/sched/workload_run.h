/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a recorded workload again, with a thread for each that was recorded. */
#ifndef SESSION_WORKLOAD_RUN_H
#define SESSION_WORKLOAD_RUN_H

#include <stdint.h>

struct err;
struct sched_workload;

struct workload_time {
	uint64_t wall_ns, cpu_ns; /* from the first thread's start to the last one's end */
};

int workload_run(const struct sched_workload *workload, struct workload_time *ret, struct err *err);

#endif
