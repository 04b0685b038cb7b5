/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel ftrace latency: the distribution of a function's times, or of the times between two
 * events. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "command/command.h"
#include "command/ftrace/ftrace_options.h"
#include "command/option/accepted.h"
#include "format/ftrace/ftrace_line.h"
#include "view/function_times_view.h"

struct latency {
	struct latency_counts *counts;
	/* Of a pair of events, without their systems. */
	const char *from, *to;
	struct map began; /* by thread: time of the first event, plus one */
};

static int set_pair(void *field, const char *value, bool negated, struct err *err)
{
	struct option_list *pair = field;

	(void)negated;
	(void)err;
	option_list_add(pair, value);
	return 0;
}

static const struct option_def latency_rows[] = {
	{ "trace-funcs", 'T', OPT_LIST, "FUNC", OPT(ftrace_command, functions),
	  "the function, or a glob for several" },
	{ "events", 'e', OPT_CALL, "FIRST,SECOND", OPT(ftrace_command, pair),
	  "the time from one tracepoint to another in the same thread, in microseconds", set_pair },
	{ "use-nsec", 'n', OPT_FLAG, NULL, OPT(ftrace_command, nanoseconds),
	  "count nanoseconds instead of microseconds" },
	{ "bucket-range", 0, OPT_UINT, "N", OPT(ftrace_command, latency.step),
	  "steps of this size instead of powers of two" },
	{ "min-latency", 0, OPT_UINT, "N", OPT(ftrace_command, latency.minimum),
	  "with --bucket-range: the first step begins here" },
	{ "max-latency", 0, OPT_UINT, "N", OPT(ftrace_command, latency.maximum),
	  "with --bucket-range: what is longer is counted in the last row" },
	{ "hide-empty", 0, OPT_FLAG, NULL, OPT(ftrace_command, hide_empty),
	  "leave out rows without a count" },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_graph_rows },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = ftrace_common_rows },
	{ NULL, 0, OPT_INCLUDE, NULL, 0, NULL, .include = accepted_ftrace_latency_rows },
	{ .type = OPT_END },
};

static void add_duration(void *context, const struct ftrace_line *line)
{
	struct latency *latency = context;

	if (line->has_duration)
		latency_counts_add(latency->counts, line->duration_ns);
}

static void add_event(void *context, const struct ftrace_line *line)
{
	struct latency *latency = context;
	uint64_t thread, began;

	if (line->kind != FTRACE_LINE_EVENT || !line->has_time || line->pid < 0)
		return;
	/* the idle threads of all CPUs have the same id */
	thread = (uint64_t)line->pid << 32 | (line->pid ? 0 : (uint32_t)line->cpu);
	if (ftrace_line_is(line, latency->to) && map_get(&latency->began, thread, &began) &&
	    began) {
		latency_counts_add(latency->counts, line->time_ns - (began - 1));
		map_set(&latency->began, thread, 0);
	}
	if (ftrace_line_is(line, latency->from))
		map_set(&latency->began, thread, line->time_ns + 1);
}

static int take_text(void *context, char *lines, size_t len, struct err *err)
{
	struct latency *latency = context;

	(void)err;
	ftrace_command_lines(lines, len, latency->from ? add_event : add_duration, latency);
	return 0;
}

/* "a:b,c:d", or two options. */
static int choose_pair(struct ftrace_command *command, struct latency *latency, char *copy,
		       struct err *err)
{
	char *comma = strchr(copy, ','), *second = comma ? comma + 1 : NULL;

	if (comma)
		*comma = '\0';
	if (!comma || strchr(second, ',') || command->pair.count > 1 || !strchr(copy, ':') ||
	    !strchr(second, ':') || strpbrk(copy, "*?[") || strpbrk(second, "*?["))
		return command_usage(err,
				     "-e requires two tracepoints: SYSTEM:FIRST,SYSTEM:SECOND");
	vec_push(&command->events.item, ((struct ftrace_event){ .name = copy }));
	vec_push(&command->events.item, ((struct ftrace_event){ .name = second }));
	latency->from = strchr(copy, ':') + 1;
	latency->to = strchr(second, ':') + 1;
	return 0;
}

static int check(struct ftrace_command *command, struct err *err)
{
	struct latency_counts *counts = &command->latency;

	if (!command->functions.count == !command->pair.count)
		return command_usage(err, "one of these is required: -T FUNC, or -e FIRST,SECOND");
	if (!counts->step && (counts->minimum || counts->maximum))
		return command_usage(err, "--min-latency and --max-latency require --bucket-range");
	if (counts->step && !counts->maximum)
		counts->maximum = counts->minimum + counts->step * (LATENCY_BUCKETS - 2);
	if (counts->step && counts->maximum <= counts->minimum)
		return command_usage(err, "--max-latency must be above --min-latency");
	counts->unit_ns = command->nanoseconds ? 1 : 1000;
	return 0;
}

static int print(const struct ftrace_command *command, struct err *err)
{
	const struct function_times_view view = {
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
		.hide_empty = command->hide_empty,
	};
	struct buf out = { 0 };

	if (command->output.json)
		latency_counts_json(&command->latency, &view, &out);
	else
		latency_counts_text(&command->latency, &view, &out);
	return command_end_output(0, command->output.path, &out, err);
}

static int latency_run(void *options, int argc, char **argv, struct err *err)
{
	struct ftrace_command *command = options;
	struct latency latency = { .counts = &command->latency };
	char *pair = NULL;
	int status = check(command, err);

	if (!status && command->pair.count) {
		pair = mem_strdup(command->pair.item[0]);
		status = choose_pair(command, &latency, pair, err);
	}
	if (!status && !pair) {
		command->watch.setup.tracer = "function_graph";
		command->watch.setup.options |= FTRACE_TAIL;
	}
	argv = argc ? argv : NULL;
	if (!status)
		status = ftrace_command_setup(command, argv, err);
	command->watch.text = take_text;
	command->watch.context = &latency;
	if (!status &&
	    ftrace_command_run(command, argv, &command->latency.lost, &status, err) == 0 &&
	    print(command, err))
		status = -1;
	map_done(&latency.began);
	free(pair);
	return status;
}

static void latency_done(void *options)
{
	struct ftrace_command *command = options;

	ftrace_command_done(command);
	free(command->pair.item);
}

const struct command cmd_ftrace_latency = {
	.name = "ftrace latency",
	.args = "[options] [-- program arguments]",
	.summary = "show the distribution of a function's times, or of those between two events",
	.options = latency_rows,
	.options_size = sizeof(struct ftrace_command),
	.done = latency_done,
	.run = latency_run,
	.takes_program = true,
};
