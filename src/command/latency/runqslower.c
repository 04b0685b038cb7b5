/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqslower: threads that waited long for a CPU, one by one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/run_queue_delay.h"
#include "command/command.h"
#include "command/option/option.h"
#include "event/event.h"
#include "session/run.h"
#include "source/cgroup.h"
#include "source/id_list.h"
#include "source/source.h"
#include "view/latency/latency_map.h"

#define DEFAULT_MIN_US 10000
#define MAP_COLUMNS_NS 100000000u

struct runqslower_options {
	const char *pids, *tids, *comm, *cgroup, *heat_map;
	bool previous, json;
	uint64_t duration_ns;
};

#define FIELD(name) OPT(runqslower_options, name)

static const struct option_def runqslower_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", FIELD(pids), "only threads of these processes" },
	{ "tid", 't', OPT_STR, "LIST", FIELD(tids), "only these threads" },
	{ "comm", 0, OPT_STR, "NAME", FIELD(comm), "only threads with this name" },
	{ "cgroup", 'c', OPT_STR, "PATH", FIELD(cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ "previous", 'P', OPT_FLAG, NULL, FIELD(previous), "show the previous thread on the CPU" },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, one line per interval" },
	{ "heatmap", 0, OPT_STR, "FILE", FIELD(heat_map),
	  "write a heat map of the delays over time to FILE (SVG)" },
	{ 0 },
};

struct slow_queue {
	struct sink sink; /* first */
	const struct runqslower_options *options;
	struct source *source;
	struct latency_map map;
	struct buf out;
};

static void put_row(const struct runqslower_options *o, const struct run_queue_delay *delay,
		    struct buf *out)
{
	time_t now = time(NULL);
	struct tm parts;
	char text[16] = "";

	if (localtime_r(&now, &parts))
		(void)strftime(text, sizeof(text), "%H:%M:%S", &parts);
	(void)buf_printf(out, "%-8s ", text);
	(void)buf_put_tidy(out, delay->comm);
	(void)buf_pad(out, ' ', 16 - strlen(delay->comm));
	(void)buf_printf(out, " %-6" PRIu32 " %14" PRIu64, delay->tid,
			 (uint64_t)delay->delay_ns / 1000);
	if (o->previous) {
		(void)buf_putc(out, ' ');
		(void)buf_put_tidy(out, delay->previous_comm);
		(void)buf_pad(out, ' ', 16 - strlen(delay->previous_comm));
		(void)buf_printf(out, " %-6" PRIu32, delay->previous_tid);
	}
	(void)buf_putc(out, '\n');
}

static void put_json(const struct run_queue_delay *delay, struct buf *out)
{
	(void)buf_printf(out,
			 "{\"cupel\":1,\"time_ns\":%" PRIu64 ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
			 ",\"comm\":",
			 (uint64_t)delay->time_ns, delay->pid, delay->tid);
	(void)buf_put_json(out, delay->comm);
	(void)buf_printf(out,
			 ",\"delay_ns\":%" PRIu64 ",\"cpu\":%" PRIu32
			 ",\"previous\":{\"tid\":%" PRIu32 ",\"comm\":",
			 (uint64_t)delay->delay_ns, delay->cpu, delay->previous_tid);
	(void)buf_put_json(out, delay->previous_comm);
	(void)buf_puts(out, "}}\n");
}

static int take_delay(struct sink *sink, const struct event *event, struct err *err)
{
	struct slow_queue *slow = (struct slow_queue *)sink;
	struct run_queue_delay copy = *event->run_delay;

	(void)err;
	copy.comm[sizeof(copy.comm) - 1] = '\0';
	copy.previous_comm[sizeof(copy.previous_comm) - 1] = '\0';
	if (!slow->map.start_ns)
		slow->map.start_ns = copy.time_ns;
	if (slow->options->heat_map)
		latency_map_add(&slow->map, copy.time_ns, latency_map_row(copy.delay_ns / 1000), 1);
	if (slow->options->json)
		put_json(&copy, &slow->out);
	else
		put_row(slow->options, &copy, &slow->out);
	return 0;
}

/* What has come since the last time. */
static int print(void *context, struct err *err)
{
	struct slow_queue *slow = context;
	int code = slow->out.len ? command_write_output(NULL, &slow->out, err) : 0;

	buf_clear(&slow->out);
	(void)fflush(stdout); /* a failure shows at the end */
	return code;
}

static int draw(const struct slow_queue *slow, struct err *err)
{
	static const struct latency_map_options view = { .title = "Waiting for a CPU",
							 .thing = "delays",
							 .unit_ns = 1000 };
	struct buf out = { 0 };
	int code;

	latency_map_svg(&slow->map, &view, &out);
	code = command_write_output(slow->options->heat_map, &out, err);
	buf_done(&out);
	return code;
}

static void print_head(const struct runqslower_options *o, uint64_t min_us)
{
	if (o->json)
		return;
	(void)printf("Tracing run queue latency higher than %" PRIu64 " us\n", min_us);
	(void)printf("%-8s %-16s %-6s %14s", "TIME", "COMM", "TID", "LAT(us)");
	(void)printf(o->previous ? " %-16s %-6s\n" : "\n", "PREV COMM", "PREV TID");
	(void)fflush(stdout); /* a failure shows at the end */
}

static int watch(struct slow_queue *slow, const struct source_options *options, struct err *err)
{
	struct run run;
	int code = run_open(&run, err);

	if (!code)
		code = source_find("run_delay")->open(&slow->source, options, err);
	if (!code) {
		print_head(slow->options, options->run_delay.min_ns / 1000);
		run.duration_ns = slow->options->duration_ns;
		run.woken = print;
		run.context = slow;
		run_add_source(&run, slow->source, &slow->sink);
		code = run_watch(&run, err);
	}
	if (!code)
		code = print(slow, err);
	if (slow->source && slow->source->loss_count && slow->source->loss->lost)
		command_warn("%" PRIu64 " delays were lost", slow->source->loss->lost);
	run_close(&run);
	return code;
}

static int runqslower_run(void *options, int argc, char **argv, struct err *err)
{
	const struct runqslower_options *o = options;
	struct slow_queue slow = { .sink.event = take_delay,
				   .options = o,
				   .map.column_ns = MAP_COLUMNS_NS };
	struct source_options source = { .pids = o->pids,
					 .tids = o->tids,
					 .run_delay = { .comm = o->comm } };
	uint64_t min_us = DEFAULT_MIN_US;
	struct id_list ids = { 0 };
	int code;

	if (argc > 1)
		return command_usage(err, "unexpected argument '%s'", argv[1]);
	if (o->pids && o->tids)
		return command_usage(err, "-p and -t cannot be combined");
	if (argc && option_parse_number(OPT_UINT, argv[0], &min_us, err))
		return EXIT_STATUS_USAGE;
	code = id_list_parse(o->pids, "process", &ids, err);
	if (!code)
		code = id_list_parse(o->tids, "thread", &ids, err);
	vec_done(&ids);
	if (code)
		return EXIT_STATUS_USAGE;
	source.run_delay.min_ns = min_us * 1000;
	code = o->cgroup ? cgroup_id(o->cgroup, &source.run_delay.cgroup_id, err) : 0;
	if (!code)
		code = watch(&slow, &source, err);
	if (!code && o->heat_map)
		code = draw(&slow, err);
	source_close(slow.source);
	latency_map_done(&slow.map);
	buf_done(&slow.out);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_runqslower = {
	.name = "runqslower",
	.args = "[options] [min_us]",
	.summary = "list each long wait for a CPU",
	.options = runqslower_rows,
	.options_size = sizeof(struct runqslower_options),
	.run = runqslower_run,
};
