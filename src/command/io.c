/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel io: requests for I/O of a program, of processes or of the machine, with the layers that
 * their time went to. The kernel sums them up; the recorder, its unwinder and its symbols do the
 * rest. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/output.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "command/record/record_options.h"
#include "command/tool/tool.h"
#include "profile/io_table.h"
#include "profile/lock/lock_samples.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/record/recorder.h"
#include "source/io/io_choice.h"
#include "view/io/io_view.h"

#define SWEEP_MS	  250 /* sums of a stack must not outlive its name */
#define DEVICE_MINOR_BITS 20

struct io_options {
	struct tool_threads threads;
	bool everybody;
	uint64_t duration_ns, slower_ns, rows, stacks;
	const char *flame_graph, *heat_map;
	unsigned int weight;
	struct output_options output;
};

#define FIELD(name) OPT(io_options, name)

static const struct option_def io_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", FIELD(threads.pids),
	  "watch these processes and what they start" },
	{ "tid", 't', OPT_STR, "LIST", FIELD(threads.tids), "watch these threads" },
	{ "all", 'a', OPT_FLAG, NULL, FIELD(everybody), "watch all threads" },
	{ "cgroup", 0, OPT_STR, "PATH", FIELD(threads.cgroup),
	  "only threads in this cgroup (version 2)" },
	{ "duration", 'd', OPT_DURATION, "TIME", FIELD(duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "slower", 0, OPT_DURATION, "TIME", FIELD(slower_ns),
	  "also list each request that takes this long (10ms), with its layers" },
	{ "rows", 0, OPT_UINT, "N", FIELD(rows), "rows of each table, 0 = all (default 10)" },
	{ "stacks", 0, OPT_UINT, "N", FIELD(stacks), "rows of the table of stacks (default 5)" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = FIELD(output) },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", FIELD(flame_graph),
	  "also write a flame graph (.svg or .html): stacks with their requests on top" },
	{ "weight", 0, OPT_CHOICE, "WHAT", FIELD(weight), "of the flame graph (default time)",
	  .choices = "time bytes count" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", FIELD(heat_map),
	  "also write a heat map of latencies over time (.svg or .html)" },
	{ .type = OPT_END },
};

static void io_defaults(void *options)
{
	struct io_options *o = options;

	o->rows = 10;
	o->stacks = 5;
}

static int check(const struct io_options *o, bool program, struct err *err)
{
	bool some = o->threads.pids || o->threads.tids;

	if (!program && !some && !o->everybody && !o->threads.cgroup)
		return command_usage(err, "nothing to watch: give -p, -a, --cgroup, or a program "
					  "after --");
	if (some && (program || o->everybody))
		return command_usage(err, "-p and -t cannot be combined with -a and a program");
	if (picture_check_name(o->flame_graph, err) || picture_check_name(o->heat_map, err))
		return EXIT_STATUS_USAGE;
	if (o->flame_graph && command_check_output(o->flame_graph, err))
		return -1;
	if (o->heat_map && command_check_output(o->heat_map, err))
		return -1;
	return tool_threads_check(&o->threads, err);
}

/* "vda", "dm-0". */
static void name_disks(struct io_table *table, struct profile *profile)
{
	for (size_t i = 0; i < table->row[IO_BY_DISK].count; i++) {
		struct io_row *row = &table->row[IO_BY_DISK].item[i];
		unsigned int major = (unsigned int)(row->disk >> DEVICE_MINOR_BITS),
			     minor = (unsigned int)row->disk & ((1u << DEVICE_MINOR_BITS) - 1);
		char path[64], target[256];
		const char *name = path + strlen("/sys/dev/block/");
		ssize_t len;

		(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
		len = readlink(path, target, sizeof(target) - 1);
		if (len > 0) {
			target[len] = '\0';
			name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
		}
		row->name = strtab_intern(profile->strings, name, strlen(name));
	}
}

static int draw(const struct io_options *o, const struct profile *profile, struct err *err)
{
	const struct latency_map_options view = { .title = "Latency of I/O",
						  .thing = "requests",
						  .unit_ns = 1000 };
	struct latency_map map = { .start_ns = profile->meta.first_ns,
				   .column_ns = SWEEP_MS * UINT64_C(1000000) };
	struct io_data data;
	int code;

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		if (!lock_words(profile, sample, &data, sizeof(data)) || data.end_ns)
			continue;
		for (unsigned b = 0; b < IO_BUCKETS; b++) {
			unsigned log2 = (b + 1) / 2;
			uint64_t ns = b ? UINT64_C(1) << (log2 + IO_BUCKET_SHIFT) : 0;

			if (data.sum.bucket[b])
				latency_map_add(&map, sample->time_ns, latency_map_row(ns / 1000),
						data.sum.bucket[b]);
		}
	}
	code = tool_write_map(o->heat_map, &map, &view, err);
	latency_map_done(&map);
	return code;
}

static int show(const struct io_options *o, struct profile *profile,
		const struct recording_result *result, struct err *err)
{
	const struct option_words *words = command_words();
	const struct flame_graph_options picture = { .title = "I/O",
						     .measure = FLAME_MEASURE_WEIGHT };
	struct io_table table = { 0 };
	const struct io_view view = { .profile = profile,
				      .table = &table,
				      .rows = o->rows,
				      .stacks = o->stacks,
				      .duration_ns = result->duration_ns,
				      .lost = result->lost_samples + result->lost_records,
				      .slower_ns = o->slower_ns,
				      .words = (const char *const *)words->argv,
				      .word_count = (size_t)words->argc };
	struct buf out = { 0 };
	int code;

	io_table_fill(&table, profile);
	name_disks(&table, profile);
	(o->output.json ? io_json : io_text)(&view, &out);
	code = command_end_output(0, o->output.path, &out, err);
	if (!code && o->heat_map)
		code = draw(o, profile, err);
	if (!code && o->flame_graph) {
		io_flame_make(profile, o->weight);
		code = picture_write_flame(profile, &picture, o->flame_graph, err);
	}
	io_table_done(&table);
	return code;
}

static int record_and_show(const struct io_options *o, struct recording_options *record,
			   char **program, struct err *err)
{
	static const struct load_values no_fields[] = { { NULL, { NULL } } };
	const struct load_options load = {
		.symbol = { .inlines = true, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES,
		.values = no_fields,
	};
	struct recording_result result = { 0 };
	struct profile *profile = NULL;
	struct load_live *reader;
	int code = load_live_start(&load, &reader, err), loaded, status;

	if (code)
		return -1;
	record->output_queue = load_live_queue(reader);
	code = session_record(record, program, &result, err);
	loaded = load_live_finish(reader, code || !result.samples ? NULL : &profile, err);
	if (!code) {
		command_print_notes(result.notes);
		code = loaded;
	}
	if (!code) {
		profile = profile ? profile : profile_new(load.keep);
		code = show(o, profile, &result, err);
	}
	profile_free(profile);
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	return status;
}

static int io_run(void *options, int argc, char **argv, struct err *err)
{
	const struct io_options *o = options;
	struct io_choice choice = { .slower_ns = o->slower_ns };
	struct recording_options record = { .source = { .pids = o->threads.pids,
							.tids = o->threads.tids,
							.io = &choice,
							.sweep_ms = SWEEP_MS },
					    .duration_ns = o->duration_ns,
					    .no_context = true,
					    .no_build_id = true,
					    .quiet = true };
	char **program = argc ? argv : NULL;
	int code = check(o, program != NULL, err);

	if (!code && tool_cgroup(o->threads.cgroup, &choice.cgroup_id, err))
		code = -1;
	if (code)
		return code;
	record.source.system_wide = o->everybody ||
				    (!program && !o->threads.pids && !o->threads.tids);
	vec_push(&record.source.selector, ((struct record_selector){ .text = "io" }));
	if (recording_options_check(&record, program != NULL, err))
		code = EXIT_STATUS_USAGE;
	else
		code = record_and_show(o, &record, program, err);
	recording_options_done(&record);
	return code;
}

const struct command cmd_io = {
	.name = "io",
	.args = "[options] [-- program arguments]",
	.summary = "show what I/O a program waits for, down to the disk",
	.options = io_rows,
	.options_size = sizeof(struct io_options),
	.defaults = io_defaults,
	.run = io_run,
	.takes_program = true,
};
