/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock record: contention of the kernel's locks into perf.data, as perf lock record does. */
#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "session/record/recording_options.h"

extern const struct command cmd_record;

static const struct option_def lock_record_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

static void lock_record_defaults(void *options)
{
	static const char *const events[] = { "lock:contention_begin", "lock:contention_end" };
	struct recording_options *o = options;

	o->source.system_wide = true;
	o->source.raw = true;
	o->source.period = 1;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_FP;
	o->source.call_graph.given = true;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		vec_push(&o->source.selector, ((struct record_selector){ .text = events[i] }));
}

static int lock_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct recording_options *o = options;

	if (o->source.pids || o->source.tids || o->source.user)
		o->source.system_wide = false; /* what was asked for, not the default */
	return cmd_record.run(options, argc, argv, err);
}

static void lock_record_done(void *options)
{
	recording_options_done(options);
}

const struct command cmd_lock_record = {
	.name = "lock record",
	.args = "[options] [-- program arguments]",
	.summary = "record contention of the kernel's locks",
	.options = lock_record_rows,
	.options_size = sizeof(struct recording_options),
	.defaults = lock_record_defaults,
	.run = lock_record_run,
	.done = lock_record_done,
	.takes_program = true,
};
