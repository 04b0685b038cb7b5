/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a program's functions, nested, with their durations: the function graph of user space.
 * Stacks follow from entries and returns; calls that longjmp() or an exception ends are
 * recognized by the stack pointer. */
#ifndef SESSION_USER_GRAPH_H
#define SESSION_USER_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/function_call.h"
#include "format/ftrace/ftrace_line.h"
#include "profile/function_times.h"
#include "source/options.h"

struct err;

struct user_call {
	uint64_t start_ns, sp, children_ns;
	uint32_t number;
};

struct user_thread {
	VEC(struct user_call) calls; /* the outermost first */
	struct function_call entry;  /* without a line so far, as it may be a leaf */
	size_t entry_depth;
	uint64_t cpu_ns; /* as of the last call or return; 0 = none yet */
	bool pending;
};

struct user_graph {
	const char *const *names; /* by number */
	uint64_t depth;		  /* deeper calls have no lines; 0 = no limit */
	/* May be NULL. The line lasts until the call returns. */
	void (*line)(void *context, const struct ftrace_line *line);
	void *context;
	struct function_times *stacks; /* "comm;outer;inner" with their own time; NULL = none */
	struct map by_tid;	       /* index */
	VEC(struct user_thread) threads;
	struct buf stack;
	uint64_t open;	 /* calls that were left without a return */
	uint64_t cpu_ns; /* that the threads used between their first and last calls */
};

void user_graph_add(struct user_graph *graph, const struct function_call *call);
/* Writes the entries of calls that go on. */
void user_graph_end(struct user_graph *graph);
void user_graph_done(struct user_graph *graph);

/* A run: of a program, or of the processes in options->source. */
struct user_graph_options {
	struct source_options source;
	uint64_t duration_ns;
	double call_ns;	 /* what a call costs the program, estimated */
	double max_cost; /* of the threads' CPU time; what costs more ends the tracing */
	int (*flush)(void *context, struct err *err);
	void *context;
};

struct user_graph_result {
	bool launched;
	int exit_status;
	uint64_t hits, lost;
	double stopped_share; /* 0 = it was not stopped, else the cost */
	double stopped_rate;  /* calls a second */
	char notes[1024];
};

int user_graph_watch(const struct user_graph_options *options, struct user_graph *graph,
		     char **argv, struct user_graph_result *ret, struct err *err);

#endif
