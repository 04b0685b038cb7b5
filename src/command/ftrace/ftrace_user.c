/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace -x: the function graph of a program. */
#include "command/ftrace/ftrace_user.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/ftrace/ftrace_options.h"
#include "command/ftrace/ftrace_printer.h"
#include "session/ftrace/user_graph.h"
#include "session/probe/probe_set.h"
#include "source/probe/probe_placement.h"

#define RECORD_NS 600.0 /* sending a call and its return */

/* What a probe at the entry and one at the return take, by where the first is. */
static const double call_ns[] = {
	[PROBE_COST_EMULATED] = 900,
	[PROBE_COST_STEPPED] = 5000,
	[PROBE_COST_UNKNOWN] = 5000,
	[PROBE_COST_REFUSED] = 0,
};

struct user_command {
	struct probe_set set;
	struct ftrace_printer printer;
	struct user_graph graph;
	struct function_times stacks;
	bool json;
};

static int find_functions(const struct ftrace_command *command, struct user_command *user,
			  struct err *err)
{
	const struct probe_set_options how = { .returns = true, .times = true };
	VEC(const char *) specs = { 0 };
	int code;

	for (size_t i = 0; i < command->globs.count; i++) {
		struct buf text = { 0 };

		(void)buf_printf(&text, "probe:%s:%s", command->binary, command->globs.item[i]);
		vec_push(&specs, arena_strdup(&user->set.arena, text.data));
		buf_done(&text);
	}
	code = probe_set_find(&user->set, specs.item, specs.count, &how, err);
	vec_done(&specs);
	if (!code && user->set.notes.len)
		command_print_notes(user->set.notes.data);
	return code;
}

/* Each place has a line, which ends with what the instruction there costs. */
static double average_cost(const struct probe_set *set, struct buf *ret_text)
{
	size_t count[PROBE_COST_REFUSED + 1] = { 0 }, all = 0;
	double sum = 0;

	for (unsigned cost = 0; cost <= PROBE_COST_REFUSED; cost++)
		for (const char *at = set->placed.data;
		     at && (at = strstr(at, probe_cost_name(cost))); at++)
			count[cost]++;
	for (unsigned cost = 0; cost <= PROBE_COST_REFUSED; cost++) {
		if (!count[cost])
			continue;
		all += count[cost];
		sum += (double)count[cost] * call_ns[cost];
		(void)buf_printf(ret_text, "%s%zu %s", ret_text->len ? ", " : "", count[cost],
				 probe_cost_name(cost));
	}
	return (all ? sum / (double)all : call_ns[PROBE_COST_UNKNOWN]) + RECORD_NS;
}

static double tell_cost(const struct ftrace_command *command, const struct probe_set *set)
{
	struct buf text = { 0 };
	double cost = average_cost(set, &text);
	size_t count = set->choice.places.count;

	(void)fprintf(stderr,
		      "cupel: %zu function%s of %s; a call will take about %.1f us longer (%s)\n",
		      count, count == 1 ? "" : "s", command->binary, cost / 1000,
		      text.len ? text.data : "an estimate");
	buf_done(&text);
	return cost;
}

static void take_line(void *context, const struct ftrace_line *line)
{
	struct user_command *user = context;

	if (user->json)
		ftrace_printer_json(&user->printer, line);
	else
		ftrace_printer_graph(&user->printer, line);
}

static int flush(void *context, struct err *err)
{
	return ftrace_printer_flush(&((struct user_command *)context)->printer, err);
}

static void put_stacks(struct user_command *user)
{
	function_times_sort(&user->stacks, FUNCTION_TIMES_NAME);
	for (size_t i = 0; i < user->stacks.item.count; i++)
		(void)buf_printf(&user->printer.text, "%s %llu\n", user->stacks.item.item[i].name,
				 (unsigned long long)user->stacks.item.item[i].total_ns);
}

static void warn(const struct user_graph_result *result, const struct user_graph *graph)
{
	command_print_notes(result->notes);
	if (graph->open)
		command_warn(
			"%llu calls ended without a return and have no duration: they were left by "
			"longjmp or an exception, or are nested deeper than the 64 returns of a "
			"thread that the kernel follows",
			(unsigned long long)graph->open);
	if (result->lost)
		command_warn("%llu calls and returns found no room and are missing",
			     (unsigned long long)result->lost);
	if (result->stopped_share > 0)
		command_warn("tracing stopped early: %.0f calls a second took about %.0f%% of the "
			     "program's CPU time; choose fewer functions, or permit more with "
			     "--max-cost",
			     result->stopped_rate, result->stopped_share * 100);
}

static void set_up(const struct ftrace_command *command, struct user_command *user)
{
	user->json = command->output.json;
	user->graph.names = user->set.choice.names.item;
	user->graph.depth = command->watch.setup.depth ? command->watch.setup.depth
						       : command->delay_ms;
	user->graph.context = user;
	if (command->folded)
		user->graph.stacks = &user->stacks;
	else
		user->graph.line = take_line;
	if (!command->folded && !command->output.json)
		(void)buf_puts(&user->printer.text,
			       "# tracer: functions of a program\n#\n"
			       "# CPU  TASK/PID            DURATION         FUNCTION CALLS\n"
			       "# |     |    |              |   |           |   |   |   |\n");
}

static int watch(struct ftrace_command *command, struct user_command *user, char **argv,
		 struct err *err)
{
	struct user_graph_options options = {
		.source = { .probes = &user->set.choice,
			    .pids = command->watch.setup.pids,
			    .tids = command->watch.setup.tids,
			    .system_wide = command->system_wide },
		.duration_ns = command->watch.duration_ns,
		.max_cost = (double)command->max_cost / 100,
		.flush = flush,
		.context = user,
	};
	struct user_graph_result result;
	int code, status;

	options.call_ns = tell_cost(command, &user->set);
	if (ftrace_printer_open(&user->printer, &command->output, err))
		return -1;
	set_up(command, user);
	code = user_graph_watch(&options, &user->graph, argv, &result, err);
	if (!code && command->folded)
		put_stacks(user);
	code = ftrace_printer_close(&user->printer, code, err);
	status = command_program_status(code, result.launched, result.exit_status, err);
	warn(&result, &user->graph);
	return status;
}

int ftrace_user_run(struct ftrace_command *command, char **argv, struct err *err)
{
	struct user_command user = { 0 };
	int status = -1;

	if (!command->globs.count)
		return command_usage(err, "-x requires -F: the functions of %s to trace",
				     command->binary);
	if (command->events.item.count || command->watch.setup.tracer)
		return command_usage(err, "-x cannot be combined with -e or -t");
	function_times_init(&user.stacks);
	if (find_functions(command, &user, err) == 0) {
		if (!argv && !command->watch.setup.pids && !command->watch.setup.tids &&
		    !command->system_wide)
			status = command_end_output(0, command->output.path, &user.set.placed, err)
					 ? -1
					 : EXIT_STATUS_OK;
		else
			status = watch(command, &user, argv, err);
	}
	user_graph_done(&user.graph);
	function_times_done(&user.stacks);
	probe_set_done(&user.set);
	return status;
}
