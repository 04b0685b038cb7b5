/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem without a subcommand: one look at a program's data. */
#include "command/mem/mem_look.h"

#include "base/err.h"
#include "command/command.h"
#include "command/mem/mem_cold.h"
#include "command/option/option.h"

#define DEFAULT_RATE (64u << 10)
#define MAX_RATE     (1ull << 40)

static const struct option_def look_rows[] = {
	{ "stalls", 0, OPT_FLAG, NULL, OPT(mem_look, stalls),
	  "where the program waits for data: samples by variable, heap block and mapping" },
	{ "watch", 0, OPT_STR, "ADDRESS|VARIABLE", OPT(mem_look, watch),
	  "who writes to it, by thread and stack; VARIABLE+OFFSET: another part of it" },
	{ "cold", 0, OPT_FLAG, NULL, OPT(mem_look, cold),
	  "how much of each mapping is not touched meanwhile (default: 10 s), of a program also of "
	  "what each stack allocated; clears the accessed bits of its pages" },
	{ "sites", 0, OPT_FLAG, NULL, OPT(mem_look, sites),
	  "of --cold: also how much of what each stack allocated; always of a program" },
	{ "after", 0, OPT_DURATION, "TIME", OPT(mem_look, after_ns),
	  "of --cold by stack: what is allocated in this time is looked at, from then on (default: "
	  "5 s)" },
	{ "reads", 0, OPT_FLAG, NULL, OPT(mem_look, reads), "of --watch: reads count as well" },
	{ "pid", 'p', OPT_STR, "PID", OPT(mem_look, pid),
	  "watch this process until it is interrupted or the time is over" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(mem_look, duration_ns),
	  "stop after this time (1, 500ms, 2m); a program is ended then" },
	{ "heap", 0, OPT_FLAG, NULL, OPT(mem_look, heap),
	  "of --stalls and a program: name heap blocks by the stack that allocated them (default; "
	  "--no-heap)" },
	{ "rate", 0, OPT_SIZE, "BYTES", OPT(mem_look, rate),
	  "allocated bytes from one followed block to the next, on average (default 64K)" },
	{ "rows", 0, OPT_UINT, "N", OPT(mem_look, rows),
	  "rows of the table, 0 = all (default 20)" },
	{ "inline", 0, OPT_FLAG, NULL, OPT(mem_look, inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(mem_look, output) },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", OPT(mem_look, flame_graph),
	  "also write a flame graph (.svg or .html) with the object on top of each stack" },
	{ "save", 0, OPT_OUTPUT, "FILE", OPT(mem_look, save),
	  "also save the recording to FILE (perf.data)" },
	{ 0 },
};

static void look_defaults(void *options)
{
	struct mem_look *o = options;

	o->rows = 20;
	o->rate = DEFAULT_RATE;
	o->heap = true;
	o->inlines = true;
	picture_options_defaults(&o->picture);
}

static int check(struct mem_look *o, char **argv, struct err *err)
{
	if (o->stalls + o->cold + !!o->watch != 1) {
		(void)command_usage(err, "expected one of --stalls, --watch and --cold");
		(void)err_hint(err,
			       "cupel mem --stalls -- PROGRAM, or --watch VARIABLE -- PROGRAM");
		return EXIT_STATUS_USAGE;
	}
	if (!argv[0] == !o->pid)
		return command_usage(err, "%s: cupel mem [options] -- program, or -p PID",
				     argv[0] ? "a program and a process" : "no program");
	if ((o->sites || o->after_ns) && !o->cold)
		return command_usage(err, "--sites and --after are of --cold");
	if (o->after_ns && o->pid && !o->sites)
		return command_usage(err, "--after: expected --sites or a program");
	if (!o->rate || o->rate > MAX_RATE)
		return command_usage(err, "--rate: expected 1 to 1T bytes");
	if (picture_check_suffix(&o->picture, o->flame_graph, err))
		return EXIT_STATUS_USAGE;
	return o->flame_graph && command_check_output(o->flame_graph, err) ? -1 : 0;
}

static int look_run(void *options, int argc, char **argv, struct err *err)
{
	struct mem_look *o = options;
	int status = check(o, argv, err);

	(void)argc;
	if (status)
		return status;
	if (o->cold)
		return argv[0] || o->sites ? mem_cold_sites_run(o, argv, err)
					   : mem_cold_run(o, err);
	return o->stalls ? mem_stalls_run(o, argv, err) : mem_watch_run(o, argv, err);
}

static void look_done(void *options)
{
	picture_options_done(&((struct mem_look *)options)->picture);
}

const struct command cmd_mem_look = {
	.name = "mem look",
	.args = "--stalls|--watch VARIABLE|--cold [options] -- program arguments | -p PID",
	.summary = "show which data a program waits for",
	.options = look_rows,
	.options_size = sizeof(struct mem_look),
	.defaults = look_defaults,
	.run = look_run,
	.takes_program = true,
	.done = look_done,
};
