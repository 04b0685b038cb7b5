/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The map of threads to CPUs, a line per switch, as perf sched map (6.12) prints it. A sink that
 * appends to `out`. */
#ifndef VIEW_SCHED_MAP_H
#define VIEW_SCHED_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/sched/sched.h"

struct buf;

/* What to show and how; ids and numbers are sorted lists with a count. */
struct sched_map_options {
	bool compact; /* a column per CPU that was used, in order of first use */
	bool (*has_cpu)(const void *context, uint32_t cpu);	 /* NULL = every CPU is shown */
	bool (*has_name)(const void *context, const char *comm); /* NULL = every thread is */
	bool (*marks_cpu)(const void *context, uint32_t cpu);	 /* coloured; NULL = none */
	bool (*marks_task)(const void *context, uint32_t tid);
	const void *context;
	uint32_t cpu_count;
};

struct sched_map {
	struct sched_sink sink; /* first */
	const struct sched_map_options *options;
	struct buf *out;
	VEC(struct sched_task *) running; /* by CPU; NULL = not known yet */
	VEC(uint32_t) column;		  /* CPUs from left to right */
	uint32_t filled;		  /* CPUs below this one have columns */
	VEC(uint16_t) name;		  /* by sched_task.index: short name + 1; 0 = none yet */
	uint16_t names;
};

void sched_map_start(struct sched_map *map, const struct sched_map_options *options,
		     struct buf *out);
void sched_map_done(struct sched_map *map);

#endif
