/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of each turn of a thread on a CPU, and the sums per thread. At a switch at time t,
 * for the thread that leaves:
 *
 *   ----|------------------|-----------------|-----------------|----
 *    it left before     it was woken      it got the CPU       t
 *       |------------- waited ---------------|------- ran ------|
 *                          |---- delayed ----|
 *
 * Waiting counts as preempted, in uninterruptible sleep (state D) or asleep, by how it left before.
 */
#ifndef PROFILE_SCHED_TIMES_H
#define PROFILE_SCHED_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/sched/sched.h"

/* One turn, all in nanoseconds. */
struct sched_turn {
	uint64_t run, delay, sleep, disk, preempted;
};

struct sched_times_row {
	const struct sched_task *task; /* NULL: never seen */
	struct sched_turn last, total;
	uint64_t turns, min_run, max_run, migrations;
	double mean_run, square_run; /* running mean, and sum of squared distances from it */
	/* Private: */
	uint64_t left_ns, woken_ns;
	char left_state;
};

struct sched_idle {
	struct sched_times_row row;
	uint32_t before; /* task->index + 1 of the previous thread on the CPU; 0: unknown */
};

/* What to look at; zero means everything. */
struct sched_window {
	uint64_t start_ns, end_ns; /* 0 = open */
};

struct sched_times {
	struct sched_window window;
	bool idle_only; /* idle time counts, as that of the thread which left the CPU to it */
	VEC(struct sched_times_row) row; /* by sched_task.index */
	VEC(struct sched_idle) idle;	 /* by CPU */
	VEC(uint64_t) switched_ns;	 /* by CPU: its latest switch */
	uint64_t first_ns, last_ns;	 /* of the part that counts; 0 = none */
};

/* The account of the thread that leaves a CPU: its own, or that CPU's idle task's. */
struct sched_times_row *sched_times_leaver(struct sched_times *times,
					   const struct sched_event *event);
struct sched_times_row *sched_times_of(struct sched_times *times, const struct sched_task *task);

/* Takes a switch in. True when it lies in the window: row->last is the turn that ends, *ret_ns when
 * (the end of the window if it ends later). `counted` false: it only moves the clocks on. */
bool sched_times_switch(struct sched_times *times, const struct sched_event *event, bool counted,
			uint64_t *ret_ns);
void sched_times_wakeup(struct sched_times *times, const struct sched_event *event);
/* Standard error of the mean turn, in percent of the mean. */
double sched_times_deviation(const struct sched_times_row *row);
void sched_times_done(struct sched_times *times);

#endif
