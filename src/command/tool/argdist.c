/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel argdist: how often values of arguments and results occur. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "command/command.h"
#include "command/output.h"
#include "command/tool/probe_tool.h"
#include "command/tool/tool.h"
#include "command/tool/value_rows.h"
#include "session/probe/argument_set.h"
#include "view/probe/argument_values.h"

#define SECOND UINT64_C(1000000000)

struct argdist_options {
	struct tool_options tool; /* first */
	struct option_list frequencies, histograms;
	uint64_t interval_ns, times, top, string_bytes;
	bool cumulative, verbose;
};

struct argdist_run {
	struct tool_run run; /* first */
	struct argument_set set;
	struct value_rows rows;
};

#define FIELD(name) OPT(argdist_options, name)

static int set_times(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t times = 0;
	int code = negated ? 0 : option_parse_number(OPT_UINT, value, &times, err);

	if (code || (!times && !negated))
		return code ? code : option_bad_value(err, value, "a number above 0");
	*(uint64_t *)field = times;
	return 0;
}

static const struct option_def argdist_rows[] = {
	{ "count", 'C', OPT_LIST, "SPEC", FIELD(frequencies),
	  "count how often each value occurs: "
	  "'p:c:malloc(size_t size):size_t:size:size>16'" },
	{ "histogram", 'H', OPT_LIST, "SPEC", FIELD(histograms),
	  "count values by their power of two: 'r:c:read():ssize_t:$retval'" },
	{ "interval", 'i', OPT_DURATION, "TIME", FIELD(interval_ns),
	  "print at this interval (1, 500ms; default 1)" },
	{ "number", 'n', OPT_CALL, "N", FIELD(times), "stop after N intervals", set_times },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(tool.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "cumulative", 'c', OPT_FLAG, NULL, FIELD(cumulative),
	  "do not begin anew at each interval" },
	{ "top", 'T', OPT_UINT, "N", FIELD(top), "print only the N most frequent values" },
	{ "string-size", 'z', OPT_UINT, "BYTES", FIELD(string_bytes),
	  "cut strings after this many bytes (at most 63, the default)" },
	{ "pid", 'p', OPT_STR, "PIDS", FIELD(tool.threads.pids), "only these processes (100,101)" },
	{ "tid", 't', OPT_STR, "TIDS", FIELD(tool.threads.tids), "only these threads" },
	{ "comm", 0, OPT_STR, "NAME", FIELD(tool.threads.comm), "only threads of this name" },
	{ "cgroup", 0, OPT_STR, "PATH", FIELD(tool.threads.cgroup),
	  "only threads in this cgroup (version 2) or below" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(tool.json), "print JSON, one line per interval" },
	{ "verbose", 'v', OPT_FLAG, NULL, FIELD(verbose),
	  "print where each probe is, and what the instruction there costs" },
	{ .type = OPT_END },
};

static struct argdist_run *self_of(struct tool_run *run)
{
	return (struct argdist_run *)run;
}

typedef VEC(struct argument_collection) collections;

static int parse(struct argdist_run *self, const struct option_list *list, bool histogram,
		 collections *ret, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < list->count; i++) {
		struct argument_collection *collection = vec_add(ret);

		*collection = (struct argument_collection){ .histogram = histogram };
		code = argument_spec_parse(list->item[i], &self->set.arena, &collection->spec, err);
		if (!code && histogram && collection->spec.expressions > 1)
			code = err_usage(err, "'%s': a histogram has one expression",
					 list->item[i]);
	}
	return code;
}

static int find_all(struct argdist_run *self, struct err *err)
{
	const struct argdist_options *options = self->run.options;
	const struct probe_set_options how = { .pid = probe_tool_pid(&options->tool) };
	collections wanted = { 0 };
	int code = parse(self, &options->frequencies, false, &wanted, err);

	if (!code)
		code = parse(self, &options->histograms, true, &wanted, err);
	if (!code)
		code = argument_set_find(&self->set, wanted.item, wanted.count, &how, err);
	for (size_t i = 0; !code && i < self->set.collections.count; i++)
		probe_tool_notes(&self->set.collections.item[i]->set, options->verbose);
	vec_done(&wanted);
	if (code)
		return err->usage ? EXIT_STATUS_USAGE : -1;
	return 0;
}

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	const struct argdist_options *options = run->options;
	struct argdist_run *self = self_of(run);
	int status;

	if (!options->frequencies.count && !options->histograms.count)
		return command_usage(err, "nothing to count: -C SPEC or -H SPEC");
	if (words.argc && strcmp(words.argv[0], "--") != 0)
		return command_usage(err, "unexpected argument '%s'", words.argv[0]);
	if (words.argc == 1)
		return command_usage(err, "missing program after --");
	if (words.argc && (options->tool.threads.pids || options->tool.threads.tids))
		return command_usage(err, "-p and -t cannot be combined with a program");
	if (options->string_bytes >= FETCH_STRING_MAX)
		return command_usage(err, "-z is at most %u", FETCH_STRING_MAX - 1);
	run->watch.argv = words.argc ? words.argv + 1 : NULL;
	run->interval.ns = options->interval_ns ? options->interval_ns : SECOND;
	run->interval.left = options->times;
	run->interval.prints = true;
	self->set.string_bytes = options->string_bytes ? (uint32_t)options->string_bytes + 1 : 0;
	status = find_all(self, err);
	run->watch.options.values = &self->set.values;
	return status;
}

static void take(struct tool_run *run, const struct event *event)
{
	const struct argdist_options *options = run->options;

	value_rows_take(&self_of(run)->rows, event, options->cumulative);
}

/* "size = 16, flags = 0x2" */
static const char *describe(const struct argument_collection *collection,
			    const struct fetch_result *result, struct arena *arena)
{
	const struct argument_spec *spec = &collection->spec;
	struct buf text = { 0 };
	const char *ret;

	if (!spec->expressions && spec->kind != 'r')
		return "total calls";
	if (!spec->expressions)
		(void)buf_puts(&text, "retval = ");
	for (size_t i = 0; i < spec->expressions || i == 0; i++) {
		if (spec->expressions)
			(void)buf_printf(&text, "%s%s = ", i ? ", " : "", spec->expression[i]);
		fetch_put(&collection->output[i], result, &text);
	}
	ret = arena_strdup(arena, text.data);
	buf_done(&text);
	return ret;
}

static void put_collection(const struct argdist_run *self, uint32_t number, struct buf *out)
{
	const struct argdist_options *options = self->run.options;
	const struct argument_collection *collection = self->set.collections.item[number];
	VEC(struct argument_row) rows = { 0 };
	struct arena arena = { 0 };
	struct argument_values values = { .label = collection->spec.label,
					  .expression = collection->spec.expressions
								? collection->spec.expression[0]
								: "retval",
					  .histogram = collection->histogram,
					  .top = options->top };

	for (size_t i = 0; i < self->rows.fresh.count; i++) {
		const struct probe_value *value = &self->rows.fresh.item[i];

		if (value->result.number != number ||
		    (collection->histogram && value->result.faults))
			continue;
		vec_push(&rows,
			 ((struct argument_row){ describe(collection, &value->result, &arena),
						 value->result.value[0], value->count }));
	}
	values.row = rows.item;
	values.rows = rows.count;
	(options->tool.json ? argument_values_json : argument_values_text)(&values, out);
	vec_done(&rows);
	arena_done(&arena);
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct argdist_run *self = (const struct argdist_run *)run;
	const struct tool_options *options = run->options;
	char time[TOOL_TIME_SIZE];

	if (options->json)
		(void)buf_puts(out, "{\"cupel\":1,\"what\":\"values\",\"collections\":[");
	else
		(void)buf_printf(out, "[%s]\n", tool_time(time));
	for (uint32_t i = 0; i < self->set.collections.count; i++) {
		if (options->json && i)
			(void)buf_putc(out, ',');
		put_collection(self, i, out);
	}
	if (options->json)
		(void)buf_puts(out, "]}\n");
}

static void put_head(const struct tool_run *run, struct buf *out)
{
	const struct argdist_run *self = (const struct argdist_run *)run;

	(void)buf_printf(out, "Tracing %zu place%s... Hit Ctrl-C to end.\n", self->set.values.count,
			 self->set.values.count == 1 ? "" : "s");
}

static void done(struct tool_run *run)
{
	struct argdist_run *self = self_of(run);

	argument_set_done(&self->set);
	value_rows_done(&self->rows);
}

static const struct tool argdist = {
	.source = "probe_values",
	.state_size = sizeof(struct argdist_run),
	.own_words = true,
	.map = { .thing = "values" },
	.set_up = set_up,
	.put_head = put_head,
	.take = take,
	.print = print,
	.done = done,
};

TOOL_COMMAND(argdist, tool_main, &argdist,
	     .args = "[options] -C SPEC | -H SPEC [-- program arguments]",
	     .summary = "count values of arguments and results of functions",
	     .options = argdist_rows, .options_size = sizeof(struct argdist_options),
	     .keeps_dashes = true);
