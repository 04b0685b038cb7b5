/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's history, a line per event, and its summary, as perf sched timehist (6.12) prints
 * them. A sink: lines are appended to `out` while events arrive, and the caller may empty
 * `out` in between. */
#ifndef VIEW_SCHED_HISTORY_H
#define VIEW_SCHED_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/sched/sched_times.h"

struct buf;

struct sched_history_options {
	bool summary, summary_only;
	bool cpu_visual, migrations, next, state, wakeups, priority;
	bool chains;	    /* and locks that threads wait for */
	uint32_t cpu_count; /* of the recorded machine; 0 = unknown */
	/* Whether a thread is looked at; NULL = all are. */
	bool (*wanted)(const void *context, const struct sched_task *task, int32_t priority);
	const void *context;
};

struct sched_history {
	struct sched_sink sink; /* first */
	const struct sched_history_options *options;
	struct sched_times times; /* window and idle_only are the user's to set */
	struct buf *out;
	bool skipped; /* some events were not looked at */
};

/* Appends the heading, unless only the summary is printed. */
void sched_history_start(struct sched_history *history, const struct sched_history_options *options,
			 struct buf *out);
/* Appends the summary, if enabled. */
void sched_history_finish(struct sched_history *history);
void sched_history_done(struct sched_history *history);
/* The summary alone (sched_summary.c). */
void sched_summary(const struct sched_history *history, struct buf *ret);

#endif
