/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions on traced calls, in the language of the kernel's event filters:
 *
 *     fd == 3 && count > 4096          numbers: == != < <= > >= &
 *     filename ~ "*.so*"               strings: == != ~ !~ with globs
 *     flags & O_CREAT || !(ret < 0)    names of flags, signals and errors
 *
 * Names are those of the calls' arguments (syscall_arg_name()), and ret, errno, comm, common_pid
 * (the thread) and pid (the process, in calls without an argument of that name). A comparison with
 * an argument that the call does not have, or that could not be copied, is false. */
#ifndef SESSION_TRACE_FILTER_H
#define SESSION_TRACE_FILTER_H

#include <stdbool.h>

struct err;
struct syscall_choice;
struct trace_call;
struct trace_filter;

/* -EINVAL with the position. */
int trace_filter_parse(const char *text, struct trace_filter **ret, struct err *err);
/* Refuses names that no call of the choice has, and words that are no names of their values. */
int trace_filter_check(const struct trace_filter *filter, const struct syscall_choice *choice,
		       struct err *err);
/* The first argument that is compared with a string; NULL = there is none. */
const char *trace_filter_text(const struct trace_filter *filter);
bool trace_filter_accepts(const struct trace_filter *filter, const struct trace_call *call);
void trace_filter_free(struct trace_filter *filter); /* NULL is fine */

#endif
