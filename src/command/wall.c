/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel wall: where the wall-clock time of threads goes, to the nanosecond. */
#include <errno.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "profile/redact.h"
#include "session/ledger_watch.h"
#include "view/ledger/ledger_pictures.h"

struct wall_command {
	struct ledger_watch_options wall;
	enum ledger_rows by;
	struct output_options output;
	const char *flame_graph, *timeline, *chrome_trace;
	uint64_t rows;
	bool idle;
	struct redaction *redaction;
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
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(wall_command, output) },
	{ .type = OPT_INCLUDE,
	  .include = redact_option_rows,
	  .offset = OPT(wall_command, redaction) },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", OPT(wall_command, flame_graph),
	  "also write the ledger as a flame graph (.svg or .html)" },
	{ "idle", 0, OPT_FLAG, NULL, OPT(wall_command, idle),
	  "include idle time in the flame graph" },
	{ "timeline", 0, OPT_OUTPUT, "FILE", OPT(wall_command, timeline),
	  "also write a page with a timeline of each thread, lock and disk" },
	{ "chrome-trace", 0, OPT_OUTPUT, "FILE", OPT(wall_command, chrome_trace),
	  "also write the timeline as a trace for Perfetto" },
	{ 0 },
};

static void wall_defaults(void *options)
{
	struct wall_command *o = options;

	o->rows = 20;
}

static int print(const struct wall_command *o, const struct ledger_watch_result *result,
		 struct err *err)
{
	const struct ledger_view_options view = { .rows = o->by, .max_rows = o->rows };
	struct buf out = { 0 };

	if (!result->ledger.thread.count)
		return err_set(err, -ENODATA, "no thread was traced");
	if (o->output.json)
		ledger_json(&result->ledger, &result->machine, &out);
	else
		ledger_text(&result->ledger, &view, &out);
	return command_end_output(0, o->output.path, &out, err);
}

static int draw(const struct wall_command *o, const char *title,
		const struct ledger_watch_result *result, struct err *err)
{
	const struct {
		const char *path;
		ledger_draw draw;
	} pictures[] = { { o->flame_graph, ledger_flame_graph },
			 { o->timeline, ledger_timeline_page },
			 { o->chrome_trace, ledger_timeline_trace } };
	struct ledger_picture picture = { .ledger = &result->ledger,
					  .slices = &result->slices,
					  .machine = &result->machine,
					  .rows = o->by,
					  .idle = o->idle,
					  .title = title };
	struct buf host = { 0 }, out = { 0 };
	int code = 0;

	(void)buf_puts(&host, "");
	if (!o->redaction)
		picture_put_host(&host);
	picture.host = host.data;
	for (size_t i = 0; !code && i < sizeof(pictures) / sizeof(*pictures); i++) {
		if (!pictures[i].path)
			continue;
		picture.html = picture_is_html(pictures[i].path);
		code = pictures[i].draw(&picture, &out, err);
		code = command_end_output(code, pictures[i].path, &out, err);
	}
	buf_done(&host);
	return code;
}

static int wall_run(void *options, int argc, char **argv, struct err *err)
{
	struct wall_command *o = options;
	const struct picture_subject subject = { .words = (const char *const *)argv,
						 .count = (size_t)argc,
						 .pids = o->wall.source.pids,
						 .redaction = o->redaction };
	struct ledger_watch_result result;
	struct buf title = { 0 };
	int code;

	if (!argc && !o->wall.source.pids && !o->wall.source.system_wide)
		return command_usage(err, "no target: use -p LIST, -a or -- program");
	if (picture_check_name(o->flame_graph, err) || picture_check_page(o->timeline, err))
		return EXIT_STATUS_USAGE;
	o->wall.machine = o->output.json || o->timeline || o->chrome_trace;
	o->wall.source.ledger.spans = o->timeline || o->chrome_trace;
	code = ledger_watch(&o->wall, argc ? argv : NULL, &result, err);
	picture_put_subject(&subject, &title);
	if (o->redaction) /* which has the words of the title by now */
		ledger_redact(&result.ledger, o->redaction);
	if (!code)
		code = print(o, &result, err);
	if (!code)
		code = draw(o, title.data, &result, err);
	code = command_program_status(code, result.launched, result.exit_status, err);
	ledger_watch_result_done(&result);
	buf_done(&title);
	return code;
}

static void wall_done(void *options)
{
	redaction_free(((struct wall_command *)options)->redaction);
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
	.done = wall_done,
};
