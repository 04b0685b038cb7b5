/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the system calls of a program, of processes or of the machine by caller: sums by call and
 * user stack, added up in the kernel, with names for the stacks. */
#ifndef SESSION_TRACE_CALLERS_H
#define SESSION_TRACE_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/syscall_callers.h"
#include "session/record/recorder.h"

struct err;
struct syscall_choice;

struct trace_callers_options {
	const struct source_options *targets;
	const struct syscall_choice *calls;
	uint64_t duration_ns; /* 0 = no limit */
	uint64_t max_stack;   /* frames; 0 = usual */
};

struct trace_callers_result {
	struct profile *profile; /* that the stacks of callers are in */
	struct syscall_callers callers;
	struct recording_result recording;
	uint64_t lost; /* calls that found no room */
};

/* argv: the program with its words, NULL = none. *ret is to be freed with
 * trace_callers_result_done() in any case. */
int trace_callers(const struct trace_callers_options *options, char **argv,
		  struct trace_callers_result *ret, struct err *err);
void trace_callers_result_done(struct trace_callers_result *result);

#endif
