/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel trace record: the system calls of programs into perf.data, as perf trace record does. */
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/record/record_options.h"
#include "session/record/recording_options.h"

extern const struct command cmd_record;

enum fault_kind {
	FAULTS_NONE,
	FAULTS_ALL,
	FAULTS_MAJOR,
	FAULTS_MINOR,
};

struct trace_record_options {
	struct recording_options record; /* first */
	enum fault_kind faults;
};

static const struct option_def trace_record_rows[] = {
	{ "pf", 'F', OPT_CHOICE, "WHICH", OPT(trace_record_options, faults),
	  "record page faults as well: all, maj (from disk) or min",
	  .choices = "none all maj min" },
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

static void trace_record_defaults(void *options)
{
	struct recording_options *o = options;

	o->source.raw = true;
	o->source.period = 1;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
}

static void select_event(struct source_options *source, const char *event)
{
	const struct record_selector selector = { .text = event };

	vec_push(&source->selector, selector);
}

static int trace_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct trace_record_options *o = options;
	struct source_options *source = &o->record.source;

	select_event(source, "raw_syscalls:sys_enter");
	select_event(source, "raw_syscalls:sys_exit");
	if (o->faults == FAULTS_ALL || o->faults == FAULTS_MAJOR)
		select_event(source, "major-faults");
	if (o->faults == FAULTS_ALL || o->faults == FAULTS_MINOR)
		select_event(source, "minor-faults");
	source->data |= o->faults != FAULTS_NONE; /* addresses, and mappings of data */
	if (!argc && !source->pids && !source->tids && !source->user && !source->cpus)
		source->system_wide = true;
	return cmd_record.run(options, argc, argv, err);
}

static void trace_record_done(void *options)
{
	recording_options_done(options);
}

const struct command cmd_trace_record = {
	.name = "trace record",
	.args = "[options] [-- program arguments]",
	.summary = "record system calls",
	.options = trace_record_rows,
	.options_size = sizeof(struct trace_record_options),
	.defaults = trace_record_defaults,
	.run = trace_record_run,
	.done = trace_record_done,
	.takes_program = true,
};
