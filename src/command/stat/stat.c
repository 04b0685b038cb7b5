/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel stat: count events of a program, processes or the machine. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/stat/stat_compare_run.h"
#include "command/stat/stat_options.h"
#include "command/stat/stat_output.h"
#include "session/stat/stat_run.h"
#include "view/stat/stat_frame.h"
#include "view/stat/stat_view.h"

#define LINES_PER_HEADING 25
#define CLEAR_SCREEN	  "\033[H\033[2J"

extern const struct command cmd_stat, cmd_stat_report;

struct stat_command {
	struct stat_command_options *options;
	struct stat_output output;
	char **argv;
	const struct stat_result *result;
	unsigned intervals; /* printed since the last heading */
};

static struct stat_view view_options(const struct stat_command_options *o)
{
	const struct source_options *source = &o->stat.source;

	return (struct stat_view){ .separator = o->separator,
				   .json = o->json,
				   .big_num = !o->no_big_num,
				   .metric_only = o->metric_only,
				   .core_threads = o->core_threads,
				   .skip_zero = source->all_threads,
				   .spread = o->stat.repeat > 1 };
}

static bool is_text(const struct stat_command_options *o)
{
	return !o->json && !o->separator;
}

static void put_tasks(const struct source_options *source, struct buf *ret)
{
	if (source->pids)
		(void)buf_printf(ret, "process id '%s'", source->pids);
	if (source->tids)
		(void)buf_printf(ret, "%sthread id '%s'", source->pids ? ", " : "", source->tids);
}

/* As perf says it: "process id '12'". */
static void put_about(const struct source_options *source, char **argv, struct buf *ret)
{
	if (source->system_wide || source->all_threads)
		(void)buf_puts(ret, "'system wide'");
	else if (source->pids || source->tids)
		put_tasks(source, ret);
	else if (source->cpus)
		(void)buf_printf(ret, "'CPU(s) %s'", source->cpus);
	if (ret->len)
		return;
	for (size_t i = 0; argv[i]; i++)
		(void)buf_printf(ret, "%s%s", i ? " " : "'", argv[i]);
	(void)buf_putc(ret, '\'');
}

static int print_interval(void *context, const struct counts *counts, uint64_t time_ns,
			  struct err *err)
{
	struct stat_command *self = context;
	struct stat_view view = view_options(self->options);
	struct buf out = { 0 };
	int code;

	if (self->options->quiet)
		return 0;
	view.interval = true;
	view.time_ns = time_ns;
	if (self->options->interval_clear) /* a screen that is not cleared is no failure */
		(void)fd_write_all(self->output.fd, CLEAR_SCREEN, strlen(CLEAR_SCREEN));
	if (is_text(self->options) &&
	    (self->intervals % LINES_PER_HEADING == 0 || self->options->interval_clear))
		stat_view_columns(counts, &view, &out);
	self->intervals++;
	stat_view(counts, &view, &out);
	code = stat_output_write(&self->output, &out, err);
	buf_done(&out);
	return code;
}

static struct stat_frame make_frame(const struct stat_command *self, const struct counts *counts,
				    const char *about)
{
	const struct stat_options *stat = &self->options->stat;
	const struct stat_result *result = self->result;
	bool tasks = stat->source.pids || stat->source.tids;
	struct stat_frame frame = { .about = about,
				    .runs = stat->repeat,
				    .elapsed_ns = counts->elapsed_ns,
				    .null_run = stat->null_run,
				    .user_ns = result->user_ns,
				    .system_ns = result->system_ns,
				    .peak_rss_bytes = result->peak_rss_bytes };

	frame.program = result->launched && !tasks && !stat->source.system_wide &&
			!stat->source.cpus && !stat->source.all_threads;
	if (!frame.runs)
		frame.runs = 1;
	else if (frame.runs > 1)
		frame.runs = result->each_ns.count;
	if (self->options->table) {
		frame.each_ns = result->each_ns.item;
		frame.each_count = result->each_ns.count;
	}
	return frame;
}

/* As perf does: every sum, with the time that it was enabled and running. */
static void put_readings(const struct counts *counts, struct buf *out)
{
	for (size_t e = 0; e < counts->events; e++)
		for (size_t p = 0; p < counts->places; p++) {
			const struct counts_cell *cell = counts_cell(counts, e, p);

			(void)buf_printf(out, "%s: %.0f %.0f %.0f\n", counts->event[e].name,
					 cell->value.value, cell->enabled_ns.value,
					 cell->running_ns.value);
		}
}

/* Everything: the counts of all runs, in their frame. */
static int print_counts(void *context, const struct counts *counts, struct err *err)
{
	struct stat_command *self = context;
	const struct stat_command_options *o = self->options;
	struct stat_view view = view_options(o);
	struct buf out = { 0 }, about = { 0 };
	struct stat_frame frame;
	int code;

	if (o->quiet || (o->stat.interval_ms && !o->summary))
		return 0;
	put_about(&o->stat.source, self->argv, &about);
	frame = make_frame(self, counts, about.data);
	view.summary = o->stat.interval_ms && !o->no_csv_summary;
	if (o->verbose && is_text(o))
		put_readings(counts, &out);
	if (is_text(o))
		stat_frame_head(&frame, &out);
	if (o->metric_only)
		stat_view_figure_names(counts, &view, &out);
	stat_view(counts, &view, &out);
	if (is_text(o))
		stat_frame_foot(&frame, &out);
	if (is_text(o))
		stat_output_put_notes(&self->output, self->result->notes, &out);
	code = stat_output_write(&self->output, &out, err);
	buf_done(&out);
	buf_done(&about);
	return code;
}

/* As perf does. */
static void print_said(void *context, const char *line)
{
	const struct stat_command *self = context;

	if (!self->options->quiet)
		(void)fprintf(stderr, "%s\n", line);
}

static void print_killed(void *context, int signal)
{
	const struct stat_command *self = context;

	command_warn("%s: %s", self->argv[0], strsignal(signal));
}

static int count(struct stat_command *self, char **argv, struct stat_result *result,
		 struct err *err)
{
	const struct stat_listener listener = { self, print_interval, print_counts, print_said,
						print_killed };
	int code = session_stat(&self->options->stat, argv, &listener, result, err);

	if (!code && self->options->stat.repeat)
		code = print_counts(self, &result->counts, err);
	if (!code && result->unwritten.code) {
		*err = result->unwritten;
		code = err_wrap(err, "%s", self->options->stat.record);
	}
	return code;
}

/* stat record: its options and the program follow. */
static int take_record(struct stat_command_options *options, struct option_words *words,
		       struct err *err)
{
	if (option_parse(&cmd_stat, words, options, err))
		return EXIT_STATUS_USAGE;
	if (options->stat.repeat != 1 || options->compare)
		return command_usage(err, "record: one run is recorded: no -r, no --compare");
	options->stat.record = options->output ? options->output : "perf.data";
	options->output = NULL;
	options->stat.words = (const char *const *)command_words()->argv;
	options->stat.word_count = (size_t)command_words()->argc;
	return 0;
}

static int compare(struct stat_command_options *options, struct option_words words, struct err *err)
{
	const char *second = words.argc ? words.argv[0] : NULL;

	/* options may follow the second program, which is one word */
	if (second && option_parse(&cmd_stat, &words, options, err))
		return EXIT_STATUS_USAGE;
	if (stat_options_check(options, second != NULL, err))
		return EXIT_STATUS_USAGE;
	return stat_compare_run(options, words.argc ? NULL : second, err);
}

static int stat_run(void *context, int argc, char **argv, struct err *err)
{
	struct stat_command self = { .options = context };
	struct option_words words = { argc, argv };
	struct stat_result result = { .launched = false };
	int code = 0, status;

	if (self.options->compare)
		return compare(self.options, words, err);
	if (argc && strcmp(argv[0], "record") == 0)
		code = take_record(self.options, &words, err);
	if (!code)
		code = stat_options_check(self.options, words.argc > 0, err);
	if (code)
		return code;
	self.argv = words.argv;
	self.result = &result;
	code = stat_output_open(&self.output, self.options, err);
	if (!code)
		code = count(&self, words.argv, &result, err);
	status = command_program_status(code, result.launched, result.exit_status, err);
	stat_output_close(&self.output);
	stat_result_done(&result);
	return status;
}

const struct command cmd_stat = {
	.name = "stat",
	.args = "[options] [-- program arguments]",
	.summary = "count events of a program, processes or the machine",
	.options = stat_rows_table,
	.options_size = sizeof(struct stat_command_options),
	.defaults = stat_options_defaults,
	.done = stat_options_done,
	.run = stat_run,
	.report = &cmd_stat_report,
	.takes_program = true,
};
