/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces system calls with other events in between: page faults, tracepoints. The latter are
 * recorded into memory (session/record/) and read there, in the loop that also reads the calls. */
#ifndef SESSION_TRACE_BETWEEN_H
#define SESSION_TRACE_BETWEEN_H

struct err;
struct trace_watch_options;
struct trace_watch_result;

/* As trace_watch(), which calls it if the options select events. Lines come half a second late, to
 * be in order. */
int trace_between(const struct trace_watch_options *options, char **argv,
		  struct trace_watch_result *ret, struct err *err);

#endif
