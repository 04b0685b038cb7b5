/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqlen: how many threads wait for a CPU, sampled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/latency/interval.h"
#include "event/event.h"
#include "session/run.h"
#include "source/source.h"
#include "view/latency/latency_map.h"
#include "view/latency/queue_length.h"

#define DEFAULT_HZ     99
#define MAP_COLUMNS_NS 250000000u

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
	{ "heatmap", 0, OPT_STR, "FILE", FIELD(heat_map),
	  "write a heat map of the lengths over time to FILE (SVG)" },
	{ 0 },
};

struct length_watch {
	struct sink sink; /* first */
	const struct runqlen_options *options;
	struct source *source;
	struct run run;
	struct run_timer timer;
	bool prints;	  /* at every tick, not at the end alone */
	uint64_t left;	  /* distributions to print; 0 = no limit */
	uint64_t *before; /* counts of the tick before; NULL = none yet */
	struct latency_map map;
	uint64_t tick_ns; /* of the map, counted in columns */
};

static int print(struct length_watch *watch, const struct queue_lengths *queues, struct err *err)
{
	const struct runqlen_options *o = watch->options;
	struct buf out = { 0 };
	int code;

	if (o->json) {
		queue_length_json(queues, &o->view, &out);
	} else {
		(void)buf_putc(&out, '\n');
		if (o->timestamp)
			interval_put_time(&out);
		queue_length_text(queues, &o->view, &out);
	}
	code = command_write_output(NULL, &out, err);
	buf_done(&out);
	return code;
}

static void note_column(struct length_watch *watch, const struct queue_lengths *queues)
{
	for (uint32_t cpu = 0; cpu < queues->cpus; cpu++)
		for (uint32_t i = 0; i < queues->lengths; i++) {
			uint64_t count = queues->count[cpu * queues->lengths + i];

			if (count)
				latency_map_add(&watch->map, watch->tick_ns, i, count);
		}
	watch->tick_ns += watch->map.column_ns;
}

/* What has come since the tick before; of all of it there is a copy for the next. */
static void keep_fresh(struct length_watch *watch, uint64_t *count, size_t cells)
{
	if (!watch->before)
		watch->before = mem_zalloc(cells * sizeof(*count));
	for (size_t i = 0; i < cells; i++) {
		uint64_t now = count[i];

		count[i] -= watch->before[i];
		watch->before[i] = now;
	}
}

/* At each tick, and at the end unless enough was printed. */
static int take_lengths(struct sink *sink, const struct event *event, struct err *err)
{
	struct length_watch *watch = (struct length_watch *)sink;
	size_t cells = (size_t)event->run_lengths.cpus * event->run_lengths.lengths;
	bool last = watch->run.end != RUN_GOES_ON;
	uint64_t *count;
	struct queue_lengths queues = { .cpus = event->run_lengths.cpus,
					.lengths = event->run_lengths.lengths };
	int code = 0;

	if (watch->run.end == RUN_ENOUGH)
		return 0;
	count = mem_alloc(cells * sizeof(*count));
	memcpy(count, event->run_lengths.count, cells * sizeof(*count));
	queues.count = count;
	keep_fresh(watch, count, cells);
	note_column(watch, &queues);
	if (!watch->prints)
		queues.count = watch->before;
	if (watch->prints || last)
		code = print(watch, &queues, err);
	free(count);
	if (watch->prints && watch->left && !--watch->left)
		run_finish(&watch->run, RUN_ENOUGH);
	return code;
}

static int tick(void *context, struct err *err)
{
	struct length_watch *watch = context;

	return source_snapshot(watch->source, &watch->sink, err);
}

static int draw(const struct length_watch *watch, struct err *err)
{
	static const struct latency_map_options view = { .title = "Run queue length",
							 .thing = "samples",
							 .number = "threads waiting" };
	struct buf out = { 0 };
	int code;

	latency_map_svg(&watch->map, &view, &out);
	code = command_write_output(watch->options->heat_map, &out, err);
	buf_done(&out);
	return code;
}

static int watch_lengths(struct length_watch *watch, struct err *err)
{
	const struct runqlen_options *o = watch->options;
	const struct source_options options = { .frequency.hz = o->frequency_hz };
	int code = run_open(&watch->run, err);

	if (!code)
		code = source_find("run_lengths")->open(&watch->source, &options, err);
	if (!code) {
		if (!o->json)
			(void)printf("Sampling run queue length... Hit Ctrl-C to end.\n");
		(void)fflush(stdout); /* a failure shows at the end */
		run_add_source(&watch->run, watch->source, &watch->sink);
		if (watch->timer.interval_ns)
			run_add_timer(&watch->run, &watch->timer);
		code = run_watch(&watch->run, err);
	}
	run_close(&watch->run);
	source_close(watch->source);
	return code;
}

static void runqlen_defaults(void *options)
{
	((struct runqlen_options *)options)->frequency_hz = DEFAULT_HZ;
}

static int runqlen_run(void *options, int argc, char **argv, struct err *err)
{
	struct length_watch watch = { .sink.event = take_lengths, .options = options };
	uint64_t interval_ns = 0;
	int code = interval_parse_words((struct option_words){ argc, argv }, &interval_ns,
					&watch.left, err);

	if (code)
		return code;
	if (!watch.options->frequency_hz)
		return command_usage(err, "-F: expected a frequency above 0");
	watch.prints = interval_ns != 0;
	if (!interval_ns && watch.options->heat_map)
		interval_ns = MAP_COLUMNS_NS;
	watch.timer =
		(struct run_timer){ .interval_ns = interval_ns, .due = tick, .context = &watch };
	watch.map.column_ns = interval_ns ? interval_ns : 1;
	code = watch_lengths(&watch, err);
	if (!code && watch.options->heat_map)
		code = draw(&watch, err);
	latency_map_done(&watch.map);
	free(watch.before);
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
