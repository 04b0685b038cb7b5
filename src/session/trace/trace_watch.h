/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces the system calls of a program, of processes or of the machine until the program or the
 * targets exit, the time is over, or a signal arrives. */
#ifndef SESSION_TRACE_WATCH_H
#define SESSION_TRACE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/syscall_sums.h"
#include "source/options.h"
#include "source/syscall/syscall_choice.h"

struct err;
struct trace_event;
struct trace_stack;

struct trace_watch_options {
	/* Targets (source/syscall/syscall_source.h). With selectors, the events they name come in
	 * between the calls. */
	struct source_options source;
	struct syscall_choice calls;
	uint64_t duration_ns; /* 0 = no limit */
	/* With calls.lines: each call, and all that have come for now were given. Return 0 or
	 * -errno, which ends the run. */
	int (*line)(void *context, const struct syscall_line *line, struct err *err);
	int (*flush)(void *context, struct err *err);
	/* With selectors: the user stack of the call that line() gets next, NULL = not known. */
	bool stacks;
	uint64_t max_stack; /* frames, 0 = no limit */
	void (*stack)(void *context, const struct trace_stack *stack);
	/* With selectors: each other event. */
	int (*event)(void *context, const struct trace_event *event, struct err *err);
	const bool *enough; /* set by these functions: the run is to end; NULL = never */
	void *context;
};

struct trace_watch_result {
	struct syscall_sums sums;
	uint64_t lost_events; /* other than calls */
	char notes[1024];     /* of the source of these, a line each */
	bool launched;	      /* a program was run, */
	int exit_status;      /* and this is its status as a shell reports it; also 126, 127 */
};

/* argv: the program with its words, NULL = none. *ret is to be freed with
 * trace_watch_result_done() in any case. */
int trace_watch(const struct trace_watch_options *options, char **argv,
		struct trace_watch_result *ret, struct err *err);
void trace_watch_result_done(struct trace_watch_result *result);

#endif
