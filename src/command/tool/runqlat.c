/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqlat: how long threads wait for a CPU, as a distribution. */
#include "command/command.h"
#include "command/tool/interval.h"

static const struct option_def runqlat_rows[] = {
	{ .type = OPT_INCLUDE, .include = interval_rows },
	{ "pidnss", 0, OPT_FLAG, NULL, OPT(interval_options, namespaces),
	  "one distribution per PID namespace" },
	{ 0 },
};

static void runqlat_defaults(void *options)
{
	struct interval_options *o = options;

	o->interval = LEDGER_INTERVAL_RUNNABLE;
	o->what = "run queue latency";
}

TOOL_COMMAND(runqlat, tool_main, &interval_tool, .args = "[options] [interval [count]]",
	     .summary = "show the distribution of the time that threads wait for a CPU",
	     .options = runqlat_rows, .options_size = sizeof(struct interval_options),
	     .defaults = runqlat_defaults);
