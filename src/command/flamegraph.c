/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel flamegraph: draws any profile, or records one first. With a program, or with a target and
 * no INPUT, it records into a temporary file; the option names are perf record's and
 * flamegraph.pl's. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option.h"
#include "command/record_options.h"
#include "profile/profile.h"
#include "session/load.h"
#include "session/recorder.h"
#include "source/options.h"
#include "view/flame_graph.h"

#define STACK_BYTES    16384 /* of each sample's user stack; deeper stacks end as read-fault */
#define DEFAULT_OUTPUT "flame.svg"

struct flamegraph_options {
	struct record_options record;
	struct flame_graph_options view;
	uint64_t width, height, total;
	bool hash;
	struct load_options load;
	bool inlines, demangle, srcline;
	const char *output, *save;
};

static int set_minwidth(void *field, const char *value, bool negated, struct err *err)
{
	struct flame_graph_options *view = field;
	char *end;
	double number = strtod(value, &end);

	(void)negated;
	view->minwidth_percent = *end == '%';
	if (end == value || number < 0 || number > 1e6 || (*end && strcmp(end, "%") != 0))
		return err_set(err, -EINVAL, "'%s' is not a width in pixels or percent", value);
	view->minwidth = number;
	return 0;
}

/* One word of a list for an enum field, in the order of the enum. */
static int set_word(void *field, const char *value, const char *const *words, struct err *err)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], value) == 0) {
			*(int *)field = i;
			return 0;
		}
	return err_set(err, -EINVAL, "'%s' is not one of its words", value);
}

static int set_roots(void *field, const char *value, bool negated, struct err *err)
{
	static const char *const words[] = { "comm", "pid", "tid", "none", NULL };

	(void)negated;
	static_assert(FLAME_ROOTS_NONE == 3, "ORDER: the words follow enum flame_roots");
	return set_word(field, value, words, err);
}

static int set_measure(void *field, const char *value, bool negated, struct err *err)
{
	static const char *const words[] = { "auto", "weight", "samples", NULL };

	(void)negated;
	static_assert(FLAME_MEASURE_SAMPLES == 2, "ORDER: the words follow enum flame_measure");
	return set_word(field, value, words, err);
}

#define OWN(field)  OPT(flamegraph_options, field)
#define VIEW(field) OPT(flamegraph_options, view.field)
#define LOAD(field) OPT(flamegraph_options, load.field)

static const struct option_def flamegraph_rows[] = {
	{ "Picture", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "output", 'o', OPT_STR, "FILE", OWN(output),
	  "write to FILE, - = standard output (default flame.svg when recording or on a terminal)",
	  NULL, NULL },
	{ "title", 0, OPT_STR, "TEXT", VIEW(title), "title", NULL, NULL },
	{ "subtitle", 0, OPT_STR, "TEXT", VIEW(subtitle), "second line", NULL, NULL },
	{ "notes", 0, OPT_STR, "TEXT", VIEW(notes), "comment in the file", NULL, NULL },
	{ "width", 0, OPT_UINT, "PIXELS", OWN(width), "width of the picture (1200)", NULL, NULL },
	{ "height", 0, OPT_UINT, "PIXELS", OWN(height), "height of a frame (16)", NULL, NULL },
	{ "minwidth", 0, OPT_CALL, "WIDTH", OWN(view),
	  "gather frames narrower than this, pixels or N% (0.1)", set_minwidth, NULL },
	{ "fonttype", 0, OPT_STR, "FONT", VIEW(fonttype), "font family", NULL, NULL },
	{ "fontsize", 0, OPT_DOUBLE, "PIXELS", VIEW(fontsize), "font size (12)", NULL, NULL },
	{ "fontwidth", 0, OPT_DOUBLE, "RATIO", VIEW(fontwidth),
	  "width of a letter relative to the font size", NULL, NULL },
	{ "countname", 0, OPT_STR, "TEXT", VIEW(countname), "what counts are counts of", NULL,
	  NULL },
	{ "nametype", 0, OPT_STR, "TEXT", VIEW(nametype), "what names are names of (Function:)",
	  NULL, NULL },
	{ "colors", 0, OPT_STR, "PALETTE", VIEW(colors),
	  "by kind of code, or hot mem io wakeup chain java js perl python rust red green blue "
	  "aqua yellow purple orange",
	  NULL, NULL },
	{ "bgcolors", 0, OPT_STR, "COLOR", VIEW(bgcolors),
	  "yellow, blue, green, grey or #rrggbb (default: light or dark as the viewer likes)", NULL,
	  NULL },
	{ "hash", 0, OPT_FLAG, NULL, OWN(hash), "shades by name (always so, but for --random)",
	  NULL, NULL },
	{ "random", 0, OPT_FLAG, NULL, VIEW(random), "shades at random", NULL, NULL },
	{ "inverted", 0, OPT_FLAG, NULL, VIEW(inverted), "icicle: the root at the top", NULL,
	  NULL },
	{ "reverse", 0, OPT_FLAG, NULL, VIEW(reverse), "merge stacks from the leaf", NULL, NULL },
	{ "flamechart", 0, OPT_FLAG, NULL, VIEW(flamechart),
	  "in order of time, without merging what is apart", NULL, NULL },
	{ "factor", 0, OPT_DOUBLE, "NUMBER", VIEW(factor), "multiply counts by this", NULL, NULL },
	{ "total", 0, OPT_UINT, "NUMBER", OWN(total),
	  "width of the whole picture in counts, when more than their sum", NULL, NULL },
	{ "by", 0, OPT_CALL, "MEASURE", VIEW(measure),
	  "width of frames: samples, weight (time, events) or auto", set_measure, NULL },
	{ "roots", 0, OPT_CALL, "KIND", VIEW(roots),
	  "what stacks stand on: comm (default), pid, tid or none", set_roots, NULL },
	{ "Input", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "event-filter", 0, OPT_STR, "EVENT", VIEW(event), "this event, not the first one", NULL,
	  NULL },
	{ "comms", 0, OPT_STR, "LIST", LOAD(comms), "only these commands", NULL, NULL },
	{ "time", 0, OPT_STR, "RANGE", LOAD(time),
	  "only this time: \"1.5,2.5\" in seconds, \"10%/2\", \"0%-20%\"", NULL, NULL },
	{ "inline", 0, OPT_FLAG, NULL, OWN(inlines),
	  "show inlined functions as frames (default; --no-inline leaves them out)", NULL, NULL },
	{ "srcline", 0, OPT_FLAG, NULL, OWN(srcline),
	  "tell source lines in tooltips, not only files (takes longer)", NULL, NULL },
	{ "demangle", 0, OPT_FLAG, NULL, OWN(demangle),
	  "demangle names (default; --no-demangle shows them raw)", NULL, NULL },
	{ "debuginfod", 0, OPT_FLAG, NULL, LOAD(symbol.debuginfod),
	  "ask debuginfod servers for missing debug information", NULL, NULL },
	{ "symfs", 0, OPT_STR, "DIR", LOAD(symbol.symfs), "look for files below this folder", NULL,
	  NULL },
	{ "kallsyms", 0, OPT_STR, "FILE", LOAD(symbol.kallsyms_path),
	  "kernel symbols (default /proc/kallsyms)", NULL, NULL },
	{ "vmlinux", 0, OPT_STR, "FILE", LOAD(symbol.vmlinux_path), "kernel image with symbols",
	  NULL, NULL },
	{ "save", 0, OPT_STR, "FILE", OWN(save), "keep the recording in FILE", NULL, NULL },
	{ "recording", 0, OPT_INCLUDE, NULL, OWN(record), NULL, NULL, record_option_rows },
	{ 0 },
};

static void flamegraph_defaults(void *poptions)
{
	struct flamegraph_options *options = poptions;

	options->inlines = options->demangle = true;
	options->load.symbol.symfs = "";
	options->view.minwidth = -1; /* the view's default */
}

static int draw(struct flamegraph_options *options, const char *path, const char *output,
		struct err *err)
{
	struct profile *profile;
	struct buf svg = { 0 };
	int r;

	options->load.symbol.inlines = options->inlines;
	/* Frames are merged by name anyway; only lines need more. */
	options->load.symbol.lines = options->srcline;
	options->load.detail = options->srcline ? RESOLVE_ADDRESSES : RESOLVE_NAMES;
	options->load.merge_threads = options->view.roots == FLAME_ROOTS_COMM ||
				      options->view.roots == FLAME_ROOTS_NONE;
	options->load.symbol.demangle = options->demangle;
	options->load.keep = options->view.flamechart ? PROFILE_KEEP_TIME : 0;
	options->view.width = (uint32_t)options->width;
	options->view.height = (uint32_t)options->height;
	options->view.total = options->total;
	r = session_load(path, &options->load, &profile, err);
	if (r)
		return r;
	input_warn_missing(path, profile);
	r = flame_graph_svg(profile, &options->view, &svg, err);
	profile_free(profile);
	if (r == 0)
		r = command_write_output(output, &svg, err);
	buf_done(&svg);
	return r;
}

/* Where to record: the file to keep, or one without a name that the kernel drops afterwards. */
static int open_recording(const char *save, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	int fd = -1;

	if (save) {
		fd = open(save, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		return fd < 0 ? err_errno(err, "%s", save) : fd;
	}
	fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("cupel recording", MFD_CLOEXEC);
	return fd < 0 ? err_errno(err, "temporary file for the recording") : fd;
}

static int status_of(const struct record_result *result)
{
	return result->launched ? result->exit_status : EXIT_STATUS_OK;
}

static int draw_recording(struct flamegraph_options *options, int fd, struct err *err)
{
	const char *output = options->output ? options->output : DEFAULT_OUTPUT;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (draw(options, path, output, err)) {
		(void)err_wrap(err, "drawing what was recorded");
		return -1;
	}
	if (strcmp(output, "-") != 0 && !options->record.quiet)
		(void)fprintf(stderr, "[ cupel: wrote %s ]\n", output);
	return 0;
}

static int no_samples(const struct record_result *result, struct err *err)
{
	char cpu[64] = "";

	if (result->launched)
		(void)snprintf(cpu, sizeof(cpu), ", the program used %.1f ms of CPU time",
			       (double)result->program_cpu_ns / 1e6);
	(void)err_set(err, -ENODATA, "nothing to draw: no samples in %.1f ms",
		      (double)result->duration_ns / 1e6);
	if (result->frequency_hz)
		return err_hint(err, "at %llu Hz there is one sample in %.1f ms%s (-F is the rate)",
				(unsigned long long)result->frequency_hz,
				1e3 / (double)result->frequency_hz, cpu);
	return err_hint(err, "the event did not occur often enough%s", cpu);
}

/* Distributions build without frame pointers, so for a program or a process the stacks themselves
 * are recorded and unwound here: towers that reach the ground are worth the bytes, which nobody
 * keeps. The whole machine would be too many of them. */
static void prefer_whole_stacks(struct flamegraph_options *options)
{
	struct record_options *record = &options->record;

	if (record->call_graph.given || record->call_graph.mode != RECORD_CALL_GRAPH_AUTO ||
	    record->system_wide || record->cpus)
		return;
	record->call_graph.mode = RECORD_CALL_GRAPH_DWARF;
	record->call_graph.stack_size = STACK_BYTES;
	if (!record->zstd_level)
		record->zstd_level = 1;
}

static int record_and_draw(struct flamegraph_options *options, char **program, struct err *err)
{
	struct record_options *record = &options->record;
	struct record_result result;
	AUTO_CLOSE int fd = -1;
	int status = -1;

	prefer_whole_stacks(options);
	if (record_options_check(record, program != NULL, err))
		return EXIT_STATUS_USAGE;
	fd = open_recording(options->save, err);
	if (fd < 0)
		return -1;
	record->output_fd_plus_one = fd + 1;
	record->words = (const char *const *)command_argv;
	record->word_count = (size_t)command_argc;
	if (session_record(record, program, &result, err)) {
		if (result.exit_status && !result.launched) {
			/* As in a shell: 127 not found, 126 not executable. */
			command_print_error(err);
			status = result.exit_status;
		}
	} else {
		if (result.notes[0] || result.lost_samples || result.lost_records)
			record_print_summary(record, &result);
		if (!result.samples)
			(void)no_samples(&result, err);
		else if (!draw_recording(options, fd, err))
			status = status_of(&result);
	}
	record_result_done(&result);
	return status;
}

static bool has_target(const struct record_options *record)
{
	return record->system_wide || record->pids || record->tids || record->user || record->cpus;
}

static int draw_input(struct flamegraph_options *options, const char *input, struct err *err)
{
	const char *output = options->output;

	if (!output && isatty(STDOUT_FILENO))
		output = DEFAULT_OUTPUT;
	options->load.pids = options->record.pids; /* with an INPUT, targets choose among it */
	options->load.tids = options->record.tids;
	options->load.cpus = options->record.cpus;
	if (draw(options, input ? input : command_default_input(), output, err)) {
		if (err->code == -EINVAL && input && access(input, X_OK) == 0)
			(void)err_hint(err, "to record a program: cupel flamegraph -- %s", input);
		return -1;
	}
	if (output && !options->output)
		(void)fprintf(stderr, "[ cupel: wrote %s ]\n", output);
	return EXIT_STATUS_OK;
}

static int flamegraph_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct flamegraph_options *options = poptions;
	bool program = argc > 0 && strcmp(argv[0], "--") == 0;

	if (program && argc == 1)
		return command_usage(err, "no program after --");
	if (!program && argc > 1)
		return command_usage(err, "one INPUT at a time; a program comes after --");
	if (program || (argc == 0 && has_target(&options->record)))
		return record_and_draw(options, program ? argv + 1 : NULL, err);
	return draw_input(options, argc ? argv[0] : NULL, err);
}

static void flamegraph_done(void *poptions)
{
	struct flamegraph_options *options = poptions;

	record_options_done(&options->record);
}

const struct command cmd_flamegraph = {
	.name = "flamegraph",
	.args = "[options] [INPUT | -- program arguments]",
	.summary = "draw a profile, or what a program does, as a flame graph",
	.options = flamegraph_rows,
	.options_size = sizeof(struct flamegraph_options),
	.defaults = flamegraph_defaults,
	.run = flamegraph_run,
	.done = flamegraph_done,
	.keeps_dashes = true,
};
