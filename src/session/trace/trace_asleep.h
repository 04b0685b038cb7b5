/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks of threads that sleep or are stopped when tracing begins: no event has them. The
 * bytes of the stack are read by the process that may, and unwound by the one that reads binaries.
 * Not thread-safe. */
#ifndef SESSION_TRACE_ASLEEP_H
#define SESSION_TRACE_ASLEEP_H

#include <stdint.h>

#include "bpf/syscall_place.h"
#include "source/thread_stack.h"

struct syscall_line;
struct trace_asleep;
struct trace_stack;

struct trace_asleep_thread {
	uint32_t pid, tid;
	uint64_t start_ns; /* of the line */
	struct syscall_place place;
	uint64_t stack_len; /* 0 = it could not be read */
	uint8_t stack[THREAD_STACK_MOST];
};

/* Of a line with a place. */
void trace_asleep_read(const struct syscall_line *line, struct trace_asleep_thread *ret);

struct trace_asleep *trace_asleep_new(void);
void trace_asleep_free(struct trace_asleep *asleep); /* NULL is fine */
/* At most `most` frames, 0 = all. To be freed. */
struct trace_stack *trace_asleep_stack(struct trace_asleep *asleep,
				       const struct trace_asleep_thread *thread, uint64_t most);

#endif
