/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What traced calls do to file descriptors. Which call does what is here; the names are in
 * trace_files.h. */
#ifndef SESSION_TRACE_FOLLOW_H
#define SESSION_TRACE_FOLLOW_H

#include <stdbool.h>

struct syscall_choice;
struct trace_call;
struct trace_files;

/* Also has the calls sent that are followed, if calls with descriptors are wanted. */
void trace_follow_choose(struct syscall_choice *choice);
/* Before the result is written. *launched: the next program has our standard files; false
 * afterwards. */
void trace_follow(struct trace_files *files, const struct trace_call *call, bool *launched);
/* Afterwards: the closed descriptor is in the line by its name. */
void trace_follow_close(struct trace_files *files, const struct trace_call *call);

#endif
