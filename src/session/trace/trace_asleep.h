/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks of threads that sleep or are stopped when tracing begins: no event has them. Stack
 * bytes and mappings are read from the process. Not thread-safe. */
#ifndef SESSION_TRACE_ASLEEP_H
#define SESSION_TRACE_ASLEEP_H

#include <stdint.h>

struct syscall_line;
struct trace_asleep;
struct trace_stack;

struct trace_asleep *trace_asleep_new(void);
void trace_asleep_free(struct trace_asleep *asleep); /* NULL is fine */
/* Of a line with a place, at most `most` frames, 0 = all. To be freed. */
struct trace_stack *trace_asleep_stack(struct trace_asleep *asleep, const struct syscall_line *line,
				       uint64_t most);

#endif
