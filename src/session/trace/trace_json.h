/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traced calls as JSON, an object for each (doc/tracing.md). */
#ifndef SESSION_TRACE_JSON_H
#define SESSION_TRACE_JSON_H

struct buf;
struct syscall_line;
struct trace_call;
struct trace_event;
struct trace_files;
struct trace_stack;

/* With the stack, NULL = none. All but the result, which is written when the call has been followed
 * (trace_follow.h). */
void trace_json_begin(struct trace_files *files, const struct trace_call *call,
		      const struct trace_stack *stack, struct buf *out);
void trace_json_end(struct trace_files *files, const struct trace_call *call, struct buf *out);
/* Instead of the latter, of a call that has not returned. */
void trace_json_open(const struct trace_call *call, struct buf *out);
/* A thread that is stopped and in no call. */
void trace_json_stopped(const struct syscall_line *line, const struct trace_stack *stack,
			struct buf *out);
/* With its newline. */
void trace_json_event(const struct trace_event *event, struct buf *out);

#endif
