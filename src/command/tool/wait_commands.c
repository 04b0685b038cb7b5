/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel offcputime, wakeuptime and offwaketime: the same waits, added up in three ways. */
#include "command/command.h"
#include "command/tool/wait_tool.h"

static const struct option_def rows[] = {
	{ .type = OPT_INCLUDE, .include = wait_tool_selection_rows },
	{ .type = OPT_INCLUDE, .include = wait_tool_output_rows },
	{ 0 },
};

static void defaults(void *options)
{
	wait_tool_defaults(options);
}

static int offcputime_run(void *options, int argc, char **argv, struct err *err)
{
	return wait_tool_run(options, &offcputime, (struct option_words){ argc, argv }, err);
}

static int wakeuptime_run(void *options, int argc, char **argv, struct err *err)
{
	return wait_tool_run(options, &wakeuptime, (struct option_words){ argc, argv }, err);
}

static int offwaketime_run(void *options, int argc, char **argv, struct err *err)
{
	return wait_tool_run(options, &offwaketime, (struct option_words){ argc, argv }, err);
}

#define WAIT_COMMAND(title, says)                                      \
	const struct command cmd_##title = {                           \
		.name = #title,                                        \
		.args = "[options] [duration | -- program arguments]", \
		.summary = says,                                       \
		.options = rows,                                       \
		.options_size = sizeof(struct wait_tool_options),      \
		.defaults = defaults,                                  \
		.run = title##_run,                                    \
		.keeps_dashes = true,                                  \
	}

WAIT_COMMAND(offcputime, "sum off-CPU time by stack");
WAIT_COMMAND(wakeuptime, "sum blocked time by the waker's stack");
WAIT_COMMAND(offwaketime, "sum blocked time by the thread's stack and the waker's stack");
