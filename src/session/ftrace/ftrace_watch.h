/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of ftrace: sets up an instance, runs the program or waits, passes the kernel's text on as
 * whole lines, and restores everything. */
#ifndef SESSION_FTRACE_WATCH_H
#define SESSION_FTRACE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/ftrace/ftrace_setup.h"

struct err;

struct ftrace_watch_options {
	struct ftrace_setup setup;
	uint64_t duration_ns; /* 0 = no limit */
	uint64_t delay_ns;    /* tracing starts this long after the program */
	/* Whole lines, which the callee may change; `heading` is those in front of the first.
	 * Return 0 or -errno, which ends the run. */
	int (*text)(void *context, char *lines, size_t len, struct err *err);
	int (*heading)(void *context, char *lines, size_t len, struct err *err); /* may be NULL */
	void *context;
};

struct ftrace_watch_result {
	bool launched;
	int exit_status;
	uint64_t lost; /* events that found no room in the kernel's buffers */
};

int ftrace_watch(const struct ftrace_watch_options *options, char **argv,
		 struct ftrace_watch_result *ret, struct err *err);
/* The functions that can be traced, one a line, those that match the glob; NULL = all. */
struct buf;
int ftrace_list_functions(const char *glob, struct buf *ret, struct err *err);

#endif
