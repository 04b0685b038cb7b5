/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel wall: where the wall-clock time of threads goes, to the nanosecond. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "profile/profile.h"
#include "session/ledger_watch.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"
#include "view/ledger/ledger_profile.h"
#include "view/ledger/ledger_timeline.h"
#include "view/ledger/ledger_view.h"

struct wall_command {
	struct ledger_watch_options wall;
	const char *output, *by, *flame_graph, *timeline, *chrome_trace;
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
	{ "by", 0, OPT_STR, "WHAT", OPT(wall_command, by),
	  "one row per thread, process or name (default thread)" },
	{ "rows", 0, OPT_UINT, "N", OPT(wall_command, rows),
	  "rows of each table, 0 = all (default 20)" },
	{ "json", 0, OPT_FLAG, NULL, OPT(wall_command, json), "print JSON" },
	{ "output", 'o', OPT_STR, "FILE", OPT(wall_command, output),
	  "write to FILE instead of standard output" },
	{ "flamegraph", 0, OPT_STR, "FILE", OPT(wall_command, flame_graph),
	  "also write the ledger as a flame graph (.svg or .html)" },
	{ "idle", 0, OPT_FLAG, NULL, OPT(wall_command, idle),
	  "include idle time in the flame graph" },
	{ "timeline", 0, OPT_STR, "FILE", OPT(wall_command, timeline),
	  "also write a page with a timeline of each thread" },
	{ "chrome-trace", 0, OPT_STR, "FILE", OPT(wall_command, chrome_trace),
	  "also write the timeline as a trace for Perfetto" },
	{ 0 },
};

static void wall_defaults(void *options)
{
	struct wall_command *o = options;

	o->rows = 20;
}

static bool parse_by(const char *word, enum ledger_rows *ret)
{
	static const char *const names[] = { "thread", "process", "name" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(word, names[i]) != 0)
			continue;
		*ret = (enum ledger_rows)i;
		return true;
	}
	return false;
}

static int print(const struct wall_command *o, const struct ledger_view_options *view,
		 const struct ledger_watch_result *result, struct err *err)
{
	struct buf out = { 0 };
	int code;

	if (!result->ledger.thread.count)
		return err_set(err, -ENODATA, "no thread was traced");
	if (o->json)
		ledger_json(&result->ledger, &result->machine, &out);
	else
		ledger_text(&result->ledger, view, &out);
	code = command_write_output(o->output, &out, err);
	buf_done(&out);
	return code;
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

static void put_about(const struct ledger *ledger, struct buf *out)
{
	struct ledger_sums sums = { 0 };

	for (size_t i = 0; i < ledger->thread.count; i++)
		ledger_sums_add(&sums, &ledger->thread.item[i]);
	(void)buf_printf(out,
			 "%.3f s \xc2\xb7 %" PRIu64
			 " threads \xc2\xb7 %.3f thread-seconds, %.1f %% "
			 "of them idle \xc2\xb7 unaccounted %.3f %%",
			 (double)(ledger->end_ns - ledger->start_ns) / 1e9, sums.threads,
			 (double)sums.lifetime_ns / 1e9,
			 100.0 * (double)sums.state_ns[LEDGER_STATE_IDLE] /
				 (double)(sums.lifetime_ns + !sums.lifetime_ns),
			 100.0 * (double)sums.unaccounted_ns /
				 (double)(sums.lifetime_ns + !sums.lifetime_ns));
}

static int draw_flame_graph(const struct wall_command *o, enum ledger_rows rows, char **argv,
			    const struct ledger *ledger, struct err *err)
{
	size_t len = strlen(o->flame_graph);
	bool html = len > 5 && strcmp(o->flame_graph + len - 5, ".html") == 0;
	struct buf out = { 0 }, title = { 0 }, about = { 0 };
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT,
					       .countname = "ns",
					       .states = true };
	struct profile *profile = ledger_profile(ledger, rows, o->idle);
	int code;

	(void)buf_puts(&title, "Wall-clock time of ");
	put_title(o, argv, &title);
	put_about(ledger, &about);
	options.title = title.data;
	options.subtitle = about.data;
	code = html ? flame_html(profile, &options, &out, err)
		    : flame_graph_svg(profile, &options, &out, err);
	if (!code)
		code = command_write_output(o->flame_graph, &out, err);
	profile_free(profile);
	buf_done(&out);
	buf_done(&title);
	buf_done(&about);
	return code;
}

static int write_timeline(const struct wall_command *o, const struct timeline *timeline,
			  struct err *err)
{
	struct buf out = { 0 };
	int code = o->timeline ? timeline_html(timeline, &out, err) : 0;

	if (!code && o->timeline)
		code = command_write_output(o->timeline, &out, err);
	buf_clear(&out);
	if (!code && o->chrome_trace) {
		timeline_chrome_trace(timeline, &out);
		code = command_write_output(o->chrome_trace, &out, err);
	}
	buf_done(&out);
	return code;
}

static void put_exactness(const struct ledger_watch_result *result, struct buf *out)
{
	if (!result->slices.together_ns)
		(void)buf_puts(out, " \xc2\xb7 every interval");
	else
		(void)buf_printf(out, " \xc2\xb7 intervals below %g ms merged",
				 (double)result->slices.together_ns / 1e6);
}

static void put_missing(const struct ledger_counts *counts, struct buf *out)
{
	if (counts->lost_threads || counts->untracked)
		(void)buf_puts(out,
			       "Some threads are missing: see the text output of cupel wall. ");
	if (counts->lost_spans)
		(void)buf_printf(out, "%" PRIu64 " intervals were lost and appear as gaps.",
				 counts->lost_spans);
}

static int draw_timeline(const struct wall_command *o, char **argv,
			 const struct ledger_watch_result *result, struct err *err)
{
	struct buf title = { 0 }, about = { 0 }, missing = { 0 };
	struct timeline timeline;
	int code;

	ledger_timeline(&result->slices, &result->ledger, &timeline);
	put_title(o, argv, &title);
	put_about(&result->ledger, &about);
	put_exactness(result, &about);
	put_missing(&result->ledger.counts, &missing);
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
	struct ledger_view_options view = { .max_rows = o->rows };
	struct ledger_watch_result result;
	int code, status;

	if (o->by && !parse_by(o->by, &view.rows))
		return command_usage(
			err, "--by: invalid value '%s': expected thread, process or name", o->by);
	if (!argc && !o->wall.source.pids && !o->wall.source.system_wide)
		return command_usage(err, "no target: use -p LIST, -a or -- program");
	o->wall.machine = o->json || o->timeline || o->chrome_trace;
	o->wall.source.ledger.spans = o->timeline || o->chrome_trace;
	code = ledger_watch(&o->wall, argc ? argv : NULL, &result, err);
	if (!code)
		code = show(o, &view, argc ? argv : NULL, &result, err);
	status = result.launched ? result.exit_status : EXIT_STATUS_OK;
	if (code && result.exit_status && !result.launched) {
		command_print_error(err); /* as a shell: 127 not found, 126 not executable */
		status = result.exit_status;
	} else if (code) {
		status = -1;
	}
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
