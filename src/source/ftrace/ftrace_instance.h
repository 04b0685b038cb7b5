/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An instance of ftrace of our own: a folder of tracefs with its own buffers, events and, for
 * tracers that permit it, its own tracer. Tracers that exist only once (function_graph before Linux
 * 6.12) and settings that all instances share are used in the shared place, and restored. A guard
 * (guard.h) removes and restores after any end. Instances of owners that are gone are removed by
 * the next open. */
#ifndef SOURCE_FTRACE_INSTANCE_H
#define SOURCE_FTRACE_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct err;
struct ftrace_instance;

/* tracer: one that is to be used, NULL = only events. It is not switched on. -EOPNOTSUPP when this
 * kernel has no such tracer, -EBUSY when it is shared and in use. */
int ftrace_instance_open(const char *tracer, struct ftrace_instance **ret, struct err *err);
/* Restores everything, and waits up to 100 ms for that. NULL is fine. */
void ftrace_instance_close(struct ftrace_instance *instance);

const char *ftrace_tracefs(const struct ftrace_instance *instance);
const char *ftrace_folder(const struct ftrace_instance *instance);
/* Files are named relative to the instance, "options/sleep-time". */
bool ftrace_has(const struct ftrace_instance *instance, const char *file);
/* Replaces the content by these lines. -errno of write(2), with a message that names the file. */
int ftrace_write_lines(struct ftrace_instance *instance, const char *file, const char *const *line,
		       size_t count, struct err *err);
int ftrace_write(struct ftrace_instance *instance, const char *file, const char *line,
		 struct err *err);
int ftrace_read(const struct ftrace_instance *instance, const char *file, struct buf *ret,
		struct err *err);
/* For reading, without waiting. Returns a descriptor or -errno. */
int ftrace_open_file(const struct ftrace_instance *instance, const char *file, struct err *err);

/* What to write back to restore a file with this content. Exposed for tests. */
void ftrace_old_content(const char *text, struct buf *ret);

#endif
