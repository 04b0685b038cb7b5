/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results of traced calls as strace writes them, with the files behind descriptors.
 */
#ifndef SESSION_TRACE_ARGUMENT_H
#define SESSION_TRACE_ARGUMENT_H

struct buf;
struct trace_argument;
struct trace_call;
struct trace_files;

void trace_put_argument(struct trace_files *files, const struct trace_argument *argument,
			struct buf *out);
/* After trace_follow(). */
void trace_put_result(struct trace_files *files, const struct trace_call *call, struct buf *out);

#endif
