/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel cpudist: how long threads stay on a CPU, or off it, as a distribution. */
#include "command/command.h"
#include "command/tool/interval.h"

struct cpudist_options {
	struct interval_options interval; /* first */
	bool off_cpu;
};

static const struct option_def cpudist_rows[] = {
	{ "offcpu", 'O', OPT_FLAG, NULL, OPT(cpudist_options, off_cpu),
	  "measure off-CPU time instead: from blocking to wakeup" },
	{ "extension", 'e', OPT_FLAG, NULL, OPT(cpudist_options, interval.totals),
	  "also print average, total and count" },
	{ "include-idle", 'I', OPT_FLAG, NULL, OPT(cpudist_options, interval.idle),
	  "include the idle task of each CPU: process 0, swapper/CPU" },
	{ .type = OPT_INCLUDE, .include = interval_rows },
	{ 0 },
};

static int cpudist_run(void *options, int argc, char **argv, struct err *err)
{
	struct cpudist_options *o = options;

	o->interval.interval = o->off_cpu ? LEDGER_INTERVAL_WAITING : LEDGER_INTERVAL_RUNNING;
	o->interval.what = o->off_cpu ? "off-CPU time" : "on-CPU time";
	return tool_main(&interval_tool, o, (struct option_words){ argc, argv }, err);
}

const struct command cmd_cpudist = {
	.name = "cpudist",
	.args = "[options] [interval [count]]",
	.summary = "show the distribution of on-CPU or off-CPU time of threads",
	.options = cpudist_rows,
	.options_size = sizeof(struct cpudist_options),
	.run = cpudist_run,
};
