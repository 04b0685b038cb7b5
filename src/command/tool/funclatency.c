/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel funclatency: how long functions take, as a distribution. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "bpf/probe_times.h"
#include "command/command.h"
#include "command/tool/probe_tool.h"
#include "view/probe/call_latency.h"

#define WORDS (sizeof(struct probe_times) / sizeof(uint64_t))

struct funclatency_options {
	struct probe_tool_options probe; /* first */
	bool milliseconds, microseconds, by_function;
	const char *steps;
};

#define FIELD(name) OPT(funclatency_options, name)

static const struct option_def funclatency_rows[] = {
	{ "milliseconds", 'm', OPT_FLAG, NULL, FIELD(milliseconds), "times in milliseconds" },
	{ "microseconds", 'u', OPT_FLAG, NULL, FIELD(microseconds), "times in microseconds" },
	{ "function", 'F', OPT_FLAG, NULL, FIELD(by_function), "one distribution per function" },
	{ "linear", 0, OPT_STR, "FROM:STEP", FIELD(steps),
	  "steps of equal size, not powers of two: 62 of them" },
	{ .type = OPT_INCLUDE, .include = probe_tool_rows },
	{ 0 },
};

static struct call_latency_view view_of(const struct tool_run *run)
{
	const struct funclatency_options *o = run->options;
	const struct probe_tool_run *self = (const struct probe_tool_run *)run;
	const struct probe_times_choice *times = &self->set.choice.times;

	return (struct call_latency_view){ o->milliseconds   ? "msecs"
					   : o->microseconds ? "usecs"
							     : "nsecs",
					   times->unit_ns, times->from, times->step };
}

static int parse_steps(const char *text, struct probe_times_choice *ret, struct err *err)
{
	char end;

	if (sscanf(text, "%" SCNu64 ":%" SCNu64 "%c", &ret->from, &ret->step, &end) != 2 ||
	    !ret->step || ret->from > UINT32_MAX || ret->step > UINT32_MAX)
		return command_usage(err, "--linear: expected FROM:STEP, as 0:100");
	return 0;
}

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	const struct funclatency_options *o = run->options;
	struct probe_tool_run *self = (struct probe_tool_run *)run;
	struct probe_times_choice *times = &self->set.choice.times;
	int code = 0;

	if (o->milliseconds && o->microseconds)
		return command_usage(err, "-m and -u cannot be combined");
	self->returns = true;
	self->kernel = true;
	times->by_function = o->by_function;
	times->unit_ns = o->milliseconds ? 1000000 : o->microseconds ? 1000 : 1;
	if (o->steps)
		code = parse_steps(o->steps, times, err);
	if (!code)
		code = probe_tool_set_up(run, words, err);
	if (code)
		return code;
	if (self->set.choice.tracepoints.count || self->set.others)
		return command_usage(err, "only whole functions have a duration");
	return 0;
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct funclatency_options *o = run->options;
	const struct probe_tool_run *self = (const struct probe_tool_run *)run;
	const uint64_t *words = run->interval.prints ? run->fresh : run->all;
	const struct call_latency_view view = view_of(run);
	size_t count = run->cells / WORDS;
	struct call_latency *times = mem_zalloc((count + 1) * sizeof(*times));

	for (size_t i = 0; i < count; i++)
		times[i] = (struct call_latency){
			.name = o->by_function ? self->set.choice.names.item[i] : NULL,
			.calls = words[i * WORDS],
			.returned = words[i * WORDS + 1],
			.total_ns = words[i * WORDS + 2],
			.slot = words + i * WORDS + 3,
		};
	(o->probe.tool.json ? call_latency_json : call_latency_text)(times, count, &view, out);
	free(times);
}

static const struct tool funclatency = {
	.source = "probe_times",
	.state_size = sizeof(struct probe_tool_run),
	.own_words = true,
	.map = { .thing = "calls" },
	.set_up = set_up,
	.put_head = probe_tool_head,
	.print = print,
	.done = probe_tool_done,
};

TOOL_COMMAND(funclatency, tool_main, &funclatency,
	     .args = "[options] FUNCTION... [-- program arguments]",
	     .summary = "show the distribution of the time that functions take",
	     .options = funclatency_rows, .options_size = sizeof(struct funclatency_options),
	     .keeps_dashes = true);
