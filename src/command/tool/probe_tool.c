/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools that probe functions share (see probe_tool.h). */
#include "command/tool/probe_tool.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "command/output.h"
#include "source/id_list.h"

#define FIELD(name) OPT(probe_tool_options, name)

const struct option_def probe_tool_rows[] = {
	{ "interval", 'i', OPT_DURATION, "TIME", FIELD(interval_ns),
	  "print at this interval (1, 500ms), not at the end alone" },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(tool.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "timestamp", 'T', OPT_FLAG, NULL, FIELD(tool.timestamp),
	  "print the time of day at each interval" },
	{ .type = OPT_INCLUDE, .include = tool_thread_rows },
	{ "json", 0, OPT_FLAG, NULL, FIELD(tool.json), "print JSON, one line per interval" },
	{ "verbose", 'v', OPT_FLAG, NULL, FIELD(verbose),
	  "print where each probe is, and what the instruction there costs" },
	{ "at-start", 0, OPT_FLAG, NULL, FIELD(at_start),
	  "probe the first instruction of functions, not the cheapest one" },
	{ .type = OPT_END },
};

static struct probe_tool_run *self_of(struct tool_run *run)
{
	return (struct probe_tool_run *)run;
}

int probe_tool_pid(const struct tool_options *options)
{
	struct err ignored = { 0 };
	struct id_list ids = { 0 };
	int pid = 0;

	if (options->threads.pids &&
	    !id_list_parse(options->threads.pids, "process", &ids, &ignored) && ids.count)
		pid = ids.item[0];
	vec_done(&ids);
	return pid;
}

void probe_tool_notes(const struct probe_set *set, bool verbose)
{
	if (set->notes.len)
		command_print_notes(set->notes.data);
	if (verbose && set->placed.len)
		(void)fputs(set->placed.data, stderr);
}

static int find(struct probe_tool_run *self, struct option_words words, struct err *err)
{
	const struct probe_tool_options *options = self->run.options;
	const struct probe_set_options how = { .pid = probe_tool_pid(&options->tool),
					       .at_start = options->at_start,
					       .returns = self->returns };
	struct buf typed = { 0 };
	int code = 0;

	for (int i = 0; !code && i < words.argc; i++) {
		(void)buf_printf(&typed, "%s%s", i ? " " : "", words.argv[i]);
		code = probe_set_add(&self->set, words.argv[i], &how, err);
	}
	self->patterns = arena_strdup(&self->set.arena, typed.data);
	buf_done(&typed);
	if (code)
		return -1;
	probe_tool_notes(&self->set, options->verbose);
	return 0;
}

int probe_tool_set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	struct probe_tool_run *self = self_of(run);
	const struct probe_tool_options *options = run->options;
	struct option_words probes = words;

	run->interval.ns = options->interval_ns;
	run->interval.prints = options->interval_ns != 0;
	for (int i = 0; i < words.argc; i++) {
		if (strcmp(words.argv[i], "--") != 0)
			continue;
		if (i + 1 == words.argc)
			return command_usage(err, "missing program after --");
		run->watch.argv = words.argv + i + 1;
		probes.argc = i;
		break;
	}
	if (!probes.argc)
		return command_usage(err, "name a function: c:malloc, /usr/bin/bash:readline; "
					  "a static probe: usdt:BINARY:NAME; "
					  "or a tracepoint: t:sched:sched_switch");
	if (run->watch.argv && (options->tool.threads.pids || options->tool.threads.tids))
		return command_usage(err, "-p and -t cannot be combined with a program");
	run->watch.options.probes = &self->set.choice;
	return find(self, probes, err);
}

void probe_tool_head(const struct tool_run *run, struct buf *out)
{
	const struct probe_tool_run *self = (const struct probe_tool_run *)run;
	size_t count = self->set.choice.places.count + self->set.choice.tracepoints.count;

	(void)buf_printf(out, "Tracing %zu function%s for \"%s\"... Hit Ctrl-C to end.\n", count,
			 count == 1 ? "" : "s", self->patterns);
}

void probe_tool_done(struct tool_run *run)
{
	probe_set_done(&self_of(run)->set);
}
