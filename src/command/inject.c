/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel inject: a recording copied with build ids, generated code or the lengths of waits in it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/input_files.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "session/inject/inject.h"

struct inject_command_options {
	const char *input, *output;
	struct inject_options inject;
	unsigned verbose;
};

#define INJECT(field) OPT(inject_command_options, field)

static const struct option_def inject_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", INJECT(input),
	  "recording to read (default perf.data, - for stdin)" },
	{ "output", 'o', OPT_OUTPUT, "FILE", INJECT(output),
	  "recording to write; - (default) is standard output, in the form for a pipe" },
	{ "build-ids", 'b', OPT_FLAG, NULL, INJECT(inject.build_ids),
	  "add the build ids of what samples and their stacks hit" },
	{ "buildid-all", 0, OPT_FLAG, NULL, INJECT(inject.all_build_ids),
	  "add the build ids of all that is mapped" },
	{ "known-build-ids", 0, OPT_STR, "LIST", INJECT(inject.known_ids),
	  "build ids of files that are not here: 'ID PATH', separated by commas; @FILE has one a "
	  "line" },
	{ "jit", 'j', OPT_FLAG, NULL, INJECT(inject.jit),
	  "make ELF files of the functions in jitdumps, beside these, and map them" },
	{ "sched-stat", 's', OPT_FLAG, NULL, INJECT(inject.sched_stat),
	  "merge sched_stat events into sched_switch: where tasks slept, and how long" },
	{ "verbose", 'v', OPT_COUNT, NULL, INJECT(verbose), "say what was added" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ .type = OPT_INCLUDE, .include = refused_inject_rows },
	{ 0 },
};

static void say(const struct inject_command_options *o, const struct inject_tally *tally)
{
	if (tally->notes.len)
		command_print_notes(tally->notes.data);
	if (o->verbose)
		(void)fprintf(stderr,
			      "[ cupel: %llu records copied, %llu left out; %zu build ids, %zu "
			      "functions of generated code, %zu waits ]\n",
			      (unsigned long long)tally->records,
			      (unsigned long long)tally->dropped, tally->build_ids,
			      tally->jit_functions, tally->waits);
}

static int write_recording(struct inject_command_options *o, const char *input, struct err *err)
{
	bool to_stdout = !o->output || strcmp(o->output, "-") == 0;
	int fd = to_stdout ? STDOUT_FILENO : reader_open_output(o->output, err), code;
	struct inject_tally tally = { 0 };

	if (fd < 0)
		return fd;
	o->inject.pipe = to_stdout || lseek(fd, 0, SEEK_CUR) < 0;
	code = inject_recording(input, &o->inject, fd, &tally, err);
	if (code == -ENOSPC || code == -EDQUOT)
		(void)err_wrap(err, "%s", to_stdout ? "standard output" : o->output);
	if (!to_stdout) {
		struct err ignored = { 0 };
		int end = reader_close_output(o->output, fd, !code, code ? &ignored : err);

		code = code ? code : end;
	}
	if (!code)
		say(o, &tally);
	buf_done(&tally.notes);
	return code;
}

static int inject_run(void *options, int argc, char **argv, struct err *err)
{
	struct inject_command_options *o = options;
	const char *input;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input, &input, err))
		return EXIT_STATUS_USAGE;
	if ((!o->output || strcmp(o->output, "-") == 0) && isatty(STDOUT_FILENO))
		return command_usage(err,
				     "refusing to write a recording to a terminal; use -o FILE");
	/* the output is opened before it */
	input_files_add_path(input ? input : "perf.data");
	(void)umask(S_IRWXG | S_IRWXO); /* as private as the recording */
	if (!o->inject.jit)		/* which writes files beside jitdumps */
		reader_begin(command_words(), o->output);
	return write_recording(o, input, err) ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_inject = {
	.name = "inject",
	.args = "[options] [FILE]",
	.summary = "add build ids, generated code or waits to a recording",
	.options = inject_rows,
	.options_size = sizeof(struct inject_command_options),
	.run = inject_run,
};
