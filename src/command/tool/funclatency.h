/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ways of funclatency: sums of all calls, or one for each value of an argument. */
#ifndef COMMAND_TOOL_FUNCLATENCY_H
#define COMMAND_TOOL_FUNCLATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "command/tool/probe_tool.h"
#include "view/probe/call_latency.h"

struct err;

struct funclatency_options {
	struct probe_tool_options probe; /* first */
	bool milliseconds, microseconds, by_function;
	const char *steps, *by;
	uint64_t slowest;
};

struct call_latency_view funclatency_view(const struct funclatency_options *o,
					  const struct probe_times_choice *times);
/* What the options say about the sums. 0, or the status of wrong usage. */
int funclatency_choose(const struct funclatency_options *o, struct probe_times_choice *times,
		       struct err *err);

/* With --by. */
extern const struct tool funclatency_by;

#endif
