/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel heatmap: samples over time as a page, with the flame graph of any range inside. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/picture_options.h"
#include "profile/diff/diff.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/heat_map/heat_map.h"

#define DEFAULT_OUTPUT "heatmap.html"

struct heatmap_command {
	struct input_options input;
	struct diff_options select;
	struct heat_map_options view;
	const char *output;
};

static_assert(DIFF_MEASURE_SAMPLES == 2, "ORDER: the words follow enum diff_measure");

#define OWN(field) OPT(heatmap_command, field)

static const struct option_def heatmap_rows[] = {
	{ "Page", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "output", 'o', OPT_OUTPUT, "FILE", OWN(output),
	  "write to FILE, - = standard output (default heatmap.html on a terminal)", NULL, NULL },
	{ "title", 0, OPT_STR, "TEXT", OWN(view.title), "title", NULL, NULL },
	{ "subtitle", 0, OPT_STR, "TEXT", OWN(view.subtitle), "second line", NULL, NULL },
	{ "event", 'e', OPT_STR, "EVENT", OWN(select.event), "this event, not the first one", NULL,
	  NULL },
	{ "by", 0, OPT_CHOICE, "MEASURE", OWN(select.measure),
	  "heat and widths: samples, weight (time, events) or auto",
	  .choices = "auto weight samples" },
	{ "no-comm", 0, OPT_FLAG, NULL, OWN(select.no_roots), "no root frames for commands", NULL,
	  NULL },
	{ "profile", 0, OPT_INCLUDE, NULL, OWN(input), NULL, NULL, input_option_rows },
	{ 0 },
};

static void heatmap_defaults(void *poptions)
{
	input_options_defaults(&((struct heatmap_command *)poptions)->input);
}

static int draw(struct heatmap_command *options, const char *input, const char *output,
		struct err *err)
{
	struct load_options load = { .detail = RESOLVE_NAMES };
	struct profile *profile;
	struct buf page = { 0 };
	int r;

	input_options_apply(&options->input, &load);
	load.symbol.lines = false;
	load.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_CPU; /* lanes are threads and CPUs */
	r = session_load(input, &load, &profile, err);
	if (r)
		return r;
	input_warn_missing(input, profile);
	r = heat_map_page(profile, &options->select, &options->view, &page, err);
	if (r == -ENODATA)
		(void)err_wrap(err, "%s", input ? input : "perf.data");
	profile_free(profile);
	return command_end_output(r, output, &page, err);
}

static int heatmap_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct heatmap_command *options = poptions;
	const char *output = options->output, *input;

	if (command_take_input(&(struct option_words){ argc, argv }, options->input.input, &input,
			       err))
		return EXIT_STATUS_USAGE;
	if (picture_check_page(output, err))
		return EXIT_STATUS_USAGE;
	if (!output && isatty(STDOUT_FILENO))
		output = DEFAULT_OUTPUT;
	if (draw(options, input, output, err))
		return -1;
	if (output && !options->output)
		command_say("wrote %s", output);
	return EXIT_STATUS_OK;
}

static void heatmap_done(void *options)
{
	input_options_done(&((struct heatmap_command *)options)->input);
}

const struct command cmd_heatmap = {
	.name = "heatmap",
	.args = "[options] [INPUT]",
	.summary = "draw samples over time, with the flame graph of any time range",
	.options = heatmap_rows,
	.options_size = sizeof(struct heatmap_command),
	.defaults = heatmap_defaults,
	.run = heatmap_run,
	.done = heatmap_done,
	.reads = true,
};
