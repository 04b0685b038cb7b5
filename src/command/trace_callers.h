/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel trace --by-caller and --flame. */
#ifndef COMMAND_TRACE_CALLERS_H
#define COMMAND_TRACE_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/output.h"

struct err;
struct trace_watch_options;

struct trace_callers_command {
	bool table, flame; /* --by-caller, --flame */
	bool idle;	   /* in the flame graph */
	uint64_t rows;	   /* of the table */
};

/* Rows for OPT_INCLUDE. */
extern const struct option_def trace_callers_rows[];

/* trace: targets, calls and duration. argv: the program; NULL = none. An exit status, or -1 with
 * err set. */
int trace_callers_run(const struct trace_callers_command *o, const struct output_options *output,
		      const struct trace_watch_options *trace, char **argv, struct err *err);

#endif
