/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the events that come between calls, and unwinds the stacks of sleeping threads, in a child
 * in the sandbox (base/confined.h): both need binaries. What it finds comes back into a
 * trace_merge. */
#ifndef SESSION_TRACE_TRACE_READER_H
#define SESSION_TRACE_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

struct byte_queue;
struct err;
struct syscall_line;
struct trace_merge;
struct trace_reader;

struct trace_reader_options {
	bool stacks;
	uint64_t max_stack; /* frames, 0 = no limit */
	struct trace_merge *merge;
};

/* Call it before starting threads. */
int trace_reader_start(const struct trace_reader_options *options, struct trace_reader **ret,
		       struct err *err);
/* Where the recording goes. */
struct byte_queue *trace_reader_queue(const struct trace_reader *reader);
/* What it has found so far is wanted soon. */
void trace_reader_flush(struct trace_reader *reader);
/* The stack of the thread of a line with a place; waits for it. */
void trace_reader_asleep(struct trace_reader *reader, const struct syscall_line *line);
/* Waits until all was read. Returns the error of the child. */
int trace_reader_join(struct trace_reader *reader, struct err *err);
void trace_reader_free(struct trace_reader *reader); /* NULL is fine */

#endif
