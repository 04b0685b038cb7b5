/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel kwork record: interrupts and work of the kernel's queues into perf.data, as perf kwork
 * record does. */
#include "base/err.h"
#include "command/command.h"
#include "command/kwork/kwork_classes.h"
#include "command/record/record_options.h"
#include "profile/kwork.h"
#include "session/record/recording_options.h"

extern const struct command cmd_record;

struct kwork_record {
	struct recording_options record; /* first */
	const char *classes;
};

static const struct option_def kwork_record_rows[] = {
	{ "kwork", 0, OPT_STR, "LIST", OPT(kwork_record, classes),
	  "irq, softirq, workqueue, sched (default all but sched)" },
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

static void kwork_record_defaults(void *options)
{
	struct recording_options *o = &((struct kwork_record *)options)->record;

	o->source.system_wide = true;
	o->source.raw = true;
	o->source.period = 1;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
}

static int kwork_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct kwork_record *o = options;
	unsigned classes;
	int code = kwork_classes_parse(
		o->classes, 1u << KWORK_IRQ | 1u << KWORK_SOFTIRQ | 1u << KWORK_WORKQUEUE, &classes,
		err);

	if (code)
		return code;
	for (unsigned i = 0; i < KWORK_CLASSES; i++)
		if (classes >> i & 1)
			vec_push(&o->record.source.selector,
				 ((struct record_selector){
					 .text = kwork_events((enum kwork_class)i) }));
	return cmd_record.run(&o->record, argc, argv, err);
}

static void kwork_record_done(void *options)
{
	recording_options_done(&((struct kwork_record *)options)->record);
}

const struct command cmd_kwork_record = {
	.name = "kwork record",
	.args = "[options] [-- program arguments]",
	.summary = "record interrupts and work of the kernel's queues",
	.options = kwork_record_rows,
	.options_size = sizeof(struct kwork_record),
	.defaults = kwork_record_defaults,
	.run = kwork_record_run,
	.done = kwork_record_done,
	.takes_program = true,
};
