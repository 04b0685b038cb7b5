/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel rss: what the resident memory of a process is made of. */
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "session/resident/resident_watch.h"
#include "view/resident/resident_view.h"

struct rss_command {
	struct resident_watch_options watch;
	uint64_t rows;
	struct output_options output;
	const char *flame_graph;
	struct picture_options picture;
};

static const struct option_def rss_rows[] = {
	{ "pid", 'p', OPT_STR, "PID", OPT(rss_command, watch.pid),
	  "watch this process until it is interrupted or the time is over" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(rss_command, watch.duration_ns),
	  "stop after this time (1, 500ms, 2m); a program is ended then" },
	{ "rows", 0, OPT_UINT, "N", OPT(rss_command, rows),
	  "rows of each table, 0 = all (default 20)" },
	{ "inline", 0, OPT_FLAG, NULL, OPT(rss_command, watch.inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(rss_command, output) },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", OPT(rss_command, flame_graph),
	  "also write a flame graph (.svg or .html) of resident bytes" },
	{ "save", 0, OPT_OUTPUT, "FILE", OPT(rss_command, watch.save),
	  "also save the recording of page faults to FILE (perf.data)" },
	{ 0 },
};

static void rss_defaults(void *options)
{
	struct rss_command *o = options;

	o->rows = 20;
	o->watch.inlines = true;
	picture_options_defaults(&o->picture);
}

static int check(struct rss_command *o, char **argv, struct err *err)
{
	if (!argv[0] == !o->watch.pid)
		return command_usage(err, "%s: cupel rss [options] -- program, or -p PID",
				     argv[0] ? "a program and a process" : "no program");
	if (picture_check_suffix(&o->picture, o->flame_graph, err))
		return EXIT_STATUS_USAGE;
	return o->flame_graph ? command_check_output(o->flame_graph, err) : 0;
}

static int show(struct rss_command *o, const struct resident_watch *watch, struct err *err)
{
	const struct resident_view view = { .profile = watch->profile,
					    .resident = &watch->resident,
					    .pid = watch->pid,
					    .lost = watch->recording.lost_samples +
						    watch->recording.lost_records,
					    .rows = o->rows,
					    .words = o->watch.words,
					    .word_count = o->watch.word_count };
	struct buf out = { 0 };
	int code;

	command_print_notes(watch->recording.notes);
	if (o->output.json)
		resident_json(&view, &out);
	else
		resident_text(&view, &out);
	code = command_end_output(0, o->output.path, &out, err);
	if (code || !o->flame_graph)
		return code;
	code = picture_draw(&o->picture, watch->profile, o->flame_graph, &out, err);
	if (!code)
		code = picture_write(watch->profile, o->flame_graph, false, &out, err);
	buf_done(&out);
	return code;
}

static int rss_run(void *options, int argc, char **argv, struct err *err)
{
	struct rss_command *o = options;
	struct resident_watch watch;
	int code, status = check(o, argv, err);

	(void)argc;
	if (status)
		return status;
	o->watch.words = (const char *const *)command_words()->argv;
	o->watch.word_count = (size_t)command_words()->argc;
	code = resident_watch(&o->watch, argv[0] ? argv : NULL, &watch, err);
	if (!code)
		code = show(o, &watch, err);
	status = command_program_status(code, watch.recording.launched, watch.recording.exit_status,
					err);
	resident_watch_done(&watch);
	return status;
}

static void rss_done(void *options)
{
	picture_options_done(&((struct rss_command *)options)->picture);
}

const struct command cmd_rss = {
	.name = "rss",
	.args = "[options] -- program arguments | -p PID",
	.summary = "show what a process's resident memory is made of, by stack",
	.options = rss_rows,
	.options_size = sizeof(struct rss_command),
	.defaults = rss_defaults,
	.run = rss_run,
	.takes_program = true,
	.done = rss_done,
};
