/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel c2c: threads that share a cache line. */
#include "command/command.h"
#include "command/mem/mem_look.h"
#include "command/option/option.h"

static const struct option_def c2c_rows[] = {
	{ "watch", 0, OPT_STR, "ADDRESS|VARIABLE", OPT(mem_look, watch),
	  "watch the words of the cache line that this is in, four at a time; VARIABLE+OFFSET: "
	  "another line of it; without it the line that threads wait for is found first" },
	{ "pid", 'p', OPT_STR, "PID", OPT(mem_look, pid), "the process" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(mem_look, duration_ns),
	  "how long (1, 500ms, 2m; default 1s); the search takes as long" },
	{ "reads", 0, OPT_FLAG, NULL, OPT(mem_look, reads), "reads count as well" },
	{ "rows", 0, OPT_UINT, "N", OPT(mem_look, rows), "rows of each word, 0 = all (default 8)" },
	{ "inline", 0, OPT_FLAG, NULL, OPT(mem_look, inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(mem_look, output) },
	{ 0 },
};

static void c2c_defaults(void *options)
{
	struct mem_look *o = options;

	o->rows = 8;
	o->inlines = true;
}

static int c2c_run(void *options, int argc, char **argv, struct err *err)
{
	struct mem_look *o = options;

	(void)argc;
	if (argv[0] || !o->pid)
		return command_usage(err, "expected: cupel c2c [--watch ADDRESS|VARIABLE] -p PID");
	return o->watch ? mem_watch_line_run(o, err) : c2c_find_run(o, err);
}

static const struct command cmd_c2c_watch = {
	.name = "c2c watch",
	.args = "[--watch ADDRESS|VARIABLE] -p PID [options]",
	.summary = "show which threads write to which words of a cache line",
	.options = c2c_rows,
	.options_size = sizeof(struct mem_look),
	.defaults = c2c_defaults,
	.run = c2c_run,
};

extern const struct command cmd_c2c_record;
extern const struct command cmd_c2c_report;

static const struct command *const commands[] = { &cmd_c2c_watch, &cmd_c2c_record, &cmd_c2c_report,
						  NULL };

const struct command cmd_c2c = {
	.name = "c2c",
	.args = "[record|report|watch] [options]",
	.summary = "show which threads write to which words of a cache line",
	.sub = commands,
	.otherwise = &cmd_c2c_watch,
};
