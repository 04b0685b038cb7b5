/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traced calls as lines of text: time and duration as perf trace prints them, arguments and results
 * as strace does. */
#ifndef SESSION_TRACE_LINE_H
#define SESSION_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/syscall.h"
#include "session/trace/trace_files.h"

struct buf;
struct err;
struct trace_event;
struct trace_filter;
struct trace_stack;

struct trace_lines {
	struct trace_files files;
	uint64_t start_ns; /* times are since then; 0 = since the first call */
	bool full_time;	   /* the clock's own time instead */
	bool no_comm, no_times;
	bool json;			   /* objects instead of text */
	const struct trace_filter *filter; /* borrowed; NULL = all calls are shown */
	bool launched;			   /* the first program has our standard files */
	const struct trace_stack *stack;   /* of the next call, borrowed; NULL = none */
};

void trace_lines_init(struct trace_lines *lines, bool sees_all);
/* Processes that run already, as in a list of options. */
int trace_lines_meet(struct trace_lines *lines, const char *pids, struct err *err);
void trace_lines_done(struct trace_lines *lines);
/* Appends the line, after one that says how many are missing before it. `line` has its copies
 * behind it. False: the filter leaves it out. */
bool trace_lines_put(struct trace_lines *lines, const struct syscall_line *line, struct buf *out);
void trace_lines_put_event(struct trace_lines *lines, const struct trace_event *event,
			   struct buf *out);

#endif
