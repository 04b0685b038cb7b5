/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel runqslower: threads that waited long for a CPU, one by one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "command/command.h"
#include "command/option/option.h"
#include "session/watch.h"
#include "source/cgroup.h"
#include "source/run_queue.h"
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
	  "only threads in this cgroup (version 2), and in those below it" },
	{ "previous", 'P', OPT_FLAG, NULL, FIELD(previous),
	  "show which thread had the CPU before" },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(duration_ns),
	  "watch for so long (10s, 500ms)" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, a line each time" },
	{ "heatmap", 0, OPT_STR, "FILE", FIELD(heat_map),
	  "draw the delays over time into FILE (SVG)" },
	{ 0 },
};

struct slow_queue {
	const struct runqslower_options *options;
	struct run_queue *queue;
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

static void take_delay(void *context, const struct run_queue_delay *delay)
{
	struct slow_queue *slow = context;
	struct run_queue_delay copy = *delay;

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
}

static int drain(void *context, struct err *err)
{
	struct slow_queue *slow = context;
	int code = run_queue_drain(slow->queue, err);

	if (!code && slow->out.len)
		code = command_write_output(NULL, &slow->out, err);
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

typedef VEC(uint32_t) id_list;

static int parse_ids(const char *text, id_list *ret, struct err *err)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");
		char word[24];
		uint64_t id;

		(void)snprintf(word, sizeof(word), "%.*s", (int)(len < 23 ? len : 23), text);
		if (option_parse_number(OPT_UINT, word, &id, err))
			return err->code;
		vec_push(ret, (uint32_t)id);
		text += len + (text[len] == ',');
	}
	return 0;
}

static int watch(struct slow_queue *slow, struct run_queue_delays *delays, struct err *err)
{
	const struct runqslower_options *o = slow->options;
	struct watch_options options = { .duration_ns = o->duration_ns,
					 .ready = drain,
					 .context = slow };
	int code = o->cgroup ? cgroup_id(o->cgroup, &delays->cgroup_id, err) : 0;

	if (!code)
		code = run_queue_open_delays(delays, &slow->queue, err);
	if (code)
		return code;
	if (!o->json) {
		(void)printf("Tracing run queue latency higher than %" PRIu64 " us\n",
			     delays->min_ns / 1000);
		(void)printf("%-8s %-16s %-6s %14s", "TIME", "COMM", "TID", "LAT(us)");
		(void)printf(o->previous ? " %-16s %-6s\n" : "\n", "PREV COMM", "PREV TID");
		(void)fflush(stdout);
	}
	options.fd = run_queue_fd(slow->queue);
	code = session_watch(&options, err);
	if (!code)
		code = drain(slow, err);
	if (run_queue_lost(slow->queue))
		command_warn("%" PRIu64 " delays were lost", run_queue_lost(slow->queue));
	return code;
}

static int runqslower_run(void *options, int argc, char **argv, struct err *err)
{
	const struct runqslower_options *o = options;
	struct slow_queue slow = { .options = o, .map.column_ns = MAP_COLUMNS_NS };
	struct run_queue_delays delays = { .comm = o->comm, .delay = take_delay, .context = &slow };
	uint64_t min_us = DEFAULT_MIN_US;
	id_list ids = { 0 };
	int code;

	if (argc > 1)
		return command_usage(err, "unexpected word '%s'", argv[1]);
	if (o->pids && o->tids)
		return command_usage(err, "-p and -t exclude each other");
	if ((argc && option_parse_number(OPT_UINT, argv[0], &min_us, err)) ||
	    parse_ids(o->pids ? o->pids : o->tids, &ids, err)) {
		vec_done(&ids);
		return EXIT_STATUS_USAGE;
	}
	delays.min_ns = min_us * 1000;
	delays.pid = o->pids ? ids.item : NULL;
	delays.tid = o->tids ? ids.item : NULL;
	delays.count = ids.count;
	code = watch(&slow, &delays, err);
	if (!code && o->heat_map)
		code = draw(&slow, err);
	run_queue_close(slow.queue);
	latency_map_done(&slow.map);
	buf_done(&slow.out);
	vec_done(&ids);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_runqslower = {
	.name = "runqslower",
	.args = "[options] [min_us]",
	.summary = "show threads that wait long for a CPU, one by one",
	.options = runqslower_rows,
	.options_size = sizeof(struct runqslower_options),
	.run = runqslower_run,
};
