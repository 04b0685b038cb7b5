/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools with BCC's names share (see tool.h). */
#include "command/tool/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "command/command.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "event/event.h"
#include "source/cgroup.h"
#include "source/id_list.h"

#define THREADS(name) OPT(tool_threads, name)
#define FIELD(name)   OPT(tool_options, name)

const struct option_def tool_thread_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", THREADS(pids), "only these processes" },
	{ "tid", 't', OPT_STR, "LIST", THREADS(tids), "only these threads" },
	{ "comm", 0, OPT_STR, "NAME", THREADS(comm), "only threads with this name" },
	{ "cgroup", 'c', OPT_STR, "PATH", THREADS(cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ .type = OPT_END },
};

static const struct option_def output_rows[] = {
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, one line per interval or event" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", FIELD(heat_map),
	  "write a heat map over time to FILE (.svg, or a page: .html)" },
	{ .type = OPT_END },
};

const struct option_def tool_count_rows[] = {
	{ "timestamp", 'T', OPT_FLAG, NULL, FIELD(timestamp),
	  "print the time of day at each interval" },
	{ .type = OPT_INCLUDE, .include = output_rows },
	{ .type = OPT_END },
};

const struct option_def tool_list_rows[] = {
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ .type = OPT_INCLUDE, .include = output_rows },
	{ .type = OPT_END },
};

int tool_threads_check(const struct tool_threads *threads, struct err *err)
{
	struct id_list ids = { 0 };
	int code;

	if (threads->pids && threads->tids)
		return command_usage(err, "-p and -t cannot be combined");
	code = id_list_parse(threads->pids, "process", &ids, err);
	if (!code)
		code = id_list_parse(threads->tids, "thread", &ids, err);
	vec_done(&ids);
	return code ? EXIT_STATUS_USAGE : 0;
}

int tool_cgroup(const char *path, uint64_t *ret, struct err *err)
{
	*ret = 0;
	return path ? cgroup_id(path, ret, err) : 0;
}

int tool_interval_parse(struct option_words words, uint64_t map_ns, struct tool_interval *ret,
			struct err *err)
{
	*ret = (struct tool_interval){ 0 };
	if (words.argc > 2)
		return command_usage(err, "unexpected argument '%s'", words.argv[2]);
	if (words.argc > 0 && option_parse_number(OPT_DURATION, words.argv[0], &ret->ns, err))
		return EXIT_STATUS_USAGE;
	if (words.argc > 1 && option_parse_number(OPT_UINT, words.argv[1], &ret->left, err))
		return EXIT_STATUS_USAGE;
	if (words.argc > 1 && !ret->left)
		return command_usage(err, "expected a count of intervals above 0");
	ret->prints = ret->ns != 0;
	if (!ret->ns)
		ret->ns = map_ns;
	return 0;
}

bool tool_interval_ends(struct tool_interval *interval)
{
	return interval->left && !--interval->left;
}

const char *tool_time(char buf[TOOL_TIME_SIZE])
{
	time_t now = time(NULL);
	struct tm parts;

	buf[0] = '\0';
	if (localtime_r(&now, &parts))
		(void)strftime(buf, TOOL_TIME_SIZE, "%H:%M:%S", &parts);
	return buf;
}

void tool_put_head(bool timestamp, struct buf *out)
{
	char time[TOOL_TIME_SIZE];

	(void)buf_putc(out, '\n');
	if (timestamp)
		(void)buf_printf(out, "%s\n", tool_time(time));
}

void tool_map_add(struct tool_run *run, uint64_t time_ns, uint64_t length_ns)
{
	const struct tool_options *options = run->options;

	if (!options->heat_map)
		return;
	if (!run->map.start_ns)
		run->map.start_ns = time_ns;
	latency_map_add(&run->map, time_ns, latency_map_row(length_ns / run->map_view.unit_ns), 1);
}

int tool_write_map(const char *path, const struct latency_map *map,
		   const struct latency_map_options *options, struct err *err)
{
	struct latency_map_options view = *options;
	struct buf out = { 0 }, about = { 0 };
	int code = 0;

	if (!path)
		return 0;
	(void)buf_puts(&about, options->about ? options->about : "");
	(void)buf_puts(&about, about.len ? " \xc2\xb7 " : "");
	picture_put_host(&about);
	view.about = about.data;
	if (picture_is_html(path))
		code = latency_map_html(map, &view, &out, err);
	else
		latency_map_svg(map, &view, &out);
	buf_done(&about);
	return command_end_output(code, path, &out, err);
}

/* "process 12", as the user chose them. */
static void put_threads(const struct tool_threads *threads, bool launched, struct buf *out)
{
	const char *names[][2] = { { threads->pids, "process" },
				   { threads->tids, "thread" },
				   { threads->comm, "threads named" },
				   { threads->cgroup, "cgroup" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i][0])
			(void)buf_printf(out, "%s%s %s", out->len ? ", " : "", names[i][1],
					 names[i][0]);
	if (!out->len)
		(void)buf_puts(out, launched ? "the program" : "all threads");
}

/* What was watched, and what of it is missing. */
static int write_map(struct tool_run *run, struct err *err)
{
	const struct tool_options *options = run->options;
	struct latency_map_options view = run->map_view;
	struct buf about = { 0 }, missing = { 0 };
	int code;

	put_threads(&options->threads, run->watch.run.launched, &about);
	if (run->watch.lost)
		(void)buf_printf(&missing, "%" PRIu64 " %s were lost: watch fewer threads.",
				 run->watch.lost, view.thing);
	view.about = about.data;
	view.missing = missing.data;
	code = tool_write_map(options->heat_map, &run->map, &view, err);
	buf_done(&about);
	buf_done(&missing);
	return code;
}

static void take_counters(struct tool_run *run, const struct event *event)
{
	const uint64_t *now = event->own.data;

	if (!run->all) {
		run->cells = event->own.len / sizeof(*now);
		run->all = mem_zalloc(event->own.len);
		run->fresh = mem_zalloc(event->own.len);
	}
	for (size_t i = 0; i < run->cells; i++) {
		run->fresh[i] = now[i] - run->all[i];
		run->all[i] = now[i];
	}
}

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	struct tool_run *run = (struct tool_run *)sink;

	(void)err;
	if (run->tool->take)
		run->tool->take(run, event);
	else
		take_counters(run, event);
	return 0;
}

static int flush(void *context, struct err *err)
{
	struct tool_run *run = context;
	int code = run->out.len ? command_write_output(NULL, &run->out, err) : 0;

	buf_clear(&run->out);
	return code;
}

/* Before it starts, so that the user sees what runs. */
static int opened(void *context, struct err *err)
{
	struct tool_run *run = context;
	const struct tool_options *options = run->options;

	if (!options->json && run->tool->put_head)
		run->tool->put_head(run, &run->out);
	else if (!options->json)
		(void)buf_printf(&run->out, "%s... Hit Ctrl-C to end.\n", run->tool->tracing);
	return flush(run, err);
}

/* At every interval and at the end, unless enough was printed. */
static int looked(void *context, struct err *err)
{
	struct tool_run *run = context;
	const struct tool *tool = run->tool;
	const struct tool_options *options = run->options;

	if (!tool->print || run->watch.run.end == RUN_ENOUGH)
		return flush(run, err);
	if (tool->look)
		tool->look(run);
	if (options->heat_map)
		tool->draw(run, run->looks++ * run->map.column_ns);
	if (!run->interval.prints && watch_goes_on(&run->watch))
		return 0;
	if (!options->json && !tool->own_head)
		tool_put_head(options->timestamp, &run->out);
	tool->print(run, &run->out);
	if (run->interval.prints && tool_interval_ends(&run->interval))
		run_finish(&run->watch.run, RUN_ENOUGH);
	return flush(run, err);
}

/* The words and the options that all tools have. */
static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	const struct tool_options *options = run->options;
	struct source_options *source = &run->watch.options;
	uint64_t map_ns = options->heat_map ? run->tool->map_column_ns : 0;
	int code = picture_check_name(options->heat_map, err)
			   ? EXIT_STATUS_USAGE
			   : tool_threads_check(&options->threads, err);

	if (!code && run->tool->print && !run->tool->own_words)
		code = tool_interval_parse(words, map_ns, &run->interval, err);
	if (code)
		return code;
	source->pids = options->threads.pids;
	source->tids = options->threads.tids;
	source->comm = options->threads.comm;
	source->system_wide = !source->pids;
	run->watch.duration_ns = options->duration_ns;
	run->map.column_ns = run->interval.ns ? run->interval.ns : run->tool->map_column_ns;
	if (run->tool->set_up)
		code = run->tool->set_up(run, words, err);
	run->watch.interval_ns = run->interval.ns;
	if (!code && tool_cgroup(options->threads.cgroup, &source->cgroup_id, err))
		code = -1;
	return code;
}

static int watch(struct tool_run *run, struct err *err)
{
	int code = watch_source(&run->watch, err);

	command_print_notes(run->watch.notes);
	if (run->watch.lost)
		command_warn("%" PRIu64 " %s were lost", run->watch.lost, run->map_view.thing);
	if (!code)
		code = write_map(run, err);
	return command_program_status(code, run->watch.run.launched, run->watch.run.exit_status,
				      err);
}

int tool_main(const struct tool *tool, const void *options, struct option_words words,
	      struct err *err)
{
	struct tool_run *run = mem_zalloc(tool->state_size ? tool->state_size : sizeof(*run));
	int status;

	run->sink.event = take;
	run->tool = tool;
	run->options = options;
	run->map_view = tool->map;
	run->watch = (struct watch){ .source = tool->source,
				     .sink = &run->sink,
				     .opened = opened,
				     .looked = looked,
				     .woken = flush,
				     .context = run };
	status = set_up(run, words, err);
	if (!status)
		status = watch(run, err);
	if (tool->done)
		tool->done(run);
	latency_map_done(&run->map);
	buf_done(&run->out);
	free(run->all);
	free(run->fresh);
	free(run);
	return status;
}
