/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of system calls in a run, and where its data goes: lines to the options' function,
 * sums into memory. */
#ifndef SESSION_TRACE_COLLECT_H
#define SESSION_TRACE_COLLECT_H

#include "event/sink.h"
#include "session/run.h"
#include "session/trace/trace_watch.h"

struct err;
struct source;

struct trace_collect {
	struct sink sink; /* first */
	const struct trace_watch_options *options;
	struct syscall_sums *sums;
	struct source *source;
	struct run *run; /* NULL = not opened */
};

/* The options and sums are borrowed. */
void trace_collect_init(struct trace_collect *collect, const struct trace_watch_options *options,
			struct syscall_sums *sums);
/* Opens the source, which traces the run's program if it has one, and adds it to the run. */
int trace_collect_open(struct trace_collect *collect, struct run *run, struct err *err);
/* Ends the run if the options' limit was reached. */
void trace_collect_look(struct trace_collect *collect);
/* After the run; code = that of a failure. Fills in what the sums lack. */
void trace_collect_close(struct trace_collect *collect, int code);

#endif
