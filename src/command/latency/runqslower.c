/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqslower: threads that waited long for a CPU, one by one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "bpf/run_queue_delay.h"
#include "command/command.h"
#include "command/latency/tool.h"
#include "command/option/option.h"
#include "event/event.h"
#include "session/watch.h"
#include "view/latency/latency_map.h"
#include "view/latency/queue_delay.h"

#define DEFAULT_MIN_US 10000
#define MAP_COLUMN_NS  100000000u

struct runqslower_options {
	struct tool_threads threads;
	const char *heat_map;
	bool previous, json;
	uint64_t duration_ns;
};

#define FIELD(name) OPT(runqslower_options, name)

static const struct option_def runqslower_rows[] = {
	{ .type = OPT_INCLUDE, .offset = FIELD(threads), .include = tool_thread_rows },
	{ "previous", 'P', OPT_FLAG, NULL, FIELD(previous), "show the previous thread on the CPU" },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, one line per interval" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", FIELD(heat_map),
	  "write a heat map of the delays over time to FILE (.svg, or a page: .html)" },
	{ 0 },
};

struct runqslower {
	struct sink sink; /* first */
	const struct runqslower_options *options;
	struct watch watch;
	struct latency_map map;
	struct buf out;
};

static int take_delay(struct sink *sink, const struct event *event, struct err *err)
{
	struct runqslower *self = (struct runqslower *)sink;
	const struct run_queue_delay *from = event->run_delay;
	char comm[sizeof(from->comm) + 1] = "", previous[sizeof(from->previous_comm) + 1] = "";
	const struct queue_delay delay = { from->time_ns, from->delay_ns,     from->pid, from->tid,
					   from->cpu,	  from->previous_tid, comm,	 previous };
	struct buf time = { 0 };

	(void)err;
	memcpy(comm, from->comm, sizeof(from->comm) - 1);
	memcpy(previous, from->previous_comm, sizeof(from->previous_comm) - 1);
	if (!self->map.start_ns)
		self->map.start_ns = delay.time_ns;
	if (self->options->heat_map)
		latency_map_add(&self->map, delay.time_ns, latency_map_row(delay.delay_ns / 1000),
				1);
	tool_put_time(&time);
	if (self->options->json)
		queue_delay_json(&delay, &self->out);
	else
		queue_delay_text(&delay, time.data, self->options->previous, &self->out);
	buf_done(&time);
	return 0;
}

/* What has come since the last time. */
static int print(void *context, struct err *err)
{
	struct runqslower *self = context;
	int code = self->out.len ? command_write_output(NULL, &self->out, err) : 0;

	buf_clear(&self->out);
	(void)fflush(stdout); /* a failure shows at the end */
	return code;
}

static int announce(void *context, struct err *err)
{
	struct runqslower *self = context;

	if (self->options->json)
		return 0;
	(void)buf_printf(&self->out, "Tracing run queue latency higher than %" PRIu64 " us\n",
			 self->watch.options.run_delay.min_ns / 1000);
	queue_delay_heading(self->options->previous, &self->out);
	return print(self, err);
}

static int run(struct runqslower *self, struct err *err)
{
	static const struct latency_map_options view = { .title = "Waiting for a CPU",
							 .thing = "delays",
							 .unit_ns = 1000 };
	int code = watch_source(&self->watch, err);

	if (!code)
		code = print(self, err);
	if (self->watch.lost)
		command_warn("%" PRIu64 " delays were lost", self->watch.lost);
	if (!code)
		code = tool_write_map(self->options->heat_map, &self->map, &view, err);
	latency_map_done(&self->map);
	buf_done(&self->out);
	return code;
}

static int runqslower_run(void *options, int argc, char **argv, struct err *err)
{
	const struct runqslower_options *o = options;
	struct runqslower self = { .sink.event = take_delay,
				   .options = o,
				   .map.column_ns = MAP_COLUMN_NS };
	struct source_options source = { .pids = o->threads.pids,
					 .tids = o->threads.tids,
					 .run_delay.comm = o->threads.comm };
	uint64_t min_us = DEFAULT_MIN_US;

	if (argc > 1)
		return command_usage(err, "unexpected argument '%s'", argv[1]);
	if ((argc && option_parse_number(OPT_UINT, argv[0], &min_us, err)) ||
	    tool_threads_check(&o->threads, err))
		return EXIT_STATUS_USAGE;
	if (tool_cgroup(o->threads.cgroup, &source.run_delay.cgroup_id, err))
		return -1;
	source.run_delay.min_ns = min_us * 1000;
	self.watch = (struct watch){ .source = "run_delay",
				     .options = source,
				     .sink = &self.sink,
				     .duration_ns = o->duration_ns,
				     .opened = announce,
				     .woken = print,
				     .context = &self };
	return run(&self, err) ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_runqslower = {
	.name = "runqslower",
	.args = "[options] [min_us]",
	.summary = "list each long wait for a CPU",
	.options = runqslower_rows,
	.options_size = sizeof(struct runqslower_options),
	.run = runqslower_run,
};
