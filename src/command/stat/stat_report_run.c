/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel stat report: the counts of a recording, as stat prints them. */
#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/stat/stat_options.h"
#include "command/stat/stat_output.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"
#include "session/stat/stat_report.h"
#include "view/stat/stat_frame.h"
#include "view/stat/stat_view.h"

extern const struct command cmd_stat_report;

struct report_options {
	const char *input, *separator;
	bool json;
	enum counts_by by;
};

#define FIELD(name) OPT(report_options, name)

static const struct option_def report_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", FIELD(input), "recording (default perf.data; - = stdin)" },
	{ .type = OPT_INCLUDE, .include = stat_place_rows, .offset = FIELD(by) },
	{ "field-separator", 'x', OPT_CALL, "SEPARATOR", FIELD(separator),
	  "CSV with this separator (\\t = tab)", stat_set_separator },
	{ "json-output", 'j', OPT_FLAG, NULL, FIELD(json), "JSON, an object a line" },
	{ .type = OPT_END },
};

struct reporter {
	const struct report_options *options;
	struct stat_output output;
	bool heading;
};

static struct stat_view view_options(const struct report_options *o)
{
	return (struct stat_view){ .separator = o->separator, .json = o->json, .big_num = true };
}

static int print_interval(void *context, const struct counts *counts, uint64_t time_ns,
			  struct err *err)
{
	struct reporter *self = context;
	struct stat_view view = view_options(self->options);
	struct buf out = { 0 };
	int code;

	view.interval = true;
	view.time_ns = time_ns;
	if (!self->heading && !view.json && !view.separator)
		stat_view_columns(counts, &view, &out);
	self->heading = true;
	stat_view(counts, &view, &out);
	code = stat_output_write(&self->output, &out, err);
	buf_done(&out);
	return code;
}

static void put_about(const struct perf_data_header *header, struct buf *ret)
{
	for (size_t i = 0; !header->pipe && i < header->cmdline_count; i++)
		(void)buf_printf(ret, "%s%s", i ? " " : "'", header->cmdline[i]);
	if (!ret->len)
		(void)buf_puts(ret, header->pipe ? "'pipe" : "'recording");
	(void)buf_putc(ret, '\'');
}

static int print_whole(struct reporter *self, const struct perf_data_header *header,
		       const struct counts *counts, struct err *err)
{
	struct stat_view view = view_options(self->options);
	bool text = !view.json && !view.separator;
	struct stat_frame frame = { .runs = 1, .elapsed_ns = counts->elapsed_ns };
	struct buf out = { 0 }, about = { 0 };
	int code;

	put_about(header, &about);
	frame.about = about.data;
	if (text)
		stat_frame_head(&frame, &out);
	stat_view(counts, &view, &out);
	if (text)
		stat_frame_foot(&frame, &out);
	code = stat_output_write(&self->output, &out, err);
	buf_done(&out);
	buf_done(&about);
	return code;
}

static int report_run(void *options, int argc, char **argv, struct err *err)
{
	struct reporter self = { .options = options, .output = { STDERR_FILENO, false, "stderr" } };
	const struct stat_listener listener = { .context = &self, .interval = print_interval };
	const struct option_words words = { argc, argv };
	struct recording *recording = NULL;
	struct stat_report *report = NULL;
	struct perf_data *data;
	const char *input;
	int code;

	if (command_take_input(&words, self.options->input, &input, err))
		return EXIT_STATUS_USAGE;
	code = recording_open(input, &recording, err);
	if (!code)
		code = recording_data(recording, &data, err);
	if (!code) {
		code = session_stat_report(data, self.options->by, &listener, &report, err);
		if (code)
			(void)err_wrap(err, "%s", recording_name(recording));
	}
	if (code == -ENOENT || code == -ENODATA)
		(void)err_hint(err, "record counts with: cupel stat record -- PROGRAM");
	if (!code && stat_report_counts(report))
		code = print_whole(&self, perf_data_header(data), stat_report_counts(report), err);
	stat_report_free(report);
	recording_close(recording);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_stat_report = {
	.name = "stat report",
	.args = "[options] [FILE]",
	.summary = "print the counts of a recording",
	.options = report_rows,
	.options_size = sizeof(struct report_options),
	.run = report_run,
	.reads = true,
	.names_outputs = true,
};
