/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace trace: the kernel's text as it comes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "command/command.h"
#include "command/ftrace/ftrace_options.h"
#include "format/ftrace/ftrace_json.h"
#include "format/ftrace/ftrace_line.h"

struct printer {
	int fd;
	const char *name;
	struct ftrace_json json;
	struct buf text;
};

static int set_list(void *field, const char *value, bool negated, struct err *err)
{
	struct ftrace_command *command = field;

	(void)negated;
	(void)err;
	command->list = true;
	command->list_glob = value;
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
	{ "funcs", 'F', OPT_CALL, "[GLOB]", 0, "list the functions that can be traced", set_list },
	{ "func-opts", 0, OPT_CALL, "LIST", OPT(ftrace_command, watch.setup),
	  "of the tracer function: call-graph, irq-info", set_function_options },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_graph_rows },
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
	struct printer *printer = context;
	int code;

	text_tidy_lines(lines, len);
	code = fd_write_all(printer->fd, lines, len);
	return code ? err_set(err, code, "%s: %s", printer->name, strerror(-code)) : 0;
}

static void add_json(void *context, const struct ftrace_line *line)
{
	struct printer *printer = context;

	ftrace_json_add(&printer->json, line, &printer->text);
}

static int print_json(void *context, char *lines, size_t len, struct err *err)
{
	struct printer *printer = context;
	int code;

	ftrace_command_lines(lines, len, add_json, printer);
	code = print_text(printer, printer->text.data, printer->text.len, err);
	buf_clear(&printer->text);
	return code;
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
	int code = ftrace_list_functions(command->list_glob, &text, err);

	return command_end_output(code, command->output.path, &text, err) ? -1 : EXIT_STATUS_OK;
}

static int open_output(const struct output_options *output, struct printer *printer,
		       struct err *err)
{
	printer->fd = STDOUT_FILENO;
	printer->name = "standard output";
	if (!output->path || strcmp(output->path, "-") == 0)
		return 0;
	printer->name = output->path;
	printer->fd = output_file_open_in_place(output->path, 0666);
	return printer->fd < 0 ? output_file_error(output->path, printer->fd, err) : 0;
}

static int trace_run(void *options, int argc, char **argv, struct err *err)
{
	struct ftrace_command *command = options;
	struct ftrace_watch_options *watch = &command->watch;
	struct printer printer = { 0 };
	uint64_t lost;
	int status;

	argv = argc ? argv : NULL;
	if (command->list)
		return list_functions(command, err);
	if (!watch->setup.tracer)
		watch->setup.tracer = default_tracer(command);
	status = ftrace_command_setup(command, argv, err);
	if (status)
		return status;
	if (open_output(&command->output, &printer, err))
		return -1;
	watch->context = &printer;
	watch->text = command->output.json ? print_json : print_text;
	watch->heading = command->output.json ? NULL : print_text;
	if (command->output.json)
		watch->setup.options |= FTRACE_GRAPH_FIELDS;
	if (ftrace_command_run(command, argv, &lost, &status, err) == 0 && command->output.json) {
		ftrace_json_end(&printer.json, &printer.text);
		if (print_text(&printer, printer.text.data, printer.text.len, err))
			status = -1;
	}
	ftrace_json_end(&printer.json, &printer.text);
	buf_done(&printer.text);
	if (printer.fd > STDERR_FILENO)
		(void)close(printer.fd); /* what could not be written was reported */
	return status;
}

const struct command cmd_ftrace_trace = {
	.name = "ftrace trace",
	.args = "[options] [-- program arguments]",
	.summary = "print functions, call graphs, latencies or events as they happen",
	.options = trace_rows,
	.options_size = sizeof(struct ftrace_command),
	.done = ftrace_command_done,
	.run = trace_run,
	.takes_program = true,
};
