/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of events by place: of everything, or of each thread, CPU, core and so on; over one run,
 * one interval or several runs. No I/O. Names are borrowed. */
#ifndef PROFILE_COUNTS_H
#define PROFILE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/counts/mean.h"

enum counts_by {
	COUNTS_BY_ALL,
	COUNTS_BY_CPU,
	COUNTS_BY_CORE,
	COUNTS_BY_CLUSTER,
	COUNTS_BY_CACHE,
	COUNTS_BY_DIE,
	COUNTS_BY_SOCKET,
	COUNTS_BY_NODE,
	COUNTS_BY_THREAD,
};

struct counts_event {
	const char *name;
	const char *unit;   /* "" = a plain number */
	const char *cgroup; /* NULL = any */
	const char *figure; /* the name that was asked for of what follows from it; NULL = none */
	double scale;	    /* from what is counted to the unit */
	uint32_t type;	    /* of perf_event_attr */
	uint64_t config;
	unsigned exclude; /* its modifiers; ratios are of events with the same ones */
	bool supported;
	bool per_core; /* by CPU: it is of the core, which can be several CPUs */
};

struct counts_place {
	int socket, die, cluster, cache_level, cache, core, cpu, node;
	int thread;
	char comm[16];
	unsigned cpus; /* how many it joins */
};

/* What one slot counted, or several of a place. */
struct count {
	double value; /* as counted, or scaled to the time it was enabled */
	uint64_t enabled_ns, running_ns;
	bool read; /* by anything at all */
};

/* One event at one place over the runs. */
struct counts_cell {
	struct mean value, enabled_ns, running_ns;
};

struct counts {
	enum counts_by by;
	const struct counts_event *event; /* borrowed */
	size_t events;
	const struct counts_place *place; /* borrowed */
	size_t places;
	struct counts_cell *cell; /* [event * places + place] */
	struct mean elapsed_ns;
};

/* Adds what one descriptor counted. If others took turns with it, the value is scaled to the whole
 * time, unless `as_counted`. */
void count_add(struct count *sum, const struct count *slot, bool as_counted);

/* Whether no CPU in front of it is of the same core. */
bool counts_begins_core(const struct counts_place *place, size_t at);

void counts_init(struct counts *counts);
void counts_clear(struct counts *counts);
void counts_done(struct counts *counts);
/* One run's, or one interval's. */
void counts_add(struct counts *counts, size_t event, size_t place, const struct count *count);
/* The same of all, sum[event * places + place]. By CPU, those of an event of cores become the sum
 * of the core. */
void counts_add_all(struct counts *counts, struct count *sum);
const struct counts_cell *counts_cell(const struct counts *counts, size_t event, size_t place);
/* False: it never ran there. */
bool counts_is_counted(const struct counts_cell *cell);
/* CPU clocks, which count ns. */
bool counts_is_clock(const struct counts_event *event);

#endif
