/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel trace record: the system calls of programs into perf.data, as perf trace record does. */
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/record/record_options.h"
#include "command/trace_events.h"
#include "session/record/recording_options.h"

extern const struct command cmd_record;

struct trace_record_options {
	struct recording_options record; /* first */
	enum trace_faults faults;
};

static const struct option_def trace_record_rows[] = {
	{ "pf", 'F', OPT_CHOICE, "WHICH", OPT(trace_record_options, faults),
	  "record page faults as well: all, maj (from disk) or min", .choices = TRACE_FAULTS },
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

static int trace_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct trace_record_options *o = options;
	struct source_options *source = &o->record.source;

	trace_events_add(source, "raw_syscalls:sys_enter");
	trace_events_add(source, "raw_syscalls:sys_exit");
	trace_events_between(o->faults, false, source);
	source->data |= o->faults != TRACE_FAULTS_NONE; /* addresses, and mappings of data */
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
