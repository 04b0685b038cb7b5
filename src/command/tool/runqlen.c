/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqlen: how many threads wait for a CPU, sampled. */
#include "base/err.h"
#include "bpf/run_queue_delay.h"
#include "command/command.h"
#include "command/tool/tool.h"
#include "view/latency/queue_length.h"

#define DEFAULT_HZ 99

struct runqlen_options {
	struct tool_options tool; /* first */
	struct queue_length_options view;
	uint64_t frequency_hz;
};

#define FIELD(name) OPT(runqlen_options, name)

static const struct option_def runqlen_rows[] = {
	{ "runqocc", 'O', OPT_FLAG, NULL, FIELD(view.occupancy),
	  "print run queue occupancy: the share of time with waiting threads" },
	{ "cpus", 'C', OPT_FLAG, NULL, FIELD(view.per_cpu), "one distribution per CPU" },
	{ "frequency", 'F', OPT_UINT, "HZ", FIELD(frequency_hz),
	  "samples per second and CPU (default 99)" },
	{ .type = OPT_INCLUDE, .include = tool_count_rows },
	{ 0 },
};

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	const struct runqlen_options *o = run->options;

	(void)words;
	run->watch.options.frequency.hz = o->frequency_hz;
	return o->frequency_hz ? 0 : command_usage(err, "-F: expected a frequency above 0");
}

static struct queue_lengths queues(const uint64_t *count, const struct tool_run *run)
{
	return (struct queue_lengths){ count, (uint32_t)(run->cells / RUN_QUEUE_LENGTHS),
				       RUN_QUEUE_LENGTHS };
}

static void draw(struct tool_run *run, uint64_t time_ns)
{
	const struct queue_lengths fresh = queues(run->fresh, run);

	queue_lengths_map(&fresh, time_ns, &run->map);
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct runqlen_options *o = run->options;
	const struct queue_lengths shown =
		queues(run->interval.prints ? run->fresh : run->all, run);

	(o->tool.json ? queue_length_json : queue_length_text)(&shown, &o->view, out);
}

static const struct tool runqlen = {
	.source = "run_lengths",
	.tracing = "Sampling run queue length",
	.map = { .title = "Run queue length", .thing = "samples", .number = "threads waiting" },
	.map_column_ns = 250000000,
	.set_up = set_up,
	.draw = draw,
	.print = print,
};

static void runqlen_defaults(void *options)
{
	((struct runqlen_options *)options)->frequency_hz = DEFAULT_HZ;
}

TOOL_COMMAND(runqlen, tool_main, &runqlen, .args = "[options] [interval [count]]",
	     .summary = "show the distribution of run queue lengths", .options = runqlen_rows,
	     .options_size = sizeof(struct runqlen_options), .defaults = runqlen_defaults);
