/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel wall: where the wall-clock time of threads goes, to the nanosecond. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/picture_options.h"
#include "profile/profile.h"
#include "session/ledger_watch.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"
#include "view/ledger/ledger_about.h"
#include "view/ledger/ledger_profile.h"
#include "view/ledger/ledger_timeline.h"
#include "view/ledger/ledger_view.h"

struct wall_command {
	struct ledger_watch_options wall;
	enum ledger_rows by;
	const char *output, *flame_graph, *timeline, *chrome_trace;
	uint64_t rows;
	bool json, idle;
};

static const struct option_def wall_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(wall_command, wall.source.pids),
	  "trace these processes and their children" },
	{ "all", 'a', OPT_FLAG, NULL, OPT(wall_command, wall.source.system_wide),
	  "trace all threads" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(wall_command, wall.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "by", 0, OPT_CHOICE, "WHAT", OPT(wall_command, by),
	  "one row per thread, process or name (default thread)",
	  .choices = "thread process name" },
	{ "rows", 0, OPT_UINT, "N", OPT(wall_command, rows),
	  "rows of each table, 0 = all (default 20)" },
	{ "json", 0, OPT_FLAG, NULL, OPT(wall_command, json), "print JSON" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(wall_command, output),
	  "write to FILE instead of standard output" },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", OPT(wall_command, flame_graph),
	  "also write the ledger as a flame graph (.svg or .html)" },
	{ "idle", 0, OPT_FLAG, NULL, OPT(wall_command, idle),
	  "include idle time in the flame graph" },
	{ "timeline", 0, OPT_OUTPUT, "FILE", OPT(wall_command, timeline),
	  "also write a page with a timeline of each thread" },
	{ "chrome-trace", 0, OPT_OUTPUT, "FILE", OPT(wall_command, chrome_trace),
	  "also write the timeline as a trace for Perfetto" },
	{ 0 },
};

static void wall_defaults(void *options)
{
	struct wall_command *o = options;

	o->rows = 20;
}

static int print(const struct wall_command *o, const struct ledger_view_options *view,
		 const struct ledger_watch_result *result, struct err *err)
{
	struct buf out = { 0 };

	if (!result->ledger.thread.count)
		return err_set(err, -ENODATA, "no thread was traced");
	if (o->json)
		ledger_json(&result->ledger, &result->machine, &out);
	else
		ledger_text(&result->ledger, view, &out);
	return command_end_output(0, o->output, &out, err);
}

/* "sqlite3 test.db", or what else was watched. */
static void put_title(const struct wall_command *o, char **argv, struct buf *out)
{
	for (; argv && *argv && out->len < 80; argv++) {
		(void)buf_puts(out, out->len ? " " : "");
		(void)buf_put_tidy(out, *argv);
	}
	if (!out->len && o->wall.source.pids)
		(void)buf_printf(out, "process %s", o->wall.source.pids);
	else if (!out->len)
		(void)buf_puts(out, "all threads");
}

static int draw_flame_graph(const struct wall_command *o, enum ledger_rows rows, char **argv,
			    const struct ledger *ledger, struct err *err)
{
	struct buf out = { 0 }, title = { 0 }, about = { 0 };
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT,
					       .countname = "ns",
					       .states = true };
	struct profile *profile = ledger_profile(ledger, rows, o->idle);
	int code;

	(void)buf_puts(&title, "Wall-clock time of ");
	put_title(o, argv, &title);
	ledger_about(ledger, &about);
	options.title = title.data;
	options.subtitle = about.data;
	code = picture_is_html(o->flame_graph)
		       ? flame_html(profile, &options, &out, err)
		       : flame_graph_svg(profile, &options, &out, NULL, err);
	code = command_end_output(code, o->flame_graph, &out, err);
	profile_free(profile);
	buf_done(&title);
	buf_done(&about);
	return code;
}

static int write_timeline(const struct wall_command *o, const struct timeline *timeline,
			  struct err *err)
{
	struct buf page = { 0 }, trace = { 0 };
	int code = 0;

	if (o->timeline)
		code = command_end_output(timeline_html(timeline, &page, err), o->timeline, &page,
					  err);
	if (code || !o->chrome_trace)
		return code;
	timeline_chrome_trace(timeline, &trace);
	return command_end_output(0, o->chrome_trace, &trace, err);
}

static int draw_timeline(const struct wall_command *o, char **argv,
			 const struct ledger_watch_result *result, struct err *err)
{
	struct buf title = { 0 }, about = { 0 }, missing = { 0 };
	struct timeline timeline;
	int code;

	ledger_timeline(&result->slices, &result->ledger, &timeline);
	put_title(o, argv, &title);
	ledger_slices_about(&result->slices, &result->ledger, &about);
	ledger_missing(&result->ledger, &missing);
	timeline.title = title.data;
	timeline.about = about.data;
	timeline.context = &result->machine;
	timeline.missing = missing.data;
	code = write_timeline(o, &timeline, err);
	ledger_timeline_done(&timeline);
	buf_done(&title);
	buf_done(&about);
	buf_done(&missing);
	return code;
}

static int show(const struct wall_command *o, const struct ledger_view_options *view, char **argv,
		const struct ledger_watch_result *result, struct err *err)
{
	int code = print(o, view, result, err);

	if (!code && o->flame_graph)
		code = draw_flame_graph(o, view->rows, argv, &result->ledger, err);
	if (!code && (o->timeline || o->chrome_trace))
		code = draw_timeline(o, argv, result, err);
	return code;
}

static int wall_run(void *options, int argc, char **argv, struct err *err)
{
	struct wall_command *o = options;
	const struct ledger_view_options view = { .rows = o->by, .max_rows = o->rows };
	struct ledger_watch_result result;
	int code, status;

	if (!argc && !o->wall.source.pids && !o->wall.source.system_wide)
		return command_usage(err, "no target: use -p LIST, -a or -- program");
	o->wall.machine = o->json || o->timeline || o->chrome_trace;
	o->wall.source.ledger.spans = o->timeline || o->chrome_trace;
	code = ledger_watch(&o->wall, argc ? argv : NULL, &result, err);
	if (!code)
		code = show(o, &view, argc ? argv : NULL, &result, err);
	status = command_program_status(code, result.launched, result.exit_status, err);
	ledger_watch_result_done(&result);
	return status;
}

const struct command cmd_wall = {
	.name = "wall",
	.args = "[options] [-- program arguments]",
	.summary = "show where the wall-clock time of threads goes",
	.options = wall_rows,
	.options_size = sizeof(struct wall_command),
	.defaults = wall_defaults,
	.run = wall_run,
	.takes_program = true,
};
