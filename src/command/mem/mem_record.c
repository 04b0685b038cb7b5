/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel mem record and cupel c2c record: loads and stores with address, cost and source, as perf
 * mem record and perf c2c record take them. */
#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "session/record/recording_options.h"
#include "source/event_spec/mem_events.h"

extern const struct command cmd_record;

static const struct option_def mem_record_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

static void mem_record_defaults(void *options)
{
	struct recording_options *o = options;

	o->source.data = true;
	o->source.data_src = true;
	o->source.weight = true;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
}

static void c2c_record_defaults(void *options)
{
	struct recording_options *o = options;

	mem_record_defaults(options);
	o->source.sample_cpu = true;
	o->source.phys_data = true;
}

/* Events of -e instead of those that this machine has. */
static int mem_record_run(void *options, int argc, char **argv, struct err *err)
{
	const struct mem_events_choice choice = { .root = "", .loads = true, .stores = true };
	struct recording_options *o = options;
	struct mem_events events;

	if (!o->source.selector.count) {
		if (mem_events_choose(&choice, &events, err))
			return -1;
		vec_push(&o->source.selector, ((struct record_selector){ .text = events.text }));
	}
	return cmd_record.run(options, argc, argv, err);
}

static void mem_record_done(void *options)
{
	recording_options_done(options);
}

const struct command cmd_mem_record = {
	.name = "mem record",
	.args = "[options] [-- program arguments]",
	.summary = "record loads and stores with their addresses",
	.options = mem_record_rows,
	.options_size = sizeof(struct recording_options),
	.defaults = mem_record_defaults,
	.run = mem_record_run,
	.done = mem_record_done,
	.takes_program = true,
};

const struct command cmd_c2c_record = {
	.name = "c2c record",
	.args = "[options] [-- program arguments]",
	.summary = "record loads and stores with their addresses and CPUs",
	.options = mem_record_rows,
	.options_size = sizeof(struct recording_options),
	.defaults = c2c_record_defaults,
	.run = mem_record_run,
	.done = mem_record_done,
	.takes_program = true,
};
