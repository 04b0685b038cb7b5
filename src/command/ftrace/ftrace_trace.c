/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace trace: the kernel's text as it comes. */
#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/ftrace/ftrace_options.h"
#include "command/ftrace/ftrace_printer.h"
#include "command/ftrace/ftrace_user.h"
#include "format/ftrace/ftrace_line.h"

#define MAX_COST 25 /* percent */

static int set_list(void *field, const char *value, bool negated, struct err *err)
{
	struct ftrace_command *command = field;

	(void)negated;
	(void)err;
	command->list = true;
	if (value)
		option_list_add(&command->globs, value);
	return 0;
}

static int set_event(void *field, const char *value, bool negated, struct err *err)
{
	struct ftrace_command_event *events = field;

	(void)negated;
	(void)err;
	vec_push(&events->item, ((struct ftrace_event){ .name = value }));
	return 0;
}

static int set_filter(void *field, const char *value, bool negated, struct err *err)
{
	struct ftrace_command_event *events = field;

	(void)negated;
	if (!events->item.count)
		return err_set(err, -EINVAL, "--filter must follow the event that it is for (-e)");
	vec_last(&events->item)->filter = value;
	return 0;
}

static int set_trigger(void *field, const char *value, bool negated, struct err *err)
{
	struct ftrace_command_event *events = field;

	(void)negated;
	if (!events->item.count)
		return err_set(err, -EINVAL, "--trigger must follow the event that it is for (-e)");
	vec_push(&vec_last(&events->item)->trigger, value);
	return 0;
}

static int set_function_options(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	return ftrace_parse_function_options(field, value, err);
}

static const struct option_def trace_rows[] = {
	{ "tracer", 't', OPT_STR, "NAME", OPT(ftrace_command, watch.setup.tracer),
	  "function_graph (default), function, irqsoff, preemptoff, wakeup, wakeup_rt, wakeup_dl, "
	  "hwlat, osnoise, timerlat or another one that the kernel has" },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_function_rows },
	{ "funcs", 'F', OPT_CALL, "[GLOB]", 0,
	  "list the functions that can be traced; with -x trace these, repeatable", set_list },
	{ "func-opts", 0, OPT_CALL, "LIST", OPT(ftrace_command, watch.setup),
	  "of the tracer function: call-graph, irq-info", set_function_options },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_graph_rows },
	{ "Functions of a program", 0, OPT_GROUP, NULL, 0, NULL },
	{ "exec", 'x', OPT_STR, "BINARY", OPT(ftrace_command, binary),
	  "trace functions of this program or library, which -F names; -D is then the depth of "
	  "calls that are printed; without a target it lists them" },
	{ "max-cost", 0, OPT_UINT, "PERCENT", OPT(ftrace_command, max_cost),
	  "with -x: stop when probes take more of the program's CPU time (default 25)" },
	{ "folded", 0, OPT_FLAG, NULL, OPT(ftrace_command, folded),
	  "with -x: print stacks with their own time in ns, for a flame graph" },
	{ "Events", 0, OPT_GROUP, NULL, 0, NULL },
	{ "event", 'e', OPT_CALL, "EVENT", OPT(ftrace_command, events),
	  "trace this tracepoint (SYSTEM:NAME, also globs); without -t only events", set_event },
	{ "filter", 0, OPT_CALL, "FILTER", OPT(ftrace_command, events),
	  "of the event before: only those that match ('prev_pid > 1')", set_filter },
	{ "trigger", 0, OPT_CALL, "TRIGGER", OPT(ftrace_command, events),
	  "of the event before: what it does, such as stacktrace or traceoff", set_trigger },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_common_rows },
	{ .type = OPT_END },
};

static int print_text(void *context, char *lines, size_t len, struct err *err)
{
	return ftrace_printer_write(context, lines, len, err);
}

static void add_json(void *context, const struct ftrace_line *line)
{
	ftrace_printer_json(context, line);
}

static int print_json(void *context, char *lines, size_t len, struct err *err)
{
	ftrace_command_lines(lines, len, add_json, context);
	return ftrace_printer_flush(context, err);
}

/* As perf does: the functions decide when no tracer is named. */
static const char *default_tracer(const struct ftrace_command *command)
{
	if (command->graph.count || command->no_graph.count)
		return "function_graph";
	if (command->functions.count || command->no_functions.count)
		return "function";
	return command->events.item.count ? NULL : "function_graph";
}

static int list_functions(const struct ftrace_command *command, struct err *err)
{
	struct buf text = { 0 };
	int code = ftrace_list_functions(command->globs.count ? command->globs.item[0] : NULL,
					 &text, err);

	return command_end_output(code, command->output.path, &text, err) ? -1 : EXIT_STATUS_OK;
}

static int trace_kernel(struct ftrace_command *command, char **argv, struct err *err)
{
	struct ftrace_watch_options *watch = &command->watch;
	struct ftrace_printer printer;
	uint64_t lost;
	int code, status;

	if (!watch->setup.tracer)
		watch->setup.tracer = default_tracer(command);
	if (ftrace_printer_open(&printer, &command->output, err))
		return -1;
	watch->context = &printer;
	watch->text = command->output.json ? print_json : print_text;
	watch->heading = command->output.json ? NULL : print_text;
	if (command->output.json)
		watch->setup.options |= FTRACE_GRAPH_FIELDS;
	code = ftrace_command_run(command, argv, &lost, &status, err);
	if (!code && ftrace_printer_close(&printer, 0, err))
		return -1;
	if (code)
		(void)ftrace_printer_close(&printer, code, err);
	return status;
}

static int trace_run(void *options, int argc, char **argv, struct err *err)
{
	struct ftrace_command *command = options;
	int status;

	argv = argc ? argv : NULL;
	if (command->list && !command->binary)
		return list_functions(command, err);
	if (!command->binary && (command->folded || command->max_cost != MAX_COST))
		return command_usage(err, "--folded and --max-cost require -x");
	status = ftrace_command_setup(command, argv, err);
	if (status)
		return status;
	return command->binary ? ftrace_user_run(command, argv, err)
			       : trace_kernel(command, argv, err);
}

static void trace_defaults(void *options)
{
	((struct ftrace_command *)options)->max_cost = MAX_COST;
}

static void trace_done(void *options)
{
	struct ftrace_command *command = options;

	ftrace_command_done(command);
	free(command->globs.item);
}

const struct command cmd_ftrace_trace = {
	.name = "ftrace trace",
	.args = "[options] [-- program arguments]",
	.summary = "print functions, call graphs, latencies or events as they happen",
	.options = trace_rows,
	.options_size = sizeof(struct ftrace_command),
	.defaults = trace_defaults,
	.done = trace_done,
	.run = trace_run,
	.takes_program = true,
};
