/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqlen: how many threads wait for a CPU, sampled. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/latency/interval.h"
#include "session/watch.h"
#include "source/run_queue.h"
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
	  "print the share of time in which threads waited" },
	{ "cpus", 'C', OPT_FLAG, NULL, FIELD(view.per_cpu), "each CPU apart" },
	{ "frequency", 'F', OPT_UINT, "HZ", FIELD(frequency_hz),
	  "samples per second and CPU (default 99)" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, a line each time" },
	{ "heatmap", 0, OPT_STR, "FILE", FIELD(heat_map),
	  "draw the lengths over time into FILE (SVG)" },
	{ 0 },
};

struct length_watch {
	const struct runqlen_options *options;
	struct run_queue *queue;
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

static int tick(void *context, bool last, struct err *err)
{
	struct length_watch *watch = context;
	uint64_t *count;
	struct queue_lengths queues = { .lengths = RUN_QUEUE_LENGTHS };
	int code = run_queue_lengths(watch->queue, &queues.cpus, &count, err);

	if (code)
		return code;
	queues.count = count;
	keep_fresh(watch, count, (size_t)queues.cpus * queues.lengths);
	note_column(watch, &queues);
	if (watch->prints) {
		code = print(watch, &queues, err);
	} else if (last) {
		queues.count = watch->before;
		code = print(watch, &queues, err);
	}
	free(count);
	if (code)
		return code;
	return watch->prints && watch->left && !--watch->left;
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

static int run(struct length_watch *watch, uint64_t interval_ns, struct err *err)
{
	const struct runqlen_options *o = watch->options;
	struct watch_options options = {
		.fd = -1, .interval_ns = interval_ns, .tick = tick, .context = watch
	};
	int code = run_queue_open_lengths(o->frequency_hz, &watch->queue, err);

	if (code)
		return code;
	watch->prints = interval_ns != 0;
	if (!interval_ns && o->heat_map)
		options.interval_ns = MAP_COLUMNS_NS;
	watch->map.column_ns = options.interval_ns ? options.interval_ns : 1;
	if (!o->json)
		(void)printf("Sampling run queue length... Hit Ctrl-C to end.\n");
	(void)fflush(stdout); /* a failure shows at the end */
	code = session_watch(&options, err);
	if (!code && o->heat_map)
		code = draw(watch, err);
	return code;
}

static void runqlen_defaults(void *options)
{
	((struct runqlen_options *)options)->frequency_hz = DEFAULT_HZ;
}

static int runqlen_run(void *options, int argc, char **argv, struct err *err)
{
	struct length_watch watch = { .options = options };
	uint64_t interval_ns = 0;
	int code = interval_parse_words((struct option_words){ argc, argv }, &interval_ns,
					&watch.left, err);

	if (code)
		return code;
	if (!watch.options->frequency_hz)
		return command_usage(err, "-F: a frequency above 0");
	code = run(&watch, interval_ns, err);
	run_queue_close(watch.queue);
	latency_map_done(&watch.map);
	free(watch.before);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_runqlen = {
	.name = "runqlen",
	.args = "[options] [interval [count]]",
	.summary = "show how many threads wait for a CPU, as a distribution",
	.options = runqlen_rows,
	.options_size = sizeof(struct runqlen_options),
	.defaults = runqlen_defaults,
	.run = runqlen_run,
};
