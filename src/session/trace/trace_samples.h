/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples of a recording are for the tracer: system calls (raw_syscalls:* and syscalls:*),
 * page faults with their place, and other events with their fields as text. */
#ifndef SESSION_TRACE_SAMPLES_H
#define SESSION_TRACE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct perf_data;
struct syscall_line;
struct trace_samples;
struct trace_stack;

/* Something that happens at once, in between calls. */
struct trace_event {
	uint64_t time_ns;
	uint32_t pid, tid;
	const char *comm, *name;	 /* "minfault", "sched:sched_switch" */
	const char *text;		 /* the rest of its line */
	const struct trace_stack *stack; /* NULL = not wanted */
};

struct trace_samples_options {
	/* In the order in which the calls return. NULL: calls are not of interest. 0 or -errno. */
	int (*line)(void *context, const struct syscall_line *line, struct err *err);
	int (*event)(void *context, const struct trace_event *event, struct err *err);
	void *context;
	/* With stacks: that of the call that line() gets next, NULL = not known. And without
	 * line(), where calls begin by raw_syscalls:sys_enter: the callee owns the stack. */
	bool stacks;
	uint64_t max_stack; /* frames, 0 = no limit */
	void (*stack)(void *context, const struct trace_stack *stack);
	void (*begin)(void *context, uint32_t tid, uint64_t time_ns, struct trace_stack *stack);
};

/* The options are borrowed; data must outlive it. */
struct trace_samples *trace_samples_new(const struct trace_samples_options *options,
					const struct perf_data *data);
void trace_samples_free(struct trace_samples *samples);
/* For recording_replay(). */
struct replay_handler *trace_samples_handler(struct trace_samples *samples);

#endif
