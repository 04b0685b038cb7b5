/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runqlat and cpudist share: distributions of the scheduler's intervals. */
#ifndef COMMAND_INTERVAL_H
#define COMMAND_INTERVAL_H

#include <stdbool.h>

#include "command/tool/tool.h"
#include "event/ledger_account.h"

struct interval_options {
	struct tool_options tool; /* first */
	bool milliseconds, nanoseconds, processes, threads, names, namespaces, totals, idle;
	/* set by the command */
	enum ledger_interval interval;
	const char *what; /* "run queue latency" */
};

/* Rows for OPT_INCLUDE. */
extern const struct option_def interval_rows[];
extern const struct tool interval_tool;

#endif
