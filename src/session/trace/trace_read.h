/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the system calls of a recording of `cupel trace record` or `perf trace record`, and its
 * other events. What arguments point to is not in it. */
#ifndef SESSION_TRACE_READ_H
#define SESSION_TRACE_READ_H

#include <stdbool.h>

#include "session/trace/trace_samples.h"
#include "source/syscall/syscall_choice.h"

struct err;
struct recording;

struct trace_read_options {
	struct syscall_choice calls;
	const char *pids, *tids; /* lists; NULL = all */
	struct trace_samples_options to;
};

/* *calls: how many there are, before any choice. */
int trace_read(struct recording *recording, const struct trace_read_options *options,
	       uint64_t *calls, struct err *err);

#endif
