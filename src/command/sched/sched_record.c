/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched record: the machine's scheduler events into perf.data, as perf sched record does;
 * timechart_record.c adds others. */
#include <unistd.h>

#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "command/sched/sched_record.h"
#include "session/record/recording_options.h"

extern const struct command cmd_record;

const struct option_def sched_record_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

/* sched_stat_wait and its kin need a kernel built with schedule statistics, and nothing here reads
 * them. */
static const char *const events[] = {
	"sched:sched_switch",	  "sched:sched_stat_runtime", "sched:sched_process_fork",
	"sched:sched_wakeup_new", "sched:sched_migrate_task", "sched:sched_waking",
};

void sched_record_all(struct recording_options *o)
{
	o->source.system_wide = true;
	o->source.raw = true;
	o->source.period = 1;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
}

void sched_record_defaults(void *options)
{
	struct recording_options *o = options;

	sched_record_all(o);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct record_selector selector = { .text = events[i] };

		vec_push(&o->source.selector, selector);
	}
}

int sched_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct recording_options *o = options;

	if (o->source.pids || o->source.tids || o->source.user)
		o->source.system_wide = false; /* what was asked for, not the default */
	return cmd_record.run(options, argc, argv, err);
}

void sched_record_done(void *options)
{
	recording_options_done(options);
}

const struct command cmd_sched_record = {
	.name = "sched record",
	.args = "[options] [-- program arguments]",
	.summary = "record scheduler events",
	.options = sched_record_rows,
	.options_size = sizeof(struct recording_options),
	.defaults = sched_record_defaults,
	.run = sched_record_run,
	.done = sched_record_done,
	.takes_program = true,
};
