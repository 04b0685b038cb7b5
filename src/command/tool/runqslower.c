/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqslower: threads that waited long for a CPU, one by one. */
#include <inttypes.h>

#include "base/err.h"
#include "bpf/run_queue_delay.h"
#include "command/command.h"
#include "command/tool/tool.h"
#include "event/event.h"
#include "view/latency/queue_delay.h"

#define DEFAULT_MIN_US 10000

struct runqslower_options {
	struct tool_options tool; /* first */
	bool previous;
};

static const struct option_def runqslower_rows[] = {
	{ .type = OPT_INCLUDE, .include = tool_thread_rows },
	{ "previous", 'P', OPT_FLAG, NULL, OPT(runqslower_options, previous),
	  "show the previous thread on the CPU" },
	{ .type = OPT_INCLUDE, .include = tool_list_rows },
	{ 0 },
};

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	uint64_t min_us = DEFAULT_MIN_US;

	if (words.argc > 1)
		return command_usage(err, "unexpected argument '%s'", words.argv[1]);
	if (words.argc && option_parse_number(OPT_UINT, words.argv[0], &min_us, err))
		return EXIT_STATUS_USAGE;
	run->watch.options.min_ns = min_us * 1000;
	return 0;
}

static void put_head(const struct tool_run *run, struct buf *out)
{
	const struct runqslower_options *o = run->options;

	(void)buf_printf(out, "Tracing run queue latency higher than %" PRIu64 " us\n",
			 run->watch.options.min_ns / 1000);
	queue_delay_heading(o->previous, out);
}

static void take(struct tool_run *run, const struct event *event)
{
	const struct runqslower_options *o = run->options;
	const struct run_queue_delay *from = event->own.data;
	const struct queue_delay delay = {
		from->time_ns, from->delay_ns,	   from->pid,  from->tid,
		from->cpu,     from->previous_tid, from->comm, from->previous_comm,
	};
	char time[TOOL_TIME_SIZE];

	tool_map_add(run, delay.time_ns, delay.delay_ns);
	if (o->tool.json)
		queue_delay_json(&delay, &run->out);
	else
		queue_delay_text(&delay, tool_time(time), o->previous, &run->out);
}

static const struct tool runqslower = {
	.source = "run_delay",
	.map = { .title = "Waiting for a CPU", .thing = "delays", .unit_ns = 1000 },
	.map_column_ns = 100000000,
	.set_up = set_up,
	.put_head = put_head,
	.take = take,
};

TOOL_COMMAND(runqslower, tool_main, &runqslower, .args = "[options] [min_us]",
	     .summary = "list each long wait for a CPU", .options = runqslower_rows,
	     .options_size = sizeof(struct runqslower_options));
