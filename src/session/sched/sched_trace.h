/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scheduler recording (`sched record`, ours or stock perf's) read event by event, decoded and in
 * time order. One pass. */
#ifndef SESSION_SCHED_TRACE_H
#define SESSION_SCHED_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/sched/sched.h"
#include "symbol/symbolizer.h"

struct err;
struct perf_data;

struct sched_options {
	struct symbol_options symbol;
	/* Names of the call chain's functions at a switch, at most so many; 0 = none. */
	uint32_t max_stack;
	bool next_names; /* leave.next_comm is as the kernel wrote it, not the thread's latest */
	bool steps;	 /* SCHED_STEP events, too */
	bool locks;	 /* leave.lock is set, where the recording tells */
	bool progress;
	/* Called now and then, after some events: a view may print its pending output. May be
	 * NULL. */
	void (*pause)(void *context);
	void *context;
};

/* Tasks that events refer to. They live until sched_trace_free(). */
struct sched_trace;

struct sched_trace *sched_trace_new(struct perf_data *data);
void sched_trace_free(struct sched_trace *trace);

int sched_trace_read(struct sched_trace *trace, const struct sched_options *options,
		     struct sched_sink *sink, struct err *err);
/* After reading. */
bool sched_trace_has_switches(const struct sched_trace *trace);
bool sched_trace_has_steps(const struct sched_trace *trace);
const struct sched_faults *sched_trace_faults(const struct sched_trace *trace);

#endif
