/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel convert: any profile → the format of another tool. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "format/format.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"

struct convert_options {
	struct input_options input;
	const char *format, *event, *output;
	bool list;
};

static const struct option_def convert_rows[] = {
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "format", 0, OPT_STR, "NAME", OPT(convert_options, format),
	  "output format (default: by the output's file name suffix):",
	  .words = format_put_writable },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(convert_options, output),
	  "write to FILE instead of standard output" },
	{ "list", 0, OPT_FLAG, NULL, OPT(convert_options, list),
	  "list all formats: name, read (r) and write (w) support, file name suffixes" },
	{ "event-filter", 0, OPT_STR, "EVENT", OPT(convert_options, event),
	  "only this event (default all)" },
	{ "profile", 0, OPT_INCLUDE, NULL, OPT(convert_options, input), NULL, NULL,
	  input_option_rows },
	{ 0 },
};

static const struct format_ops *pick_format(const struct convert_options *options)
{
	const char *name = options->format ? options->format : options->output;

	return name ? format_find(name) : NULL;
}

static int check_format(const struct convert_options *options, const struct format_ops **ret,
			struct err *err)
{
	*ret = pick_format(options);
	if (*ret && (*ret)->write) {
		if ((*ret)->packed && !options->output && isatty(STDOUT_FILENO))
			return command_usage(
				err,
				"refusing to write binary %s data to a terminal; use --output FILE",
				(*ret)->name);
		return 0;
	}
	if (*ret)
		return command_usage(err, "%s is an input format only", (*ret)->name);
	if (options->format)
		return command_usage(err, "unknown format '%s' (see: cupel convert --list)",
				     options->format);
	return command_usage(
		err, "no output format; use --format, or --output FILE with a known suffix");
}

static int convert_one(const struct convert_options *options, const struct format_ops *format,
		       const char *path, struct err *err)
{
	struct format_write_options write = { .event = options->event };
	struct load_options load = { .keep = format->keep,
				     .detail = format->places ? RESOLVE_ADDRESSES
							      : RESOLVE_FUNCTIONS };
	struct profile *profile;
	struct buf out = { 0 };
	int r;

	input_options_apply(&options->input, &load);
	load.event = options->event;
	r = session_load(path, &load, &profile, err);
	if (r)
		return r;
	input_warn_missing(path, profile);
	if (format->names_all)
		profile_name_empty_stacks(profile);
	r = format->write(profile, &write, &out, err);
	profile_free(profile);
	if (!r && out.len == BUF_DEFAULT_LIMIT)
		r = err_set(err, -E2BIG, "the output is too large");
	if (!r)
		r = format->packed ? command_write_bytes(options->output, &out, err)
				   : command_write_output(options->output, &out, err);
	buf_done(&out);
	return r;
}

static int list_formats(struct err *err)
{
	struct buf out = { 0 };
	int r;

	for (const struct format_ops *const *f = format_all(); *f; f++) {
		bool reads = (*f)->read || (*f)->is_json || (*f)->events;

		(void)buf_printf(&out, "%-12s  %c%c  %-16s  %s\n", (*f)->name, reads ? 'r' : '-',
				 (*f)->write ? 'w' : '-', (*f)->suffix ? (*f)->suffix : "-",
				 (*f)->help);
	}
	r = command_write_output(NULL, &out, err);
	buf_done(&out);
	return r ? -1 : EXIT_STATUS_OK;
}

static int convert_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct convert_options *options = poptions;
	const struct format_ops *format;
	int inputs = options->input.input ? 0 : argc > 0; /* of the words */
	const char *input;
	int r;

	if (options->list)
		return list_formats(err);
	if (argc > inputs + 1 || (argc > inputs && options->output))
		return command_usage(err, "expected at most one INPUT and one OUTPUT");
	if (argc > inputs)
		options->output = argv[inputs];
	if (command_take_input(&(struct option_words){ inputs, argv }, options->input.input, &input,
			       err))
		return EXIT_STATUS_USAGE;
	r = check_format(options, &format, err);
	if (r)
		return r;
	r = convert_one(options, format, input, err);
	return r ? -1 : EXIT_STATUS_OK;
}

static void convert_defaults(void *options)
{
	input_options_defaults(&((struct convert_options *)options)->input);
}

static void convert_done(void *options)
{
	input_options_done(&((struct convert_options *)options)->input);
}

const struct command cmd_convert = {
	.name = "convert",
	.args = "[options] [INPUT [OUTPUT]]",
	.summary = "write a profile in the format of another tool",
	.options = convert_rows,
	.options_size = sizeof(struct convert_options),
	.defaults = convert_defaults,
	.run = convert_run,
	.done = convert_done,
	.reads = true,
};
