/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduling behaviour of recorded threads, for replay: how long each ran between sleeps, and
 * which threads it woke. Sleeps ended by an interrupt on an idle CPU, of a timer or a device,
 * become pauses of the same length. */
#ifndef PROFILE_SCHED_WORKLOAD_H
#define PROFILE_SCHED_WORKLOAD_H

#include <stdint.h>

#include "base/vec.h"
#include "profile/sched/sched.h"

enum sched_atom_kind {
	SCHED_ATOM_RUN,	  /* compute for ns */
	SCHED_ATOM_SLEEP, /* until woken by another of the threads */
	SCHED_ATOM_PAUSE, /* sleep for ns */
	SCHED_ATOM_WAKE,  /* wake `task` */
};

struct sched_atom {
	uint8_t kind;  /* enum sched_atom_kind */
	uint32_t task; /* sched_task.index */
	uint64_t ns;
};

struct sched_actor {
	const struct sched_task *task; /* NULL: never seen */
	VEC(struct sched_atom) atom;
	/* Private: the atom of the sleep that is on + 1, and when it began. */
	size_t sleeping;
	uint64_t since_ns;
};

struct sched_workload {
	struct sched_sink sink;	       /* first */
	VEC(struct sched_actor) actor; /* by sched_task.index */
	VEC(uint64_t) switched_ns;     /* by CPU: since when its thread's running is not counted */
	uint64_t runs, sleeps, pauses, wakeups, targetless;
};

void sched_workload_init(struct sched_workload *workload);
/* Drops sleeps without a wakeup. */
void sched_workload_finish(struct sched_workload *workload);
void sched_workload_done(struct sched_workload *workload);

#endif
