/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel top: what uses the CPUs now, in the terminal or as text. Options and keys are perf top's.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/record/record_options.h"
#include "profile/recent.h"
#include "session/live.h"
#include "session/record/recorder.h"
#include "session/run.h"
#include "view/report/report.h"
#include "view/report/report_column.h"
#include "view/top.h"

#define DEFAULT_HZ	999
#define DEFAULT_DELAY	2000000000u /* ns */
#define DEFAULT_MOMENTS 5
#define GRAPH_THRESHOLD 0.5 /* percent, as in a report */

struct top_options {
	struct recording_options record;
	struct report_options report;
	struct live_options live;
	uint64_t delay_ns, entries, moments;
	bool no_interval, zero, hide_kernel, hide_user, idle, stdio;
};

#define OWN(field) OPT(top_options, field)

static const struct option_def top_rows[] = {
	{ "Screen", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "delay", 'd', OPT_DURATION, "TIME", OWN(delay_ns), "refresh interval (default 2 s)", NULL,
	  NULL },
	{ "moments", 0, OPT_UINT, "N", OWN(moments),
	  "show the samples of the last N refresh intervals (default 5)", NULL, NULL },
	{ "zero", 'z', OPT_FLAG, NULL, OWN(zero), "reset counts at each refresh (--moments 1)",
	  NULL, NULL },
	{ "entries", 'E', OPT_UINT, "N", OWN(entries), "maximum number of table rows", NULL, NULL },
	{ "stdio", 0, OPT_FLAG, NULL, OWN(stdio),
	  "print one table after the other (default if the output is not a terminal)", NULL, NULL },
	{ "sort", 's', OPT_STR, "KEYS", OWN(report.sort),
	  "group by: comm pid tid dso symbol (default dso,symbol)", NULL, NULL },
	{ "fields", 0, OPT_STR, "KEYS", OWN(report.fields),
	  "columns: overhead overhead_children sample period and sort keys", NULL, NULL },
	{ "show-nr-samples", 'n', OPT_FLAG, NULL, OWN(report.show_nr_samples),
	  "add a column with the number of samples", NULL, NULL },
	{ "show-total-period", 0, OPT_FLAG, NULL, OWN(report.show_total_period),
	  "add a column with the sum of the periods", NULL, NULL },
	{ "children", 0, OPT_FLAG, NULL, OWN(report.children),
	  "add the cost of callees to each function", NULL, NULL },
	{ "no-interval", 0, OPT_FLAG, NULL, OWN(no_interval),
	  "do not show the 95% intervals of shares", NULL, NULL },
	{ "percent-limit", 0, OPT_DOUBLE, "PERCENT", OWN(report.percent_limit),
	  "hide rows below this percentage", NULL, NULL },
	{ "comms", 0, OPT_STR, "LIST", OWN(report.comms), "only these commands", NULL, NULL },
	{ "dsos", 0, OPT_STR, "LIST", OWN(report.dsos), "only these modules", NULL, NULL },
	{ "symbols", 0, OPT_STR, "LIST", OWN(report.symbols), "only these functions", NULL, NULL },
	{ "symbol-filter", 0, OPT_STR, "TEXT", OWN(report.symbol_filter),
	  "only functions with TEXT in their name", NULL, NULL },
	{ "hide_kernel_symbols", 'K', OPT_FLAG, NULL, OWN(hide_kernel), "hide kernel functions",
	  NULL, NULL },
	{ "hide_user_symbols", 'U', OPT_FLAG, NULL, OWN(hide_user), "hide user-space functions",
	  NULL, NULL },
	{ "idle", 0, OPT_FLAG, NULL, OWN(idle), "include idle CPUs, as kernel functions", NULL,
	  NULL },
	{ "demangle", 0, OPT_FLAG, NULL, OWN(live.symbol.demangle),
	  "demangle names (default; --no-demangle shows them raw)", NULL, NULL },
	{ "kallsyms", 0, OPT_STR, "FILE", OWN(live.symbol.kallsyms_path),
	  "kernel symbols (default /proc/kallsyms)", NULL, NULL },
	{ "vmlinux", 'k', OPT_STR, "FILE", OWN(live.symbol.vmlinux_path),
	  "kernel image with symbols", NULL, NULL },
	{ "recording", 0, OPT_INCLUDE, NULL, OWN(record), NULL, NULL, record_subject_rows },
	{ 0 },
};

static void top_defaults(void *poptions)
{
	struct top_options *options = poptions;

	options->live.symbol.symfs = "";
	options->live.symbol.demangle = true;
	options->report.sort = "dso,symbol";
	options->report.brief = true;
	options->delay_ns = DEFAULT_DELAY;
	options->moments = DEFAULT_MOMENTS;
}

/* The screen, while it is ours. */
struct terminal {
	bool taken;
	struct termios before;
};

static void terminal_take(struct terminal *terminal)
{
	struct termios raw;

	if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &terminal->before))
		return;
	raw = terminal->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw))
		return;
	terminal->taken = true;
	(void)fputs("\033[?1049h\033[?25l", stdout); /* another screen, no cursor */
}

static void terminal_give_back(struct terminal *terminal)
{
	if (!terminal->taken)
		return;
	(void)fputs("\033[?25h\033[?1049l", stdout);
	(void)fflush(stdout);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
	terminal->taken = false;
}

struct top {
	struct top_options *options;
	struct live *live;
	struct terminal terminal;
	struct recent recent;
	struct run *run; /* while it records */
	struct run_timer refresh;
	int key_fd;
	bool has_screen, held;
};

static const char *keys_of(const struct top *top)
{
	return top->held ? "[paused] space resume, q quit"
			 : "q quit, space pause, z reset, g callers, c children, K kernel, U user";
}

/* Leaves out what is not asked for, and counts it. */
static void choose(const struct top_options *o, struct profile *profile, struct top_view *view)
{
	if (!o->idle)
		view->idle = recent_hide(profile, RECENT_IDLE);
	view->kernel = recent_count(profile, RECENT_KERNEL);
	if (o->hide_kernel)
		(void)recent_hide(profile, RECENT_KERNEL);
	if (o->hide_user)
		(void)recent_hide(profile, RECENT_USER);
}

/* What a terminal shows has as many lines as that, what stays of it two less: for itself and for
 * the prompt. */
static void fit(const struct top *top, struct top_view *view)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row < 3)
		return;
	view->columns = size.ws_col;
	view->rows = top->terminal.taken ? size.ws_row : size.ws_row - 2u;
	if (top->terminal.taken)
		view->keys = keys_of(top);
}

static int make_screen(struct top *top, struct buf *ret, struct err *err)
{
	const struct top_options *o = top->options;
	struct top_view view = { .report = &o->report,
				 .entries = o->entries > UINT32_MAX ? 0 : (uint32_t)o->entries,
				 .whole_stacks = o->live.stacks };
	struct profile *profile = recent_sum(&top->recent);
	int code;

	if (top->has_screen)
		fit(top, &view);
	choose(o, profile, &view);
	code = top_screen(profile, &view, ret, err);
	profile_free(profile);
	return code;
}

/* Over the screen before, so that nothing flickers: the rest of each line is cleared, and what is
 * below. */
static void overwrite(const struct buf *screen, struct buf *out)
{
	(void)buf_puts(out, "\033[H");
	for (const char *line = screen->data; line && *line;) {
		size_t len = strcspn(line, "\n");

		if (line != screen->data)
			(void)buf_puts(out, "\r\n");
		(void)buf_append(out, line, len);
		(void)buf_puts(out, "\033[K");
		line += len + (line[len] == '\n');
	}
	(void)buf_puts(out, "\033[J");
}

static int show(struct top *top, struct err *err)
{
	struct buf screen = { 0 }, out = { 0 };
	int code = make_screen(top, &screen, err);

	text_tidy_lines(screen.data, screen.len);
	if (!code && top->terminal.taken)
		overwrite(&screen, &out);
	else if (!code)
		(void)buf_printf(&out, "%s\n", screen.data);
	if (!code)
		code = command_write_bytes(NULL, &out, err);
	(void)fflush(stdout);
	buf_done(&screen);
	buf_done(&out);
	return code;
}

static void take_moment(struct top *top)
{
	recent_push(&top->recent, live_take(top->live));
}

/* Then chains begin with the caller, as in a report. */
static void show_children(struct report_options *report, bool shown)
{
	report->children = report->caller = shown;
}

/* False when it says nothing. */
static bool take_key(struct top *top, char key)
{
	struct top_options *o = top->options;

	switch (key) {
	case 'q':
	case 'Q':
		run_finish(top->run, RUN_COMMAND);
		return false;
	case ' ':
	case 'p':
		top->held = !top->held;
		return true;
	case 'z':
		recent_clear(&top->recent);
		take_moment(top);
		recent_clear(&top->recent);
		return true;
	case 'g':
		o->report.graph = o->report.graph ? REPORT_GRAPH_NONE : REPORT_GRAPH_GRAPH;
		return true;
	case 'c':
		show_children(&o->report, !o->report.children);
		return true;
	case 'K':
		o->hide_kernel = !o->hide_kernel;
		return true;
	case 'U':
		o->hide_user = !o->hide_user;
		return true;
	default:
		return false;
	}
}

static int on_key(void *context, struct err *err)
{
	struct top *top = context;
	bool news = false;
	char key;

	if (read(top->key_fd, &key, 1) == 1)
		news = take_key(top, key);
	else
		run_finish(top->run, RUN_COMMAND); /* the terminal is gone */
	return news ? show(top, err) : 0;
}

static int on_resize(void *context, struct err *err)
{
	return show(context, err);
}

static int on_due(void *context, struct err *err)
{
	struct top *top = context;

	if (top->held)
		return 0;
	take_moment(top);
	return show(top, err);
}

/* The recording begins. */
static int attend(void *context, struct run *run, struct err *err)
{
	struct top *top = context;
	const struct run_signal resized = { SIGWINCH, on_resize, top };
	int code;

	top->run = run;
	top->refresh = (struct run_timer){ .interval_ns = top->options->delay_ns,
					   .due = on_due,
					   .context = top };
	run_add_timer(run, &top->refresh);
	if (!top->options->stdio)
		terminal_take(&top->terminal);
	top->has_screen = top->terminal.taken;
	if (!top->has_screen)
		return 0;
	run_add_fd(run, &top->key_fd, on_key, top);
	code = run_add_signal(run, &resized, err);
	return code ? code : show(top, err);
}

/* The last samples are shown as well, and the table stays. */
static int show_last(struct top *top, struct err *err)
{
	struct buf screen = { 0 };
	int code;

	if (!top->held)
		take_moment(top);
	code = make_screen(top, &screen, err);
	if (!code)
		code = command_write_output(NULL, &screen, err);
	buf_done(&screen);
	return code;
}

static int watch(struct top *top, struct err *err)
{
	struct recording_options record = top->options->record;
	struct recording_result result;
	int code;

	record.attend = attend;
	record.attend_context = top;
	code = live_record(top->live, &record, &result, err);
	terminal_give_back(&top->terminal);
	if (!code)
		code = show_last(top, err);
	command_print_notes(result.notes);
	recording_result_done(&result);
	return code;
}

static int top_check(struct top_options *o, char *word, struct err *err)
{
	report_columns columns = { 0 };

	if (word)
		return command_usage(err, "unexpected argument '%s'", word);
	if (!o->delay_ns || o->delay_ns > 3600000000000ull)
		return command_usage(err, "-d: expected a delay above 0 and at most one hour");
	if (!o->moments || o->moments > RECENT_MOST)
		return command_usage(err, "--moments: expected 1 to %d", RECENT_MOST);
	if (o->hide_kernel && o->hide_user)
		return command_usage(err, "-K and -U cannot be combined: nothing would be left");
	if (recording_options_check(&o->record, false, err) ||
	    report_columns_parse(&o->report, &columns, err))
		return EXIT_STATUS_USAGE;
	vec_done(&columns);
	return 0;
}

static void settle(struct top_options *o)
{
	struct recording_options *record = &o->record;
	struct report_options *report = &o->report;

	if (!record->source.pids && !record->source.tids && !record->source.user &&
	    !record->source.cpus)
		record->source.system_wide = true;
	if (!record->source.frequency.hz && !record->source.frequency.max &&
	    !record->source.period && !record->source.selector.count)
		record->source.frequency.hz = DEFAULT_HZ;
	o->live.stacks = record->source.call_graph.mode != RECORDING_CALL_GRAPH_NONE;
	if (record->source.call_graph.given && o->live.stacks)
		report->graph = REPORT_GRAPH_GRAPH;
	report->graph_threshold = GRAPH_THRESHOLD;
	show_children(report, report->children);
	report->interval = o->no_interval			? REPORT_INTERVAL_NONE
			   : isatty(STDOUT_FILENO) && !o->stdio ? REPORT_INTERVAL_COLUMNS
								: REPORT_INTERVAL_FACTS;
	if (o->zero)
		o->moments = 1;
}

static int top_run(void *options, int argc, char **argv, struct err *err)
{
	struct top_options *o = options;
	struct top top = { .options = o, .key_fd = STDIN_FILENO };
	int code = top_check(o, argc ? argv[0] : NULL, err);

	if (code)
		return code;
	settle(o);
	top.recent.most = o->moments;
	code = live_start(&o->live, &top.live, err);
	if (!code)
		code = watch(&top, err);
	live_free(top.live);
	recent_clear(&top.recent);
	return code ? -1 : EXIT_STATUS_OK;
}

static void top_done(void *options)
{
	recording_options_done(&((struct top_options *)options)->record);
}

const struct command cmd_top = {
	.name = "top",
	.args = "[options]",
	.summary = "show which functions use the CPUs now",
	.options = top_rows,
	.options_size = sizeof(struct top_options),
	.defaults = top_defaults,
	.run = top_run,
	.done = top_done,
};
