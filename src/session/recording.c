/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs opened once (see recording.h). */
#include "session/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_queue.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "format/archive/archive.h"
#include "format/archive/tar.h"
#include "format/foreign.h"
#include "format/format.h"
#include "format/ftrace/trace_dat.h"
#include "format/ftrace/trace_text.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_header_text.h"
#include "proc/module_bundle.h"
#include "profile/profile.h"
#include "profile/redact.h"
#include "session/archived_files.h"
#include "session/debug_package.h"
#include "session/filter.h"
#include "session/ftrace/trace_dat_load.h"
#include "session/ftrace/trace_text_load.h"
#include "session/load/load.h"
#include "session/replay.h"
#include "session/store/store_input.h"

struct recording {
	const char *name; /* the input's */
	struct input *input;
	struct perf_data *data;	   /* NULL until requested */
	struct archive *archive;   /* NULL = it is not from one */
	struct input *outer;	   /* the archive's own input, or that of a converted trace */
	struct file_map converted; /* a trace of another format as perf.data */
	bool again;		   /* the archive is another recording's */
	bool is_stored;		   /* a part of a store; `input` is empty */
	struct store_input stored;
	struct byte_queue *empty;
	struct module_bundle bundle;
};

/* An archive's recording takes the place of the archive. */
static int enter_archive(struct recording *recording, struct err *err)
{
	const uint8_t *head;
	size_t len;

	if (input_peek(recording->input, &head, &len, err))
		return err->code;
	if (!archive_is(head, len))
		return 0;
	recording->outer = recording->input;
	recording->input = NULL;
	if (archive_open(recording->outer, &recording->archive, err))
		return err->code;
	if (archive_tar(recording->archive)) /* else a packed recording alone */
		archived_files_init(&recording->bundle, archive_tar(recording->archive));
	return archive_recording(recording->archive, &recording->input, err);
}

/* A trace of the kernel's tracers becomes a perf.data, which takes its place. */
static int convert_trace(struct recording *recording, struct err *err)
{
	int (*load)(const uint8_t *data, size_t len, struct err *err);
	const uint8_t *data;
	int code = 0;
	size_t len;

	if (input_peek(recording->input, &data, &len, err))
		return err->code;
	if (trace_dat_is(data, len))
		load = trace_dat_load;
	else if (trace_text_is(data, len))
		load = trace_text_load;
	else
		return 0;
	if (input_map(recording->input, &data, &len, err))
		return err->code;
	AUTO_CLOSE int fd = load(data, len, err);
	if (fd < 0)
		return err_wrap(err, "%s", recording->name);
	code = file_map_fd(fd, &recording->converted, err);
	if (code)
		return code;
	recording->outer = recording->input;
	recording->input = input_part(recording->outer, recording->converted.data,
				      recording->converted.len, input_modified_s(recording->outer));
	return 0;
}

void recording_use_binaries(struct recording *recording, const struct module_bundle *binaries)
{
	if (!recording->bundle.find)
		recording->bundle = *binaries;
}

static void hold_stored(const char *name, struct recording *recording)
{
	recording->is_stored = true;
	recording->empty = byte_queue_new(1);
	byte_queue_end(recording->empty);
	recording->input = input_queue(recording->empty, name);
	recording->name = input_name(recording->input);
}

static int open_stored(const char *path, struct recording *recording, struct err *err)
{
	int code = store_input_parse(path, clock_ns(CLOCK_REALTIME), &recording->stored, err);

	if (!code)
		hold_stored(path, recording);
	return code;
}

struct recording *recording_open_stored(struct store_input *input)
{
	struct recording *recording = mem_zalloc(sizeof(*recording));

	recording->stored = *input;
	*input = (struct store_input){ 0 };
	hold_stored(recording->stored.location, recording);
	return recording;
}

int recording_open(const char *path, struct recording **ret, struct err *err)
{
	struct recording *recording = mem_zalloc(sizeof(*recording));

	if (store_input_is(path)) {
		if (open_stored(path, recording, err)) {
			free(recording);
			return err->code;
		}
		*ret = recording;
		return 0;
	}
	if (input_open(path, &recording->input, err)) {
		free(recording);
		if (err->code == -ENOENT)
			(void)err_hint(err, "create a recording with: cupel record -- PROGRAM");
		return err->code;
	}
	recording->name = input_name(recording->input);
	if (enter_archive(recording, err) || convert_trace(recording, err)) {
		recording_close(recording);
		return err->code;
	}
	*ret = recording;
	return 0;
}

struct recording *recording_open_queue(struct byte_queue *queue, const char *name)
{
	struct recording *recording = mem_zalloc(sizeof(*recording));

	recording->input = input_queue(queue, name);
	recording->name = input_name(recording->input);
	return recording;
}

int recording_again(struct recording *of, struct recording **ret, struct err *err)
{
	struct recording *recording;
	const uint8_t *bytes;
	size_t len;

	if (input_map(of->input, &bytes, &len, err))
		return err->code;
	recording = mem_zalloc(sizeof(*recording));
	recording->input = input_part(of->input, bytes, len, input_modified_s(of->input));
	recording->name = input_name(recording->input);
	recording->archive = of->archive;
	recording->bundle = of->bundle;
	recording->again = true;
	*ret = recording;
	return 0;
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	perf_data_close(recording->data);
	input_close(recording->input);
	if (!recording->again)
		archive_close(recording->archive);
	input_close(recording->outer);
	byte_queue_free(recording->empty);
	store_input_done(&recording->stored);
	file_map_close(&recording->converted);
	free(recording);
}

const char *recording_name(const struct recording *recording)
{
	return recording->name;
}

struct input *recording_input(struct recording *recording)
{
	return recording->input;
}

/* What an archive has beside the recording goes before what this machine has. */
static void add_beside(struct recording *recording)
{
	const struct tar *tar = recording->archive ? archive_tar(recording->archive) : NULL;
	const struct tar_member *names = tar ? tar_find(tar, ARCHIVE_NAMES) : NULL;
	struct perf_data_beside beside = {
		.binaries = recording->bundle.find ? &recording->bundle : NULL,
		.damage = recording->archive ? archive_damage(recording->archive) : NULL
	};

	if (names) {
		beside.names = names->data;
		beside.names_len = names->len;
	}
	perf_data_set_beside(recording->data, &beside);
}

int recording_data(struct recording *recording, struct perf_data **ret, struct err *err)
{
	if (recording->is_stored)
		return err_set(err, -EINVAL, "%s: a store has no single events", recording->name);
	if (!recording->data) {
		if (perf_data_open(recording->input, &recording->data, err))
			return err->code;
		add_beside(recording);
	}
	*ret = recording->data;
	return 0;
}

int recording_header_text(struct recording *recording, bool full, struct buf *ret, struct err *err)
{
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	if (code)
		return code;
	code = perf_data_header_text(data, full, ret);
	return code ? err_set(err, code, "%s: the header text is too large", recording->name) : 0;
}

/* Files that the user names for symbols must be there: without them every name would be missing or
 * another machine's. */
static int check_symbol_files(const struct symbol_options *options, struct err *err)
{
	const char *const files[] = { options->kallsyms_path, options->vmlinux_path };
	struct stat st;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] && access(files[i], R_OK))
			return err_errno(err, "%s", files[i]);
	if (!options->symfs || !options->symfs[0])
		return 0;
	if (stat(options->symfs, &st))
		return err_errno(err, "--symfs %s", options->symfs);
	return S_ISDIR(st.st_mode)
		       ? 0
		       : err_set(err, -ENOTDIR, "--symfs %s: not a folder", options->symfs);
}

int recording_replay(struct recording *recording, const struct replay_options *options,
		     struct replay_handler *handler, struct err *err)
{
	struct perf_data *data;
	int code = check_symbol_files(&options->symbol, err);

	if (!code)
		code = recording_data(recording, &data, err);
	return code ? code : session_replay(data, options, handler, err);
}

/* What a reader of a finished profile may leave out. */
static unsigned merging(const struct load_options *options)
{
	bool tell_threads = (options->pids && *options->pids) || (options->tids && *options->tids);
	unsigned merge = options->merge_threads && !tell_threads ? PROFILE_MERGE_THREADS : 0;

	if (options->detail == RESOLVE_NAMES)
		merge |= PROFILE_MERGE_NAMES;
	else if (options->detail == RESOLVE_FUNCTIONS)
		merge |= PROFILE_MERGE_FUNCTIONS;
	return merge;
}

static int find_format(struct recording *recording, bool off_cpu, const struct format_ops **ret,
		       struct err *err)
{
	const char *name = recording->name;
	const struct format_ops *format;
	const uint8_t *head;
	size_t len;

	if (input_peek(recording->input, &head, &len, err))
		return err_wrap(err, "%s", name);
	if (len == 0)
		return err_set(err, -ENODATA, "%s: empty file", name);
	if (format_foreign(head, len))
		return err_set(err, -EINVAL, "%s: %s", name, format_foreign(head, len));
	format = format_sniff(head, len);
	if (off_cpu && format && format->waits) {
		format = format->waits;
	} else if (off_cpu) {
		err_set(err, -EINVAL,
			"%s: --off-cpu requires perf script text with scheduler events", name);
		return err_hint(
			err, "for a recording, use: cupel script -i %s | cupel collapse --off-cpu",
			name);
	}
	if (!format) {
		err_set(err, -EINVAL, "%s: unknown profile format", name);
		return err_hint(err, "the supported formats are listed in doc/formats.md");
	}
	*ret = format;
	return 0;
}

static int load_records(struct recording *recording, const struct load_options *options,
			struct profile *profile, struct err *err)
{
	struct perf_data *data;
	int code = recording_data(recording, &data, err);

	return code ? code : load_perf_data(data, recording->name, options, profile, err);
}

static int load_profile(struct recording *recording, const struct load_options *options,
			struct profile *profile, struct err *err)
{
	struct filter_spec spec = load_filters(options);
	const struct format_ops *format = NULL;

	if (recording->is_stored) {
		profile->keep |= merging(options) | filter_keeps(&spec);
		if (store_input_load(&recording->stored, options, profile, err))
			return err->code;
		return filter_profile(&spec, profile, recording->name, err);
	}
	/* one that is open as perf.data has been recognised, and some of it read */
	if (recording->data)
		return load_records(recording, options, profile, err);
	if (find_format(recording, options->off_cpu, &format, err))
		return err->code;
	if (format->events)
		return load_records(recording, options, profile, err);
	profile->keep |= merging(options) | filter_keeps(&spec);
	if (format_read(format, recording->input, &options->read, profile, err))
		return err_wrap(err, "%s", recording->name);
	if (!profile->samples.count)
		return err_set(err, -ENODATA, "%s: no samples", recording->name);
	return filter_profile(&spec, profile, recording->name, err);
}

/* Of what the recording is packed in; NULL = it is whole. */
static const char *find_damage(const struct recording *recording)
{
	if (recording->archive)
		return archive_damage(recording->archive);
	return input_is_cut(recording->outer ? recording->outer : recording->input)
		       ? "the gzip data are not whole"
		       : NULL;
}

int recording_load(struct recording *recording, const struct load_options *options,
		   struct profile **ret, struct err *err)
{
	const char *damage;
	struct profile *profile = profile_new(options->keep);
	int code = check_symbol_files(&options->symbol, err);

	if (!code)
		code = load_profile(recording, options, profile, err);

	if (code) {
		profile_free(profile);
		return code;
	}
	damage = find_damage(recording);
	if (!profile->meta.damage.v && damage)
		profile->meta.damage = strtab_puts(profile->strings, damage);
	debug_package_advise(profile, DEBUG_PACKAGE_LISTS);
	if (options->redaction)
		profile = profile_redact(options->redaction, profile);
	profile_count(profile);
	*ret = profile;
	return 0;
}
