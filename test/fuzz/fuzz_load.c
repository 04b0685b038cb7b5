/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the bytes of any input to all views of it: loaded as commands do, then the
 * report in all its layouts, JSON, folded text, the flame graph, and the recording as text. Names
 * are not looked up on the machine, so that equal bytes give equal work. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "session/script/script.h"
#include "view/flame/flame_graph.h"
#include "view/report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct symbol_options symbols = { .demangle = true,
					       .symfs = "/proc/nonexistent",
					       .kallsyms_path = "/dev/null" };

static void show_reports(const struct profile *profile, struct report_options options)
{
	struct buf out = { 0 };
	struct err err = { 0 };

	for (int graph = REPORT_GRAPH_NONE; graph <= REPORT_GRAPH_FOLDED; graph++) {
		options.graph = (enum report_graph)graph;
		options.caller = graph % 2;
		buf_clear(&out);
		(void)report_text(profile, &options, &out, &err);
	}
	(void)report_json(profile, &options, &out, &err);
	buf_done(&out);
}

static void show_profile(const struct profile *profile)
{
	const struct fold_options fold = { .all_events = true, .tid = true, .addrs = true };
	const struct flame_graph_options plain = { 0 };
	const struct flame_graph_options icicle = { .inverted = true, .reverse = true };
	struct buf out = { 0 };
	struct err err = { 0 };

	(void)folded_write(profile, &fold, &out, &err);
	buf_clear(&out);
	(void)flame_graph_svg(profile, &plain, &out, NULL, &err);
	buf_clear(&out);
	(void)flame_graph_svg(profile, &icicle, &out, NULL, &err);
	buf_done(&out);
}

static void load(const char *path)
{
	const struct report_options table = { .children = true, .show_nr_samples = true };
	const struct report_options wide = { .sort = "comm,pid,tid,cpu,dso,sym,srcline,time",
					     .threads = true };
	struct load_options options = { .symbol = symbols, .keep = report_needs(&wide) };
	struct profile *profile;
	struct err err = { 0 };

	if (!session_load(path, &options, &profile, &err)) {
		show_reports(profile, wide);
		profile_free(profile);
	}
	options.keep = 0;
	options.merge_threads = true;
	options.detail = RESOLVE_FUNCTIONS;
	if (!session_load(path, &options, &profile, &err)) {
		show_reports(profile, table);
		show_profile(profile);
		profile_free(profile);
	}
}

static int write_nowhere(struct script_output *output, struct buf *text, struct err *err)
{
	(void)output;
	(void)text;
	(void)err;
	return 0;
}

static void script(const uint8_t *bytes, size_t size)
{
	struct script_options options = { .replay.symbol = symbols,
					  .replay.max_stack = 127,
					  .show_tasks = true,
					  .show_mmaps = true,
					  .show_switches = true,
					  .show_lost = true,
					  .show_namespaces = true,
					  .show_cgroups = true,
					  .show_bpf = true };
	struct script_output output = { .write = write_nowhere };
	struct input *input = input_memory(bytes, size);
	struct perf_data *data;
	struct err err = { 0 };

	script_fields_init(&options.fields);
	if (!perf_data_open(input, &data, &err)) {
		(void)session_script(data, &options, &output, &err);
		perf_data_close(data);
	}
	buf_done(&output.missing);
	input_close(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_CLOSE int fd = memfd_create("input", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || fd_write_all(fd, data, size) || lseek(fd, 0, SEEK_SET))
		return 0;
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	load(path);
	script(data, size);
	return 0;
}
