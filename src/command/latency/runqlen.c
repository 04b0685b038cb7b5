/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqlen: how many threads wait for a CPU, sampled. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/latency/tool.h"
#include "command/option/option.h"
#include "event/event.h"
#include "session/watch.h"
#include "view/latency/latency_map.h"
#include "view/latency/queue_length.h"

#define DEFAULT_HZ    99
#define MAP_COLUMN_NS 250000000u

struct runqlen_options {
	struct queue_length_options view;
	bool timestamp, json;
	uint64_t frequency_hz;
	const char *heat_map;
};

#define FIELD(name) OPT(runqlen_options, name)

static const struct option_def runqlen_rows[] = {
	{ "timestamp", 'T', OPT_FLAG, NULL, FIELD(timestamp),
	  "print the time of day before each distribution" },
	{ "runqocc", 'O', OPT_FLAG, NULL, FIELD(view.occupancy),
	  "print run queue occupancy: the share of time with waiting threads" },
	{ "cpus", 'C', OPT_FLAG, NULL, FIELD(view.per_cpu), "one distribution per CPU" },
	{ "frequency", 'F', OPT_UINT, "HZ", FIELD(frequency_hz),
	  "samples per second and CPU (default 99)" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, one line per interval" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", FIELD(heat_map),
	  "write a heat map of the lengths over time to FILE (.svg, or a page: .html)" },
	{ 0 },
};

struct runqlen {
	struct sink sink; /* first */
	const struct runqlen_options *options;
	struct watch watch;
	struct tool_interval interval;
	uint64_t *before, *fresh; /* counts until the look before, and since */
	struct latency_map map;
	uint64_t looks;
};

static int print(const struct runqlen *self, const struct queue_lengths *queues, struct err *err)
{
	const struct runqlen_options *o = self->options;
	struct buf out = { 0 };

	if (o->json) {
		queue_length_json(queues, &o->view, &out);
	} else {
		tool_put_head(o->timestamp, &out);
		queue_length_text(queues, &o->view, &out);
	}
	return command_end_output(0, NULL, &out, err);
}

/* At each look, and at the end unless enough was printed. */
static int take_lengths(struct sink *sink, const struct event *event, struct err *err)
{
	struct runqlen *self = (struct runqlen *)sink;
	struct queue_lengths queues = { .cpus = event->run_lengths.cpus,
					.lengths = event->run_lengths.lengths };
	size_t cells = (size_t)queues.cpus * queues.lengths;
	int code = 0;

	if (self->watch.run.end == RUN_ENOUGH)
		return 0;
	if (!self->before) {
		self->before = mem_zalloc(cells * sizeof(*self->before));
		self->fresh = mem_zalloc(cells * sizeof(*self->fresh));
	}
	queue_lengths_since(event->run_lengths.count, cells, self->before, self->fresh);
	queues.count = self->fresh;
	queue_lengths_map(&queues, self->looks++ * self->map.column_ns, &self->map);
	if (!self->interval.prints)
		queues.count = self->before;
	if (self->interval.prints || !watch_goes_on(&self->watch))
		code = print(self, &queues, err);
	if (self->interval.prints && tool_interval_ends(&self->interval))
		run_finish(&self->watch.run, RUN_ENOUGH);
	return code;
}

static int announce(void *context, struct err *err)
{
	(void)err;
	if (!((struct runqlen *)context)->options->json)
		tool_announce("Sampling run queue length... Hit Ctrl-C to end.\n");
	return 0;
}

static void runqlen_defaults(void *options)
{
	((struct runqlen_options *)options)->frequency_hz = DEFAULT_HZ;
}

static int runqlen_run(void *options, int argc, char **argv, struct err *err)
{
	static const struct latency_map_options view = { .title = "Run queue length",
							 .thing = "samples",
							 .number = "threads waiting" };
	const struct runqlen_options *o = options;
	struct runqlen self = { .sink.event = take_lengths, .options = o };
	int code = tool_interval_parse((struct option_words){ argc, argv },
				       o->heat_map ? MAP_COLUMN_NS : 0, &self.interval, err);

	if (code)
		return code;
	if (!o->frequency_hz)
		return command_usage(err, "-F: expected a frequency above 0");
	self.map.column_ns = self.interval.ns ? self.interval.ns : 1;
	self.watch = (struct watch){ .source = "run_lengths",
				     .options = { .frequency.hz = o->frequency_hz },
				     .sink = &self.sink,
				     .interval_ns = self.interval.ns,
				     .opened = announce,
				     .context = &self };
	code = watch_source(&self.watch, err);
	if (!code)
		code = tool_write_map(o->heat_map, &self.map, &view, err);
	latency_map_done(&self.map);
	free(self.before);
	free(self.fresh);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_runqlen = {
	.name = "runqlen",
	.args = "[options] [interval [count]]",
	.summary = "show the distribution of run queue lengths",
	.options = runqlen_rows,
	.options_size = sizeof(struct runqlen_options),
	.defaults = runqlen_defaults,
	.run = runqlen_run,
};
