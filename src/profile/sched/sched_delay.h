/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long threads waited for a CPU: from being woken (or preempted) to running. */
#ifndef PROFILE_SCHED_DELAY_H
#define PROFILE_SCHED_DELAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/sched/sched.h"

#define SCHED_DELAY_BUCKETS 40

struct sched_delay_row {
	const struct sched_task *task; /* one of them, when several were merged */
	size_t merged;
	uint64_t runtime_ns;
	uint64_t count; /* waits that ended */
	uint64_t total_ns, max_ns;
	uint64_t max_start_ns, max_end_ns; /* when the longest was */
	/* Private: the thread's present wait. */
	uint64_t since_ns;
	uint8_t phase;
};

struct sched_delays {
	struct sched_sink sink; /* first */
	/* Options, set before reading: */
	int32_t cpu; /* only what happens on it; -1 = all */
	/* Only run time and waits that end in this window, these with their whole length. */
	uint64_t start_ns, end_ns;
	/* By sched_task.index; then, after sched_delays_finish(), rows to be shown in order. */
	VEC(struct sched_delay_row) row;
	uint64_t runtime_ns, count;		 /* of all rows but idle ones */
	uint64_t histogram[SCHED_DELAY_BUCKETS]; /* waits of [2^i, 2^(i+1)) ns */
};

enum sched_delay_key {
	SCHED_DELAY_NONE, /* ends a list */
	SCHED_DELAY_AVERAGE,
	SCHED_DELAY_MAX,
	SCHED_DELAY_COUNT,
	SCHED_DELAY_RUNTIME,
	SCHED_DELAY_TID,
};

struct sched_delay_order {
	enum sched_delay_key key[8]; /* the first difference decides, greatest first */
	bool per_thread;	     /* else threads of one name share a row */
};

void sched_delays_init(struct sched_delays *delays, int32_t cpu);
/* Merges, drops rows that never waited, and sorts. */
void sched_delays_finish(struct sched_delays *delays, const struct sched_delay_order *order);
void sched_delays_done(struct sched_delays *delays);

#endif
