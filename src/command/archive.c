/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel archive: a recording and what it takes to read it elsewhere, in one file. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/reader.h"
#include "format/archive/archive_write.h"
#include "proc/binary_cache.h"
#include "profile/redact.h"
#include "session/pack.h"
#include "session/recording.h"
#include "session/unpack.h"

struct archive_options {
	const char *input, *output;
	struct pack_options pack;
	bool unpack;
	struct redaction *redaction;
};

static const struct option_def archive_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(archive_options, input),
	  "recording to pack (default perf.data, - for stdin)" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(archive_options, output),
	  "archive to write, - for stdout; with --unpack the recording (default the recording's "
	  "name with .cupel.tar.gz); "
	  "FILE.tar.zst is packed with zstd, FILE.tar not at all" },
	{ "binaries", 'b', OPT_FLAG, NULL, OPT(archive_options, pack.binaries),
	  "pack whole binaries, their debug files and the kernel's symbols as well" },
	{ "all", 0, OPT_FLAG, NULL, OPT(archive_options, pack.binaries), "the same (perf)" },
	{ "unpack", 0, OPT_FLAG, NULL, OPT(archive_options, unpack),
	  "put the binaries of an archive into perf's cache, and its recording into perf.data" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE,
	  .include = redact_option_rows,
	  .offset = OPT(archive_options, redaction) },
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
	command_say("wrote %s: %.3f MB of recording, names of %zu modules, %zu binaries, %zu files "
		    "about generated code",
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

/* The recording becomes a file that is not there yet. */
static int put_recording(void *context, const void *data, size_t len, struct err *err)
{
	const struct archive_options *o = context;
	const char *path = o->output ? o->output : "perf.data";
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code;

	if (fd < 0 && errno == EEXIST) {
		(void)err_set(err, -EEXIST, "%s: there is one already", path);
		return err_hint(err, "name another file with -o");
	}
	if (fd < 0)
		return err_errno(err, "%s", path);
	code = fd_write_all(fd, data, len);
	return code ? err_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

/* What perf archive and this command call their files. */
static const char *usual_archive(void)
{
	static const char *const names[] = { "perf.data" READER_ARCHIVE_END, "perf.data.tar.bz2" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (access(names[i], F_OK) == 0)
			return names[i];
	return names[0];
}

/* What could be read is there, and a script must not take it for all. */
static int say_cut(const struct archive_options *o, const char *path,
		   const struct unpack_tally *tally, struct err *err)
{
	const char *recording = o->output ? o->output : "perf.data";
	char made[512];

	if (!tally->recording_bytes)
		(void)snprintf(made, sizeof(made), "no recording");
	else
		(void)snprintf(made, sizeof(made), "%s%s", recording,
			       tally->recording_is_cut ? " without its end" : "");
	return err_set(err, -EBADMSG, "%s: %s: unpacked %zu binaries and %s", path, tally->damage,
		       tally->binaries, made);
}

static int unpack(const struct archive_options *o, const char *input, struct err *err)
{
	struct unpack_target target = { .recording = put_recording,
					.context = (void *)(uintptr_t)o };
	const char *path = input ? input : usual_archive();
	struct unpack_tally tally;
	int code = binary_cache_open(true, &target.cache, err);

	if (code)
		return code;
	code = unpack_archive(path, &target, &tally, err);
	if (tally.refused)
		command_warn("%zu binaries do not have the build id of their name and are left out",
			     tally.refused);
	if (!code && tally.damage)
		code = say_cut(o, path, &tally, err);
	else if (!code)
		(void)fprintf(stderr, "[ cupel: %zu binaries in %s, %.3f MB of recording ]\n",
			      tally.binaries, binary_cache_name(target.cache),
			      (double)tally.recording_bytes / 1e6);
	binary_cache_close(target.cache);
	return code;
}

static int pack(const struct archive_options *o, const char *input, struct err *err)
{
	struct recording *recording;
	struct buf usual = { 0 };
	int code;

	(void)umask(S_IRWXG | S_IRWXO); /* an archive is as private as a recording */
	reader_begin(command_words(), true);
	(void)buf_printf(&usual, "%s" READER_ARCHIVE_END,
			 input && strcmp(input, "-") != 0 ? input : "perf.data");
	code = recording_open(input, &recording, err);
	if (!code) {
		code = write_archive(recording, o, o->output ? o->output : usual.data, err);
		recording_close(recording);
	}
	buf_done(&usual);
	return code;
}

static int archive_run(void *options, int argc, char **argv, struct err *err)
{
	const struct archive_options *o = options;
	const char *input = argc == 1 ? argv[0] : o->input;
	int code;

	if (o->redaction) {
		(void)command_usage(err,
				    "--redact cannot hide what the recording and binaries in an "
				    "archive hold");
		(void)err_hint(err,
			       "cupel convert --redact FILE out.json.gz writes a profile without "
			       "names of users, hosts, paths and arguments");
		return EXIT_STATUS_USAGE;
	}
	if (o->unpack && argc > 1)
		return command_usage(err, "one archive at a time");
	if (!o->unpack &&
	    command_take_input(&(struct option_words){ argc, argv }, o->input, &input, err))
		return EXIT_STATUS_USAGE;
	if (o->output && strcmp(o->output, "-") == 0 && (o->unpack || isatty(STDOUT_FILENO)))
		return command_usage(err, "-o - needs a pipe, and no --unpack");
	if (!o->unpack && o->output && archive_packing_of(o->output) == ARCHIVE_OTHER)
		return command_usage(err,
				     "%s: cupel packs with gzip (.tar.gz), zstd (.tar.zst) or "
				     "not at all (.tar)",
				     o->output);
	code = o->unpack ? unpack(o, input, err) : pack(o, input, err);
	return code ? -1 : EXIT_STATUS_OK;
}

static void archive_done(void *options)
{
	redaction_free(((struct archive_options *)options)->redaction);
}

const struct command cmd_archive = {
	.name = "archive",
	.args = "[options] [FILE]",
	.summary = "pack a recording with what another machine needs to read it",
	.options = archive_rows,
	.options_size = sizeof(struct archive_options),
	.run = archive_run,
	.done = archive_done,
};
