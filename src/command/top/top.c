/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel top: what uses the CPUs now, on a terminal or as text. Keys are perf top's. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/top/top_browser.h"
#include "command/top/top_keys.h"
#include "command/top/top_options.h"
#include "command/top/top_recording.h"
#include "command/top/top_terminal.h"
#include "profile/recent.h"
#include "session/live.h"
#include "session/record/recorder.h"
#include "session/run.h"
#include "symbol/kernel/kcore.h"
#include "view/browser/browser.h"
#include "view/report/report.h"
#include "view/top.h"

struct top {
	struct top_options *options;
	struct live *live;
	struct top_terminal terminal;
	struct recent recent;
	struct run *run;	     /* while it records */
	struct top_browser *browser; /* over it all; NULL = it is not open */
	struct run_timer refresh;
	int key_fd;
	bool has_screen, held;
	struct top_cursor cursor;
	struct top_shown shown;
	bool typing;	      /* a filter is typed */
	bool helps, helps_on; /* help is on the screen, and has more pages */
	uint32_t help_page;
	char filter[256];	   /* of functions; "" = none */
	char message[256];	   /* until the next key; "" = none */
	uint64_t cpu_ns, since_ns; /* own CPU time, and the time, at the beginning */
};

static uint64_t own_cpu_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

/* The last line of the screen. */
static void put_keys(const struct top *top, struct buf *ret)
{
	if (top->message[0])
		(void)buf_puts(ret, top->message);
	else if (top->typing)
		(void)buf_printf(ret, "filter: %s_  (enter keeps it, escape clears it)",
				 top->filter);
	else if (top->held)
		(void)buf_puts(ret, "[paused] space resume, q quit, ? help");
	else if (top->filter[0])
		(void)buf_printf(ret, "filter: %s  (escape clears it), q quit, ? help",
				 top->filter);
	else
		(void)buf_puts(ret, "q quit, ? help, / filter, s sort, arrows select, a code, "
				    "b browse, w write");
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
}

static int make_screen(struct top *top, struct buf *ret, struct err *err)
{
	const struct top_options *o = top->options;
	uint64_t passed = clock_ns(CLOCK_MONOTONIC) - top->since_ns;
	struct buf keys = { 0 };
	struct top_view view = {
		.report = &o->report,
		.entries = o->entries > UINT32_MAX ? 0 : (uint32_t)o->entries,
		.first = top->cursor.first,
		.selected = top->terminal.taken ? top->cursor.selected : 0,
		.cost = passed ? (double)(own_cpu_ns() - top->cpu_ns) / (double)passed : -1,
		.whole_stacks = o->live.stacks
	};
	struct profile *profile = recent_sum(&top->recent);
	int code;

	if (top->has_screen)
		fit(top, &view);
	choose(o, profile, &view);
	if (top->terminal.taken) {
		put_keys(top, &keys);
		view.keys = keys.data;
	}
	code = top_screen(profile, &view, &top->shown, ret, err);
	buf_done(&keys);
	profile_free(profile);
	return code;
}

/* Over the screen before, so that nothing flickers: the rest of each line is cleared, and what is
 * below. */
static void overwrite(const struct buf *screen, uint32_t selected, struct buf *out)
{
	uint32_t row = 0;

	(void)buf_puts(out, "\033[H");
	for (const char *line = screen->data; line && *line;) {
		size_t len = strcspn(line, "\n");

		if (line != screen->data)
			(void)buf_puts(out, "\r\n");
		(void)buf_puts(out, row == selected ? "\033[7m" : ""); /* swapped colours */
		(void)buf_append(out, line, len);
		(void)buf_puts(out, row++ == selected ? "\033[K\033[m" : "\033[K");
		line += len + (line[len] == '\n');
	}
	(void)buf_puts(out, "\033[J");
}

/* The panes of a report with the samples so far, until they are left. */
static int show_browser(struct top *top, struct err *err)
{
	struct top_view view = { .rows = 24, .columns = 80 };
	struct buf out = { 0 };
	int code;

	fit(top, &view);
	top_browser_draw(top->browser, view.rows, view.columns, &out);
	code = async_output_show(top->terminal.output, &out, err);
	buf_done(&out);
	return code;
}

static void make_help(struct top *top, struct buf *ret)
{
	struct top_view view = { .rows = 24, .columns = 80 };

	fit(top, &view);
	top->helps_on = top_help_put(view.columns, view.rows, top->help_page, ret);
}

static int show(struct top *top, struct err *err)
{
	struct buf screen = { 0 }, out = { 0 };
	int code = 0;

	if (top->browser)
		return show_browser(top, err);
	if (top->helps)
		make_help(top, &screen);
	else
		code = make_screen(top, &screen, err);
	text_tidy_lines(screen.data, screen.len);
	if (!code && top->terminal.taken) {
		overwrite(&screen, top->helps ? UINT32_MAX : top->shown.selected, &out);
		code = async_output_show(top->terminal.output, &out, err);
	} else if (!code) {
		(void)buf_printf(&out, "%s\n", screen.data);
		code = async_output_put(top->terminal.output, &out, err);
	}
	buf_done(&screen);
	buf_done(&out);
	return code;
}

static void take_moment(struct top *top)
{
	recent_push(&top->recent, live_take(top->live));
}

static void set_filter(struct top *top, const char *text)
{
	(void)snprintf(top->filter, sizeof(top->filter), "%s", text);
	top->options->report.symbol_filter = top->filter[0] ? top->filter : NULL;
	top->cursor = (struct top_cursor){ 0 };
}

/* One function, with its callers. */
static void show_selected(struct top *top)
{
	if (!top->shown.symbol[0])
		return;
	set_filter(top, top->shown.symbol);
	if (top->options->live.stacks)
		top->options->report.graph = REPORT_GRAPH_GRAPH;
}

static void show_all(struct top *top)
{
	set_filter(top, "");
	top->options->report.graph = REPORT_GRAPH_NONE;
}

/* While a filter is typed. */
static void type_key(struct top *top, int key)
{
	size_t len = strlen(top->filter);

	if (key == TOP_KEY_ENTER || key == TOP_KEY_ESCAPE)
		top->typing = false;
	if (key == TOP_KEY_ESCAPE)
		set_filter(top, "");
	if (key == TOP_KEY_BACKSPACE && len)
		top->filter[len - 1] = '\0';
	if (key >= ' ' && key < TOP_KEY_NONE && len + 1 < sizeof(top->filter)) {
		top->filter[len] = (char)key;
		top->filter[len + 1] = '\0';
	}
	top->options->report.symbol_filter = top->filter[0] ? top->filter : NULL;
	top->cursor = (struct top_cursor){ 0 };
}

static void clear_samples(struct top *top)
{
	recent_clear(&top->recent);
	live_clear(top->live);
}

static void say(struct top *top, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct top *top, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(top->message, sizeof(top->message), fmt, args); /* one line */
	va_end(args);
}

static bool has_samples(const struct recent *recent)
{
	for (size_t i = 0; i < recent->count; i++)
		if (recent->moment[i]->samples.count)
			return true;
	return false;
}

static bool take_recording(struct top *top, struct top_recording **ret)
{
	struct err err = { 0 };
	int code;

	if (!has_samples(&top->recent)) {
		say(top, "no samples yet");
		return false;
	}
	code = top_recording_take(top->live, &top->options->live.symbol, ret, &err);
	if (code)
		say(top, "%s", err.msg);
	return !code;
}

static void open_browser(struct top *top)
{
	struct top_browser_input input = { .report = &top->options->report };

	if (!take_recording(top, &input.recording))
		return;
	input.profile = recent_sum(&top->recent);
	top->browser = top_browser_open(&input);
}

static void show_code(struct top *top)
{
	if (!top->shown.symbol[0]) {
		say(top, "select a function first");
		return;
	}
	open_browser(top);
	if (top->browser)
		top_browser_annotate(top->browser, top->shown.symbol);
}

static void write_recording(struct top *top)
{
	struct browser_file file = { 0 };
	struct top_recording *recording;
	struct err err = { 0 };

	if (!take_recording(top, &recording))
		return;
	if (top_recording_write(recording, &file, &err))
		say(top, "%s", err.msg);
	else
		say(top, "written to %s%s", file.name, file.note);
	top_recording_free(recording);
}

/* What letters do to the table; false when nothing. */
static bool take_letter(struct top *top, int key)
{
	struct top_options *o = top->options;

	switch (key) {
	case ' ':
	case 'p':
		top->held = !top->held;
		return true;
	case 'a':
		show_code(top);
		return true;
	case 'b':
		open_browser(top);
		return true;
	case 'w':
		write_recording(top);
		return true;
	case 'z':
		clear_samples(top);
		return true;
	case 'g':
		o->report.graph = o->report.graph ? REPORT_GRAPH_NONE : REPORT_GRAPH_GRAPH;
		return true;
	case 'c':
		top_show_children(&o->report, !o->report.children);
		return true;
	case 's':
		o->report.sort = top_next_order(o->report.sort);
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

static void take_help_key(struct top *top, int key)
{
	bool leaves = key == '?' || key == 'q' || key == TOP_KEY_ESCAPE;

	if (top->helps && top->helps_on && !leaves) {
		top->help_page++;
		return;
	}
	top->helps = !top->helps;
	top->help_page = 0;
}

/* False when it says nothing. */
static bool take_key(struct top *top, int key)
{
	if (top->browser) {
		top_browser_key(&top->browser, key);
		return true;
	}
	top->message[0] = '\0';
	if (top->helps || (key == '?' && !top->typing)) {
		take_help_key(top, key);
		return true;
	}
	if (top->typing) {
		type_key(top, key);
		return true;
	}
	switch (key) {
	case 'q':
	case 'Q':
		run_finish(top->run, RUN_COMMAND);
		return false;
	case '/':
		top->typing = true;
		return true;
	case TOP_KEY_ENTER:
		show_selected(top);
		return true;
	case TOP_KEY_ESCAPE:
		show_all(top);
		return true;
	default:
		top_cursor_move(&top->cursor, key, top->shown.lines, top->shown.room);
		return take_letter(top, key) || key > TOP_KEY_NONE;
	}
}

static int on_key(void *context, struct err *err)
{
	struct top *top = context;
	bool news = false;
	char bytes[64];
	ssize_t len = read(top->key_fd, bytes, sizeof(bytes));
	size_t used;

	if (len <= 0)
		run_finish(top->run, RUN_COMMAND); /* the terminal is gone */
	for (ssize_t at = 0; at < len; at += (ssize_t)used)
		news |= take_key(top, top_key_read(bytes + at, (size_t)(len - at), &used));
	return news ? show(top, err) : 0;
}

static int on_resize(void *context, struct err *err)
{
	return show(context, err);
}

static int on_stop(void *context, struct err *err)
{
	struct top *top = context;
	int code = top_terminal_stop(&top->terminal, err);

	return code ? code : show(top, err);
}

/* After our own stop as well, which is one time too many. */
static int on_continued(void *context, struct err *err)
{
	struct top *top = context;
	int code = top_terminal_enter(&top->terminal, err);

	return code ? code : show(top, err);
}

static int on_quit(void *context, struct err *err)
{
	(void)err;
	run_finish(((struct top *)context)->run, RUN_COMMAND);
	return 0;
}

static int on_due(void *context, struct err *err)
{
	struct top *top = context;

	if (top->held)
		return 0;
	take_moment(top);
	return top->browser ? 0 : show(top, err);
}

/* The recording begins. */
static int attend(void *context, struct run *run, struct err *err)
{
	struct top *top = context;
	const struct run_signal signals[] = { { SIGWINCH, on_resize, top },
					      { SIGTSTP, on_stop, top },
					      { SIGCONT, on_continued, top },
					      { SIGQUIT, on_quit, top } };
	int code;

	top->run = run;
	top->refresh = (struct run_timer){ .interval_ns = top->options->delay_ns,
					   .due = on_due,
					   .context = top };
	run_add_timer(run, &top->refresh);
	code = top_terminal_open(&top->terminal, !top->options->stdio, err);
	if (code)
		return code;
	top->has_screen = top->terminal.taken;
	if (!top->has_screen)
		return 0;
	run_add_fd(run, &top->key_fd, on_key, top);
	for (size_t i = 0; !code && i < sizeof(signals) / sizeof(signals[0]); i++)
		code = run_add_signal(run, &signals[i], err);
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
	struct err later = { 0 };
	int code, end;

	record.attend = attend;
	record.attend_context = top;
	code = live_record(top->live, &record, NULL, &result, err);
	end = top_terminal_close(&top->terminal, code ? &later : err);
	if (!code)
		code = end;
	if (!code)
		code = show_last(top, err);
	command_print_notes(result.notes);
	recording_result_done(&result);
	return code;
}

static int top_run(void *options, int argc, char **argv, struct err *err)
{
	struct top_options *o = options;
	struct top top = { .options = o, .key_fd = STDIN_FILENO };
	struct kcore *kcore;
	int code = top_options_check(o, argc ? argv[0] : NULL, err);

	if (code)
		return code;
	top_options_settle(o);
	top.cpu_ns = own_cpu_ns();
	top.since_ns = clock_ns(CLOCK_MONOTONIC);
	top.recent.most = o->moments;
	if (!o->stdio && isatty(STDOUT_FILENO)) /* only keys write them */
		o->live.moments = o->moments;
	kcore = kcore_open(NULL);
	o->live.symbol.kcore = kcore;
	code = live_start(&o->live, &top.live, err);
	if (!code)
		code = watch(&top, err);
	live_free(top.live);
	recent_clear(&top.recent);
	top_browser_free(top.browser);
	kcore_close(kcore);
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
	.options = top_option_rows,
	.options_size = sizeof(struct top_options),
	.defaults = top_options_defaults,
	.run = top_run,
	.done = top_done,
};
