/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel context: what the machine was like while a recording was made. */
#include <errno.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "command/output.h"
#include "format/perf_data/perf_data.h"
#include "profile/machine_series.h"
#include "session/recording.h"
#include "view/machine/machine_view.h"

struct context_command {
	struct output_options output;
	const char *input;
	uint64_t width;
	bool all_rows;
};

static const struct option_def machine_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(context_command, input),
	  "recording to read (default perf.data, - for stdin)" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ "all", 'a', OPT_FLAG, NULL, OPT(context_command, all_rows),
	  "include values that stayed 0, and every CPU" },
	{ "width", 'w', OPT_UINT, "COLUMNS", OPT(context_command, width),
	  "maximum sparkline width (default 60)" },
	{ .type = OPT_INCLUDE,
	  .include = output_option_rows,
	  .offset = OPT(context_command, output) },
	{ 0 },
};

/* The samples stand among the records, which are otherwise passed by. */
static int pass_by(struct sink *sink, const struct event *event, struct err *err)
{
	(void)sink;
	(void)event;
	(void)err;
	return 0;
}

static int print(struct perf_data *data, const char *name, const struct context_command *o,
		 struct err *err)
{
	struct machine_view_options view = { .width = o->width, .all_rows = o->all_rows };
	const struct machine_series *series = perf_data_machine(data);
	struct sink sink = { .event = pass_by };
	struct buf out = { 0 };
	int code;

	perf_data_unordered(data);
	code = perf_data_read(data, &sink, err);
	if (!code && !series->sample.count) {
		code = err_set(err, -ENODATA, "%s: no machine state in the recording", name);
		(void)err_hint(err, "only `cupel record` stores it");
	}
	if (!code && o->output.json)
		machine_json(series, &out);
	else if (!code)
		machine_text(series, &view, &out);
	return command_end_output(code, o->output.path, &out, err);
}

static int context_run(void *options, int argc, char **argv, struct err *err)
{
	struct context_command *o = options;
	struct recording *recording = NULL;
	struct perf_data *data;
	const char *input;
	int status = -1;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input, &input, err))
		return EXIT_STATUS_USAGE;
	if (!recording_open(input, &recording, err) && !recording_data(recording, &data, err) &&
	    !print(data, recording_name(recording), o, err))
		status = EXIT_STATUS_OK;
	recording_close(recording);
	return status;
}

const struct command cmd_context = {
	.name = "context",
	.args = "[options] [FILE]",
	.summary = "show the machine's state during a recording",
	.options = machine_rows,
	.options_size = sizeof(struct context_command),
	.run = context_run,
	.reads = true,
	.names_outputs = true,
};
