/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace profile: times of the kernel's functions, by name. */
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/ftrace/ftrace_options.h"
#include "format/ftrace/ftrace_line.h"
#include "view/function_times_view.h"

static const struct option_def profile_rows[] = {
	{ "sort", 's', OPT_CHOICE, "KEY", OPT(ftrace_command, order),
	  "order of the table: total (default), avg, max, count or name",
	  .choices = "total avg max count name" },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_function_rows },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_graph_rows },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_common_rows },
	{ .type = OPT_END },
};

static void add_line(void *context, const struct ftrace_line *line)
{
	if (line->has_duration && line->name.len)
		function_times_add(context, line->name.data, line->name.len, line->duration_ns);
}

static int take_text(void *context, char *lines, size_t len, struct err *err)
{
	(void)err;
	ftrace_command_lines(lines, len, add_line, context);
	return 0;
}

static int print(const struct ftrace_command *command, struct function_times *times,
		 struct err *err)
{
	const struct function_times_view view = {
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
	};
	struct buf out = { 0 };

	function_times_sort(times, command->order);
	if (command->output.json)
		function_times_json(times, &view, &out);
	else
		function_times_text(times, &out);
	return command_end_output(0, command->output.path, &out, err);
}

static int profile_run(void *options, int argc, char **argv, struct err *err)
{
	struct ftrace_command *command = options;
	struct function_times times;
	int status;

	argv = argc ? argv : NULL;
	command->watch.setup.tracer = "function_graph";
	status = ftrace_command_setup(command, argv, err);
	if (status)
		return status;
	/* the end of a function is the line with its time */
	command->watch.setup.options |= FTRACE_TAIL;
	command->watch.text = take_text;
	command->watch.context = &times;
	function_times_init(&times);
	if (ftrace_command_run(command, argv, &times.lost, &status, err) == 0 &&
	    print(command, &times, err))
		status = -1;
	function_times_done(&times);
	return status;
}

const struct command cmd_ftrace_profile = {
	.name = "ftrace profile",
	.args = "[options] [-- program arguments]",
	.summary = "show how often functions of the kernel are called, and their times",
	.options = profile_rows,
	.options_size = sizeof(struct ftrace_command),
	.done = ftrace_command_done,
	.run = profile_run,
	.takes_program = true,
};
