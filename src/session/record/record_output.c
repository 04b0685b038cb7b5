/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a recording (see record_output.h). */
#include "session/record/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "base/output_file.h"
#include "event/walk_cost.h"
#include "format/perf_data/perf_data.h"
#include "format/perf_data/perf_data_write.h"
#include "session/keep_names.h"
#include "session/python/python_names.h"
#include "session/record/raw_record.h"
#include "session/record/record_existing.h"
#include "session/record/record_names.h"
#include "session/record/record_processes.h"
#include "session/record/record_queue.h"
#include "session/record/record_stacks.h"
#include "session/record/record_tally.h"
#include "session/record/recording_options.h"
#include "session/recording.h"
#include "source/source.h"
#include "symbol/kernel/kallsyms_cache.h"

/* perf keeps the recording before this one as PATH.old. */
static int keep_old(struct record_output *output, struct err *err)
{
	char old[sizeof(output->path) + 8];
	struct stat st;

	if (stat(output->path, &st) || !S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	(void)snprintf(old, sizeof(old), "%s.old", output->path);
	if (rename(output->path, old))
		return err_errno(err, "renaming %s to %s", output->path, old);
	output->had_old = true;
	return 0;
}

static int open_path(struct record_output *output, struct err *err)
{
	struct stat st;

	output->fd = output_file_open_in_place(output->path, 0600);
	if (output->fd < 0)
		return output_file_error(output->path, output->fd, err);
	output->owns_fd = true;
	output->pipe = fstat(output->fd, &st) || !S_ISREG(st.st_mode);
	return 0;
}

static int open_stdout(struct record_output *output, struct err *err)
{
	if (isatty(STDOUT_FILENO)) {
		(void)err_set(err, -EINVAL, "refusing to write binary data to a terminal");
		return err_hint(err, "use -o FILE, or a pipe: | cupel report -i -");
	}
	output->fd = STDOUT_FILENO;
	output->pipe = true;
	return 0;
}

void record_output_discard(struct record_output *output)
{
	char old[sizeof(output->path) + 8];

	if (output->pipe)
		return;
	(void)snprintf(old, sizeof(old), "%s.old", output->path);
	/* Best effort: the first error is reported. */
	if (output->had_old)
		(void)rename(old, output->path);
	else if (output->owns_fd)
		(void)unlink(output->path);
}

int record_output_open(struct record_output *output, const struct recording_options *options,
		       struct err *err)
{
	const char *other = options->output_queue ? "the recording" : "perf.data";
	const char *path = options->output ? options->output : other;
	int code;

	output->options = options;
	output->fd = -1;
	record_files_init(&output->opened);
	if ((size_t)snprintf(output->path, sizeof(output->path), "%s", path) >=
	    sizeof(output->path))
		return err_set(err, -ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	(void)snprintf(output->last_name, sizeof(output->last_name), "%s", path);
	if (options->output_queue) {
		output->pipe = true;
		return 0;
	}
	if (options->output_fd_plus_one) {
		output->fd = options->output_fd_plus_one - 1;
		output->pipe = lseek(output->fd, 0, SEEK_CUR) < 0;
		return 0;
	}
	if (strcmp(path, "-") == 0)
		return open_stdout(output, err);
	code = keep_old(output, err);
	if (!code)
		code = open_path(output, err);
	if (code)
		record_output_discard(output);
	return code;
}

static bool wants_names(const struct record_output *output)
{
	const struct recording_options *options = output->options;

	return !output->pipe && !options->no_names && !options->no_build_id &&
	       record_names_wanted(output->source->events);
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct record_output *output = (struct record_output *)sink;

	record_build_ids_event(&output->build_ids, event);
	record_owners_event(&output->owners, event);
	record_files_event(&output->opened, event);
	if (output->processes && output->files == 0)
		record_processes_event(output->processes, event);
	if (output->stacks && output->files == 0)
		record_stacks_event(output->stacks, event);
	if (output->python && output->files == 0)
		python_names_event(output->python, event);
	return perf_data_writer_event(output->writer, event, err);
}

/* Statistics of Python's functions. */
static int on_python(struct sink *sink, const struct event *event, struct err *err)
{
	struct record_output *output =
		(struct record_output *)((char *)sink -
					 offsetof(struct record_output, python_sink));

	return perf_data_writer_event(output->writer, event, err);
}

/* Records with mappings. */
static void note_records(struct record_output *output, uint8_t *data, size_t len, bool new)
{
	record_files_records(&output->opened, data, len, new);
	record_owners_records(&output->owners, data, len);
}

/* What /proc has of processes that are not known from records. */
static int on_process(struct sink *sink, const struct event *event, struct err *err)
{
	struct record_output *output =
		(struct record_output *)((char *)sink -
					 offsetof(struct record_output, process_sink));

	(void)err;
	record_processes_event(output->processes, event);
	return 0;
}

static int write_processes(struct record_output *output, struct err *err)
{
	struct buf later = { 0 };
	int code = record_processes_emit(output->processes, &output->sink, &later, err);

	if (!code && later.len) {
		note_records(output, (uint8_t *)later.data, later.len, false);
		code = perf_data_writer_records(output->writer, later.data, later.len, err);
	}
	buf_done(&later);
	return code;
}

/* At a file's start. With --tail-synthesize /proc is read at its end. */
static int write_start(struct record_output *output, struct err *err)
{
	const struct recording_options *options = output->options;
	struct sink *tasks = output->processes ? &output->process_sink : &output->sink;
	int code = 0;

	if (!options->tail_synthesize && output->files == 0)
		code = record_existing_start(options, output->program, &output->sink, err);
	else if (!options->tail_synthesize)
		code = record_existing_later(options, &output->sink, tasks, err);
	if (!code && output->processes && output->files)
		code = write_processes(output, err);
	return code ? code : perf_data_writer_round(output->writer, err);
}

static int write_end(struct record_output *output, struct err *err)
{
	int code = record_existing_later(output->options, &output->sink, &output->sink, err);

	return code ? code : perf_data_writer_round(output->writer, err);
}

int record_output_begin(struct record_output *output, const struct source *source,
			const char *program, struct err *err)
{
	const struct recording_options *options = output->options;
	struct perf_data_facts facts = {
		.fd = output->fd,
		.pipe = output->pipe,
		.queue = options->output_queue,
		.asked_to_stop = output->asked_to_stop,
		.stop_context = output->stop_context,
		.cmdline = options->words,
		.cmdline_count = options->word_count,
		.clockid = (uint64_t)source->clock.id,
		.sample_clockid = source->clock.given,
		.zstd_level = options->zstd_level,
		.mmap_len = source->ring_bytes,
		.tracing_data = source->tracing_data,
		.tracing_data_len = source->tracing_data_len,
	};
	struct timespec resolution;
	int code;

	output->sink.event = on_event;
	output->python_sink.event = on_python;
	output->process_sink.event = on_process;
	output->source = source;
	output->program = program;
	if (source->clock.given && clock_getres(source->clock.id, &resolution) == 0)
		facts.clock_res_ns =
			(uint64_t)resolution.tv_sec * 1000000000 + (uint64_t)resolution.tv_nsec;
	if (!output->processes && options->switch_output.mode != RECORDING_SWITCH_NONE &&
	    record_existing_wants_tasks(options))
		output->processes = record_processes_new(source->events);
	output->opened.keep = wants_names(output);
	output->opened.map_ids = options->map_ids;
	output->opened.ids = options->no_build_id ? NULL : &output->build_ids;
	output->opened.events = source->events;
	output->opened.clock = source->clock;
	code = perf_data_writer_open(source->events, &facts, &output->writer, err);
	if (!options->no_build_id && !source->user_only)
		record_build_ids_kernel(&output->build_ids);
	if (!code)
		code = write_start(output, err);
	return code ? err_wrap(err, "%s", output->path) : 0;
}

/* All but those that are to be finished, which leave the stream here. */
static int write_records(struct record_output *output, const struct record_chunk *chunk,
			 struct err *err)
{
	size_t from = 0, at = 0;
	int code = 0;

	while (output->stacks && !code && at < chunk->len) {
		struct perf_event_header *header = (void *)(chunk->data + at);

		if (output->python)
			code = python_names_record(output->python, header, output->round_ns,
						   &output->python_sink, err);
		record_stacks_take(output->stacks, header);
		if (header->type == RECORD_RAW_TYPE) {
			if (at > from)
				code = perf_data_writer_records(output->writer, chunk->data + from,
								at - from, err);
			from = at + header->size;
		}
		at += header->size;
	}
	if (!code && from < chunk->len)
		code = perf_data_writer_records(output->writer, chunk->data + from,
						chunk->len - from, err);
	return code;
}

static int finish_stacks(struct record_output *output, uint64_t until_ns, struct err *err)
{
	struct buf records = { 0 };
	int code = 0;

	if (!output->stacks)
		return 0;
	record_stacks_run(output->stacks, until_ns, &records);
	if (records.len)
		code = perf_data_writer_records(output->writer, records.data, records.len, err);
	buf_done(&records);
	return code;
}

/* Everything that was in the rings when a round began is read at its end. So a sample that waits
 * for earlier events is late by one round at most, and by another that the child may take; the end
 * of a round, after which readers expect nothing older than the end of the one before, can be
 * written every third time. */
static int end_round(struct record_output *output, uint64_t round_ns, struct err *err)
{
	int code = finish_stacks(output, output->round_ns, err);

	if (output->processes)
		record_processes_round(output->processes);
	output->round_ns = round_ns;
	if (code || (output->stacks && ++output->rounds % 3))
		return code;
	return perf_data_writer_round(output->writer, err);
}

int record_output_write(struct record_output *output, const struct record_chunk *chunk,
			struct err *err)
{
	int code = 0;

	if (chunk->maps)
		note_records(output, chunk->data, chunk->len, true);
	if (output->processes)
		record_processes_records(output->processes, chunk->data, chunk->len);
	if (chunk->len)
		code = write_records(output, chunk, err);
	if (!code && chunk->round)
		code = end_round(output, chunk->round_ns, err);
	return code ? err_wrap(err, "%s", output->path) : 0;
}

/* PATH.YYYYMMDDhhmmsscc, as perf names them. */
static void name_by_time(struct record_output *output, uint64_t hundredths)
{
	time_t seconds = (time_t)(hundredths / 100);
	struct tm tm;
	char stamp[32];

	(void)localtime_r(&seconds, &tm);
	(void)strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	(void)snprintf(output->last_name, sizeof(output->last_name), "%s.%s%02u", output->path,
		       stamp, (unsigned)(hundredths % 100));
}

/* Two files of one hundredth of a second get names in order, neither replaces the other. */
static int move_to_timestamp(struct record_output *output, struct err *err)
{
	uint64_t hundredths = clock_ns(CLOCK_REALTIME) / 10000000;

	do
		name_by_time(output, hundredths++);
	while (access(output->last_name, F_OK) == 0);
	if (rename(output->path, output->last_name))
		return err_errno(err, "renaming %s to %s", output->path, output->last_name);
	return 0;
}

/* Remembers the finished file and removes the oldest beyond --switch-max-files. */
static void limit_files(struct record_output *output)
{
	uint64_t limit = output->options->switch_max_files;

	vec_push(&output->names, mem_strdup(output->last_name));
	if (!limit || output->names.count <= limit)
		return;
	(void)unlink(output->names.item[0]); /* may have been taken away by the user */
	free(output->names.item[0]);
	output->names.count--;
	memmove(output->names.item, output->names.item + 1,
		output->names.count * sizeof(*output->names.item));
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000000 + (uint64_t)tv.tv_usec * 1000;
}

/* LOST records count what did not fit into a ring, samples or not, and appear only when something
 * fitted later. perf shows the events' own count as "Total Lost Samples". */
static int write_lost_samples(struct record_output *output, struct err *err)
{
	const struct event event = {
		.type = EVENT_LOST_SAMPLES,
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.cpu = UINT32_MAX,
		.lost = { .count = output->lost_samples },
	};

	return output->lost_samples ? perf_data_writer_event(output->writer, &event, err) : 0;
}

static uint64_t lost_since_last_file(struct record_output *output)
{
	uint64_t before = output->lost_stacks;

	output->lost_stacks = output->stacks ? record_stacks_lost(output->stacks) : 0;
	output->lost_samples += output->lost_stacks - before;
	return output->lost_stacks - before;
}

/* A recording without them is complete, so a failure is only reported. */
static void keep_names(struct record_output *output, struct buf *ret)
{
	const struct recording_options *options = output->options;
	struct err err = { 0 };
	char line[sizeof(err.msg) + 128];
	const struct keep_names_request request = {
		.users = &output->owners.users,
		.binaries = &output->opened.bundle,
	};
	bool lines;

	if (!wants_names(output) ||
	    perf_data_writer_round(output->writer, &err)) /* then finishing fails as well */
		return;
	if (!output->source->user_only)
		kallsyms_keep_running(); /* its reader has a sandbox and cannot write */
	if (record_names_find(output->fd, &request, ret, &lines, &err))
		(void)snprintf(line, sizeof(line),
			       "names of functions are not kept in the recording: %s", err.msg);
	else if (!lines)
		(void)snprintf(line, sizeof(line),
			       "source lines and inlined functions are not kept in the recording: "
			       "they need more than %llu MB, see --max-memory",
			       (unsigned long long)memory_limit_recorder() >> 20);
	else
		return;
	if (options->say)
		options->say(line);
}

static void say_left_out(const struct record_output *output)
{
	uint64_t maps = output->build_ids.left_out;
	char line[200];

	if (output->stacks && record_stacks_left_out(output->stacks) > maps)
		maps = record_stacks_left_out(output->stacks);
	if (output->processes && record_processes_left_out(output->processes) > maps)
		maps = record_processes_left_out(output->processes);
	if (!maps || !output->options->say)
		return;
	(void)snprintf(line, sizeof(line),
		       "%llu mappings of code were not followed, because the recorder has the "
		       "%llu MB that it may have: stacks there are not whole, see --max-memory",
		       (unsigned long long)maps, (unsigned long long)memory_limit_recorder() >> 20);
	output->options->say(line);
}

static int finish_file(struct record_output *output, const struct record_tally *tally,
		       struct err *err)
{
	const struct recording_options *options = output->options;
	struct walk_cost walks;
	struct rusage usage;
	struct buf names = { 0 };
	int code = finish_stacks(output, UINT64_MAX, err);
	struct perf_data_summary summary = {
		.first_ns = tally->first_ns,
		.last_ns = tally->last_ns,
		.lost_samples = tally->lost_samples,
		.lost_records = tally->lost_records,
		.lost_by_cpu = tally->lost_by_cpu,
		.throttled_by_cpu = tally->throttled_by_cpu,
		.cpus = tally->cpus,
		.damage = output->failed ? "the recorder could not write all" : NULL,
	};

	summary.lost_samples += lost_since_last_file(output);
	code = code ? code : write_lost_samples(output, err);
	if (!code && options->tail_synthesize)
		code = write_end(output, err);
	summary.build_ids = output->build_ids.item.item;
	summary.build_id_count = output->build_ids.item.count;
	if (output->source->walks) {
		walks = *output->source->walks;
		if (output->stacks)
			record_stacks_cost(output->stacks, &walks);
		if (output->stacks && options->say)
			record_stacks_say(output->stacks, options->say);
		summary.walks = &walks;
	}
	say_left_out(output);
	(void)getrusage(RUSAGE_SELF, &usage);
	summary.self_cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
	summary.self_peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	if (!code && tally->samples)
		keep_names(output, &names);
	summary.names = names.data;
	summary.names_len = names.len;
	if (!code)
		code = perf_data_writer_finish(output->writer, &summary, err);
	buf_done(&names);
	output->finished_bytes += perf_data_writer_bytes(output->writer);
	output->files++;
	perf_data_writer_free(output->writer);
	output->writer = NULL;
	if (code)
		return err_wrap(err, "%s", output->path);
	if (output->pipe || !output->owns_fd)
		return 0;
	if (options->switch_output.mode != RECORDING_SWITCH_NONE || options->timestamp_filename)
		return move_to_timestamp(output, err);
	return 0;
}

int record_output_rotate(struct record_output *output, const struct record_tally *tally,
			 struct err *err)
{
	int code = finish_file(output, tally, err);

	if (code)
		return code;
	limit_files(output);
	if (output->python)
		python_names_new_file(output->python);
	record_build_ids_done(&output->build_ids);
	output->build_ids = (struct record_build_ids){ 0 };
	(void)close(output->fd); /* its content was checked by finish */
	code = open_path(output, err);
	return code ? code : record_output_begin(output, output->source, output->program, err);
}

int record_output_finish(struct record_output *output, const struct record_tally *tally,
			 struct err *err)
{
	struct stat st;
	int code;

	if (output->stacks)
		record_stacks_stop(output->stacks); /* so that names are found without threads */
	code = finish_file(output, tally, err);
	if (!code && output->owns_fd && !output->pipe && !fstat(output->fd, &st) && !st.st_nlink)
		code = err_set(err, -ENOENT, "%s: was removed while it was written", output->path);
	if (!code && output->options->switch_output.mode != RECORDING_SWITCH_NONE)
		limit_files(output);
	if (!code && output->owns_fd && !output->pipe && close(take_fd(&output->fd)))
		code = err_errno(err, "%s", output->path);
	return code;
}

static int ignore_event(struct sink *sink, const struct event *event, struct err *err)
{
	(void)sink;
	(void)event;
	(void)err;
	return 0;
}

static bool count_samples(int fd, uint64_t *ret)
{
	struct sink sink = { .event = ignore_event };
	struct recording *recording;
	struct perf_data *data;
	struct err err = { 0 };
	char path[64];
	bool counted;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (recording_open(path, &recording, &err))
		return false;
	counted = !recording_data(recording, &data, &err) && !perf_data_read(data, &sink, &err);
	if (counted)
		*ret = perf_data_stats(data)->samples;
	recording_close(recording);
	return counted;
}

void record_output_rescue(struct record_output *output, const struct record_tally *tally,
			  uint64_t *samples)
{
	AUTO_CLOSE int fd = output->pipe || output->files ? -1
							  : fcntl(output->fd, F_DUPFD_CLOEXEC, 0);
	struct err ignored = { 0 }; /* the first error of the disk is reported */

	output->failed = true;
	(void)record_output_finish(output, tally, &ignored);
	(void)count_samples(fd, samples); /* -1: there is no such file */
}

uint64_t record_output_bytes(const struct record_output *output)
{
	return output->finished_bytes +
	       (output->writer ? perf_data_writer_bytes(output->writer) : 0);
}

void record_output_close(struct record_output *output)
{
	perf_data_writer_free(output->writer);
	output->writer = NULL;
	if (output->owns_fd)
		fd_close(&output->fd);
	for (size_t i = 0; i < output->names.count; i++)
		free(output->names.item[i]);
	vec_done(&output->names);
	record_build_ids_done(&output->build_ids);
	record_owners_done(&output->owners);
	record_files_done(&output->opened);
	record_processes_free(output->processes);
}
