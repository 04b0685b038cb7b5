/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instance of ftrace traces: tracer, functions, threads, CPUs and events. */
#ifndef SOURCE_FTRACE_SETUP_H
#define SOURCE_FTRACE_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct err;
struct ftrace_instance;

struct ftrace_words {
	const char **item;
	size_t count;
};

struct ftrace_event {
	const char *name;   /* "sched:sched_switch", may be a glob */
	const char *filter; /* NULL = none */
	VEC(const char *) trigger;
};

/* Options of tracers: bits, one row each in setup.c. */
enum ftrace_option {
	FTRACE_CALL_GRAPH = 1 << 0,
	FTRACE_IRQ_INFO = 1 << 1,
	FTRACE_NO_SLEEP_TIME = 1 << 2,
	FTRACE_NO_IRQS = 1 << 3,
	FTRACE_VERBOSE = 1 << 4,
	FTRACE_TAIL = 1 << 5,
	FTRACE_ARGS = 1 << 6,
	FTRACE_RETVAL = 1 << 7,
	FTRACE_RETVAL_HEX = 1 << 8,
	FTRACE_RETADDR = 1 << 9,
	FTRACE_GRAPH_FIELDS = 1 << 10, /* threads and times on lines of function_graph */
};

struct ftrace_setup {
	const char *tracer; /* NULL = events only */
	struct ftrace_words functions, no_functions, graph, no_graph;
	const struct ftrace_event *event;
	size_t event_count;
	const char *pids, *tids, *cpus; /* lists; NULL = all */
	int program;			/* its pid, 0 = none */
	bool no_inherit;		/* not threads and children that begin later */
	unsigned options;		/* enum ftrace_option */
	uint64_t min_us;		/* functions that take this long */
	uint64_t depth;
	uint64_t buffer_bytes; /* per CPU, 0 = the kernel's default */
};

/* "nosleep-time,thresh=20,depth=3", and those of the tracer function: "call-graph,irq-info". */
int ftrace_parse_graph_options(struct ftrace_setup *setup, const char *text, struct err *err);
int ftrace_parse_function_options(struct ftrace_setup *setup, const char *text, struct err *err);
/* Applies all but the tracer, with tracing off. */
int ftrace_apply(struct ftrace_instance *instance, const struct ftrace_setup *setup,
		 struct err *err);
/* Switches the tracer on, with its options; what it costs begins here. */
int ftrace_use_tracer(struct ftrace_instance *instance, const struct ftrace_setup *setup,
		      struct err *err);

#endif
