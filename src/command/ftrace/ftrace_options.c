/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands of ftrace share (see ftrace_options.h). */
#include "command/ftrace/ftrace_options.h"

#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/tool/tool.h"
#include "format/ftrace/ftrace_line.h"

#define SETUP(field) OPT(ftrace_command, watch.setup.field)

const struct option_def ftrace_common_rows[] = {
	{ "Target", 0, OPT_GROUP, NULL, 0, NULL },
	{ "pid", 'p', OPT_STR, "LIST", SETUP(pids), "trace these processes" },
	{ "tid", 0, OPT_STR, "LIST", SETUP(tids), "trace these threads" },
	{ "all-cpus", 'a', OPT_FLAG, NULL, OPT(ftrace_command, system_wide),
	  "trace all threads; the default without a program" },
	{ "cpu", 'C', OPT_STR, "LIST", SETUP(cpus), "only on these CPUs (0-3,8)" },
	{ "no-inherit", 0, OPT_FLAG, NULL, SETUP(no_inherit),
	  "do not trace children, nor threads that begin later" },
	{ "timeout", 0, OPT_DURATION, "TIME", OPT(ftrace_command, watch.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "delay", 'D', OPT_UINT, "MS", OPT(ftrace_command, delay_ms),
	  "start tracing this many milliseconds after the program" },
	{ "buffer-size", 'm', OPT_SIZE, "SIZE", SETUP(buffer_bytes),
	  "size of the kernel's buffer for each CPU (K, M, G)" },
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "json", 0, OPT_FLAG, NULL, OPT(ftrace_command, output.json), "print JSON" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(ftrace_command, output.path),
	  "write to FILE instead of standard output" },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = accepted_ftrace_rows },
	{ .type = OPT_END },
};

const struct option_def ftrace_function_rows[] = {
	{ "Functions of the kernel", 0, OPT_GROUP, NULL, 0, NULL },
	{ "trace-funcs", 'T', OPT_LIST, "FUNC", OPT(ftrace_command, functions),
	  "trace this function, or those that match a glob; repeatable" },
	{ "notrace-funcs", 'N', OPT_LIST, "FUNC", OPT(ftrace_command, no_functions),
	  "do not trace it" },
	{ "graph-funcs", 'G', OPT_LIST, "FUNC", OPT(ftrace_command, graph),
	  "trace it with all that it calls (function_graph)" },
	{ "nograph-funcs", 'g', OPT_LIST, "FUNC", OPT(ftrace_command, no_graph),
	  "do not trace it nor what it calls (function_graph)" },
	{ .type = OPT_END },
};

static int set_graph_options(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	return ftrace_parse_graph_options(field, value, err);
}

const struct option_def ftrace_graph_rows[] = {
	{ "graph-opts", 0, OPT_CALL, "LIST", OPT(ftrace_command, watch.setup),
	  "of function_graph: nosleep-time, noirqs, verbose, tail, args, retval, retval-hex, "
	  "retaddr, thresh=USEC, depth=N",
	  set_graph_options },
	{ .type = OPT_END },
};

static struct ftrace_words words_of(const struct option_list *list)
{
	return (struct ftrace_words){ .item = list->item, .count = list->count };
}

int ftrace_command_setup(struct ftrace_command *command, char **argv, struct err *err)
{
	struct ftrace_setup *setup = &command->watch.setup;
	const struct tool_threads threads = { .pids = setup->pids, .tids = setup->tids };

	if (command->system_wide && (argv || setup->pids || setup->tids))
		return command_usage(err, "-a and a program, -p or --tid cannot be combined");
	if (argv && (setup->pids || setup->tids))
		return command_usage(err, "a program and -p or --tid cannot be combined");
	if (command->delay_ms > UINT64_MAX / 1000000)
		return command_usage(err, "--delay is too long");
	setup->functions = words_of(&command->functions);
	setup->no_functions = words_of(&command->no_functions);
	setup->graph = words_of(&command->graph);
	setup->no_graph = words_of(&command->no_graph);
	setup->event = command->events.item.item;
	setup->event_count = command->events.item.count;
	command->watch.delay_ns = command->delay_ms * 1000000;
	return tool_threads_check(&threads, err);
}

int ftrace_command_run(struct ftrace_command *command, char **argv, uint64_t *ret_lost,
		       int *ret_status, struct err *err)
{
	struct ftrace_watch_result result;
	int code = ftrace_watch(&command->watch, argv, &result, err);

	if (!code && result.lost)
		command_warn("%llu events found no room in the kernel's buffers and are missing; "
			     "larger ones: -m 8M",
			     (unsigned long long)result.lost);
	*ret_lost = result.lost;
	*ret_status = command_program_status(code, result.launched, result.exit_status, err);
	return code;
}

void ftrace_command_done(void *options)
{
	struct ftrace_command *command = options;

	for (size_t i = 0; i < command->events.item.count; i++)
		vec_done(&command->events.item.item[i].trigger);
	vec_done(&command->events.item);
}

void ftrace_command_lines(const char *lines, size_t len,
			  void (*add)(void *context, const struct ftrace_line *line), void *context)
{
	const char *end = lines + len;

	while (lines < end) {
		const char *next = memchr(lines, '\n', (size_t)(end - lines));
		struct ftrace_line line;

		next = next ? next : end;
		ftrace_line_parse(lines, (size_t)(next - lines), &line);
		add(context, &line);
		lines = next + 1;
	}
}
