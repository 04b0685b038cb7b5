/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel archive: a recording and what it takes to read it elsewhere, in one file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "format/archive/archive_write.h"
#include "session/pack.h"
#include "session/recording.h"

struct archive_options {
	const char *input, *output;
	struct pack_options pack;
};

static const struct option_def archive_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(archive_options, input),
	  "recording to pack (default perf.data, - for stdin)" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(archive_options, output),
	  "archive to write, - for stdout (default the recording's name with .cupel.tar.gz); "
	  "FILE.tar.zst is packed with zstd, FILE.tar not at all" },
	{ "binaries", 'b', OPT_FLAG, NULL, OPT(archive_options, pack.binaries),
	  "pack whole binaries, their debug files and the kernel's symbols as well" },
	{ "all", 0, OPT_FLAG, NULL, OPT(archive_options, pack.binaries), "the same (perf)" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ 0 },
};

static void say(const char *name, const struct pack_tally *tally)
{
	if (tally->stacks)
		(void)fprintf(stderr, "[ cupel: binaries are packed too: they unwind the copied "
				      "stacks of this recording ]\n");
	if (tally->missing)
		command_warn("%zu binaries are not here or have changed: only their names are "
			     "packed",
			     tally->missing);
	(void)fprintf(stderr,
		      "[ cupel: wrote %s: %.3f MB of recording, names of %zu modules, %zu "
		      "binaries, %zu files about generated code ]\n",
		      name, (double)tally->recording_bytes / 1e6, tally->modules, tally->binaries,
		      tally->jit_files);
}

static int write_archive(struct recording *recording, const struct archive_options *o,
			 const char *path, struct err *err)
{
	bool to_stdout = strcmp(path, "-") == 0;
	int fd = to_stdout ? STDOUT_FILENO : reader_open_output(path, err), code;
	struct archive_writer *writer = NULL;
	struct pack_tally tally;

	if (fd < 0)
		return fd;
	code = archive_writer_open(fd, archive_packing_of(path), &writer, err);
	if (!code)
		code = pack_recording(recording, &o->pack, writer, &tally, err);
	archive_writer_free(writer);
	if (!to_stdout) {
		struct err ignored = { 0 };
		int end = reader_close_output(path, fd, !code, code ? &ignored : err);

		code = code ? code : end;
	}
	if (!code)
		say(to_stdout ? "standard output" : path, &tally);
	return code;
}

static int archive_run(void *options, int argc, char **argv, struct err *err)
{
	const struct archive_options *o = options;
	struct recording *recording;
	struct buf usual = { 0 };
	const char *input;
	int code;

	if (command_take_input(&(struct option_words){ argc, argv }, o->input, &input, err))
		return EXIT_STATUS_USAGE;
	if (o->output && strcmp(o->output, "-") == 0 && isatty(STDOUT_FILENO))
		return command_usage(err, "refusing to write an archive to a terminal");
	(void)buf_printf(&usual, "%s" READER_ARCHIVE_END,
			 input && strcmp(input, "-") != 0 ? input : "perf.data");
	code = recording_open(input, &recording, err);
	if (!code) {
		code = write_archive(recording, o, o->output ? o->output : usual.data, err);
		recording_close(recording);
	}
	buf_done(&usual);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_archive = {
	.name = "archive",
	.args = "[options] [FILE]",
	.summary = "pack a recording with what another machine needs to read it",
	.options = archive_rows,
	.options_size = sizeof(struct archive_options),
	.run = archive_run,
	.reads = true,
};
