/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel timechart: what CPUs and threads were doing, as a picture. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/output.h"
#include "command/picture_write.h"
#include "command/sched/sched_input.h"
#include "format/perf_data/perf_data.h"
#include "profile/redact.h"
#include "profile/sched/sched_spans.h"
#include "session/filter.h"
#include "source/ledger/block_device.h"
#include "view/sched/time_chart.h"

#define DEFAULT_OUTPUT	 "output.svg" /* as perf */
#define DEFAULT_TITLE	 "Time chart"
#define DEFAULT_ROWS	 50
#define DEFAULT_MERGE_NS 1000 /* as perf */
#define REASON_FRAMES	 12   /* of the kernel, until one says what is waited for */

struct timechart_options {
	struct sched_input_options input;
	const char *output, *title, *processes, *time;
	uint64_t rows, width;
	uint64_t io_min_ns, io_merge_ns;
	bool cpus_only, tasks_only, io_only, io_skip_eagain;
	struct redaction *redaction;
};

/* perf's units have one letter: 10m are 10 ms. */
static int set_time(void *field, const char *value, bool negated, struct err *err)
{
	char text[32];
	size_t len = strlen(value);

	if (negated) {
		*(uint64_t *)field = 0;
		return 0;
	}
	if (len >= sizeof(text) - 1)
		return option_bad_value(err, value, "a time such as 10ms or 500us");
	memcpy(text, value, len + 1);
	if (len && strchr("mun", text[len - 1])) {
		text[len] = 's';
		text[len + 1] = '\0';
	}
	if (strspn(text, "0") > 0 && strspn(text, "0nums") == strlen(text)) {
		*(uint64_t *)field = 0;
		return 0;
	}
	return option_parse_number(OPT_DURATION, text, field, err);
}

static const struct option_def timechart_rows[] = {
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(timechart_options, output),
	  "output file, an HTML page if it ends in .html (default output.svg)" },
	{ "title", 0, OPT_STR, "TEXT", OPT(timechart_options, title), "title of the picture" },
	{ "width", 'w', OPT_UINT, "PIXELS", OPT(timechart_options, width),
	  "width of the time axis in pixels (default 1200)" },
	{ "proc-num", 'n', OPT_UINT, "N", OPT(timechart_options, rows),
	  "show the N busiest threads, 0 = all (default 50)" },
	{ "process", 'p', OPT_STR, "LIST", OPT(timechart_options, processes),
	  "only these processes, by id or name" },
	{ "power-only", 'P', OPT_FLAG, NULL, OPT(timechart_options, cpus_only), "show CPUs only" },
	{ "tasks-only", 'T', OPT_FLAG, NULL, OPT(timechart_options, tasks_only),
	  "show threads only" },
	{ "io-only", 'I', OPT_FLAG, NULL, OPT(timechart_options, io_only),
	  "show I/O only: disks, networks and system calls of threads" },
	{ "io-min-time", 0, OPT_CALL, "TIME", OPT(timechart_options, io_min_ns),
	  "shorter I/O looks that long", .set = set_time },
	{ "io-merge-dist", 0, OPT_CALL, "TIME", OPT(timechart_options, io_merge_ns),
	  "calls of one kind and file at most that far apart are one (default 1us)",
	  .set = set_time },
	{ "io-skip-eagain", 0, OPT_FLAG, NULL, OPT(timechart_options, io_skip_eagain),
	  "leave out calls that fail with EAGAIN" },
	{ "time", 0, OPT_STR, "RANGE", OPT(timechart_options, time),
	  "only this time range: \"start,stop\" in seconds" },
	{ .type = OPT_INCLUDE,
	  .include = redact_option_rows,
	  .offset = OPT(timechart_options, redaction) },
	{ .type = OPT_INCLUDE,
	  .include = sched_input_rows,
	  .offset = OPT(timechart_options, input) },
	{ 0 },
};

static void timechart_defaults(void *options)
{
	struct timechart_options *o = options;

	o->rows = DEFAULT_ROWS;
	o->io_merge_ns = DEFAULT_MERGE_NS;
	o->output = DEFAULT_OUTPUT;
	o->title = DEFAULT_TITLE;
}

/* Named by process id or name in a list. */
static bool is_wanted(const void *context, const struct sched_task *task)
{
	char id[16];

	(void)snprintf(id, sizeof(id), "%u", task->pid == UINT32_MAX ? task->tid : task->pid);
	for (const char *word = context; *word; word += *word == ',') {
		size_t len = strcspn(word, ",");

		if ((strlen(id) == len && strncmp(id, word, len) == 0) ||
		    (task->comm && strlen(task->comm) == len &&
		     strncmp(task->comm, word, len) == 0))
			return true;
		word += len;
	}
	return false;
}

static bool is_page(const char *output)
{
	size_t len = strlen(output);

	return len > 5 && strcmp(output + len - 5, ".html") == 0;
}

static int choose_time(const struct timechart_options *o, const struct perf_data_header *header,
		       struct time_chart_options *ret, struct err *err)
{
	struct filter_spec spec = { .time = o->time };
	struct filter *time = NULL;
	int code = filter_parse(&spec, header->first_ns, header->last_ns, &time, err);

	if (code || !time)
		return code;
	filter_window(time, &ret->start_ns, &ret->end_ns);
	filter_free(time);
	return 0;
}

/* The title is the command, unless the user says otherwise; below it stands where it ran. */
static int draw_chart(const struct sched_spans *spans, struct sched_input *input,
		      const struct timechart_options *o, struct time_chart_options *view,
		      struct err *err)
{
	const struct perf_data_header *header = perf_data_header(input->data);
	struct redaction *redaction = o->redaction;
	struct buf title = { 0 }, about = { 0 };
	size_t first = 0;
	int code = 0;

	for (size_t i = 0; i + 1 < header->cmdline_count; i++)
		if (!first && strcmp(header->cmdline[i], "--") == 0)
			first = i + 1;
	if (redaction)
		redaction_put_command(redaction, header->cmdline + first,
				      header->cmdline_count - first, &title);
	else
		picture_put_words(header->cmdline + first, header->cmdline_count - first, &title);
	picture_put_machine(redaction ? NULL : header->hostname, header->os_release, &about);
	if (title.len && strcmp(view->title, DEFAULT_TITLE) == 0)
		view->title = title.data;
	view->about = about.data;
	if (is_page(o->output))
		code = time_chart_page(spans, view, &input->out, err);
	else
		time_chart(spans, view, &input->out);
	buf_done(&title);
	buf_done(&about);
	return code;
}

/* Threads are called like files and arguments, which the command has. The names are the arena's. */
static void redact(struct redaction *redaction, const struct perf_data_header *header,
		   const struct sched_spans *spans, struct arena *arena)
{
	struct buf text = { 0 };

	redaction_add_host(redaction, header->hostname);
	redaction_put_command(redaction, header->cmdline, header->cmdline_count, &text);
	for (size_t i = 0; i < spans->present.count; i++) {
		/* the reader's, which has ended */
		struct sched_task *task =
			(struct sched_task *)(uintptr_t)spans->present.item[i].task;

		if (!task || !task->comm)
			continue;
		buf_clear(&text);
		redaction_put_comm(redaction, task->comm, &text);
		task->comm = arena_strdup(arena, text.data ? text.data : "");
	}
	buf_done(&text);
}

/* A recording has their numbers; names are those of this machine, if it was made here. */
static void name_disks(const struct perf_data_header *header, struct sched_spans *spans,
		       struct arena *arena)
{
	struct utsname here;

	if (uname(&here) || !header->hostname || strcmp(header->hostname, here.nodename) != 0)
		return;
	for (size_t i = 0; i < spans->lanes.lane.count; i++) {
		struct sched_lane *lane = &spans->lanes.lane.item[i];
		struct buf name = { 0 }, about = { 0 };

		if (lane->kind == SCHED_LANE_DISK) {
			block_device_name("", lane->number, &name, &about);
			lane->name = arena_strdup(arena, name.data ? name.data : "");
		}
		buf_done(&name);
		buf_done(&about);
	}
}

static int draw(void *context, struct sched_input *input, struct err *err)
{
	const struct timechart_options *o = context;
	struct time_chart_options view = { .title = o->title,
					   .width = (uint32_t)o->width,
					   .max_tasks = (uint32_t)o->rows,
					   .min_ns = o->io_min_ns,
					   .no_cpus = o->tasks_only || o->io_only,
					   .no_tasks = o->cpus_only || o->io_only,
					   .no_calls = o->cpus_only,
					   .no_devices = o->tasks_only || o->cpus_only,
					   .wanted = o->processes ? is_wanted : NULL,
					   .context = o->processes };
	struct sched_spans spans;
	struct arena names = { 0 };
	int code = choose_time(o, perf_data_header(input->data), &view, err);

	if (code)
		return code;
	sched_spans_init(&spans);
	spans.lanes.options.merge_ns = o->io_merge_ns;
	spans.lanes.options.skip_eagain = o->io_skip_eagain;
	input->steps = true;
	input->locks = true;
	code = sched_input_read(input, &o->input, &spans.sink, REASON_FRAMES, err);
	if (!code) {
		sched_spans_finish(&spans);
		name_disks(perf_data_header(input->data), &spans, &names);
		if (o->redaction)
			redact(o->redaction, perf_data_header(input->data), &spans, &names);
		code = draw_chart(&spans, input, o, &view, err);
		if (!code)
			code = command_write_output(o->output, &input->out, err);
		buf_clear(&input->out);
	}
	sched_spans_done(&spans);
	arena_done(&names);
	if (!code && strcmp(o->output, "-") != 0)
		command_say("wrote %s", o->output);
	return code;
}

static int timechart_run(void *options, int argc, char **argv, struct err *err)
{
	const struct timechart_options *o = options;
	int code;

	if (o->cpus_only && o->tasks_only)
		return command_usage(err, "-P and -T cannot be combined");
	if (o->cpus_only && o->io_only)
		return command_usage(err, "-P and -I cannot be combined");
	code = sched_input_run(&o->input, (struct option_words){ argc, argv }, draw, options, err);
	return code;
}

extern const struct command cmd_timechart_record;

static void timechart_done(void *options)
{
	redaction_free(((struct timechart_options *)options)->redaction);
}

const struct command cmd_timechart = {
	.name = "timechart",
	.args = "[options] [FILE | record [options] [-- program arguments]]",
	.summary = "draw CPU and thread activity over time",
	.options = timechart_rows,
	.options_size = sizeof(struct timechart_options),
	.defaults = timechart_defaults,
	.run = timechart_run,
	.reads = true,
	.record = &cmd_timechart_record,
	.done = timechart_done,
};
