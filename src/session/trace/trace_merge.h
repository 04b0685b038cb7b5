/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts calls and other events, which come from two producers on two threads, in order of time: of
 * calls that of their return. */
#ifndef SESSION_TRACE_MERGE_H
#define SESSION_TRACE_MERGE_H

#include <stdint.h>

#include "session/trace/trace_samples.h"

struct trace_merge;

struct trace_merge *trace_merge_new(void);
void trace_merge_free(struct trace_merge *merge); /* NULL is fine */
/* Keep copies. Any thread may call them. */
void trace_merge_line(struct trace_merge *merge, const struct syscall_line *line);
void trace_merge_event(struct trace_merge *merge, const struct trace_event *event);
/* Where a call of the thread begins; takes the stack, which is given before the call's line. */
void trace_merge_begin(struct trace_merge *merge, uint32_t tid, uint64_t time_ns,
		       struct trace_stack *stack);
/* Gives all up to that time, in order, and forgets them. What comes later with an earlier time is
 * given the next time. */
int trace_merge_give(struct trace_merge *merge, uint64_t until_ns,
		     const struct trace_samples_options *to, struct err *err);

#endif
