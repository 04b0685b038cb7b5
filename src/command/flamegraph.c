/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel flamegraph: draws any profile, or records one first. With a program, or with a target and
 * no INPUT, it loads what it records; the option names are perf record's and
 * flamegraph.pl's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "command/reader.h"
#include "command/record/record_options.h"
#include "event/ledger_account.h"
#include "profile/profile.h"
#include "profile/redact.h"
#include "profile/waits/wait_chains.h"
#include "profile/waits/wall_time.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/load/load_wait_chains.h"
#include "session/load/source_files.h"
#include "session/record/recorder.h"
#include "session/record/recording_options.h"
#include "session/recording.h"
#include "view/text_report/text_report.h"

#define STACK_BYTES	16384 /* of each sample's user stack; deeper stacks end as read-fault */
#define DEFAULT_OUTPUT	"flame.svg"
#define CHAIN_THRESH_NS 100000u /* shorter waits are added up, so their chains have one link */
#define CHAIN_WAITS	((1u << LEDGER_ACCOUNTS) - (1u << LEDGER_LOCK))	 /* blocked and idle */
#define ALL_WAITS	((1u << LEDGER_ACCOUNTS) - (1u << LEDGER_WOKEN)) /* and runnable */

struct flamegraph_options {
	struct recording_options record;
	struct picture_options picture;
	struct load_options load;
	bool inlines, demangle, srcline, source;
	bool off_cpu, wakeup, chain, wall;
	const char *output, *save;
	const char *find;
};

#define OWN(field)  OPT(flamegraph_options, field)
#define LOAD(field) OPT(flamegraph_options, load.field)

static const struct option_def flamegraph_rows[] = {
	{ "Picture", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "output", 'o', OPT_OUTPUT, "FILE", OWN(output),
	  "write to FILE, - = standard output (default flame.svg when recording or on a terminal)",
	  NULL, NULL },
	{ "find", 0, OPT_STR, "REGEX", OWN(find),
	  "print the share of each event with a matching function or command; with -o, also draw "
	  "and highlight the matches",
	  NULL, NULL },
	{ "picture", 0, OPT_INCLUDE, NULL, OWN(picture), NULL, NULL, picture_option_rows },
	{ "Waiting", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "off-cpu", 0, OPT_FLAG, NULL, OWN(off_cpu),
	  "off-CPU time by stack (-e off-cpu); --off-cpu-states selects the kinds of waits", NULL,
	  NULL },
	{ "wakeup", 0, OPT_FLAG, NULL, OWN(wakeup),
	  "stacks of wakers, by how long the woken threads waited (-e wakeup)", NULL, NULL },
	{ "chain", 0, OPT_FLAG, NULL, OWN(chain),
	  "off-CPU stacks, on top the waker's stack, on top what the waker waited for, and so on "
	  "(-e off-cpu,wakeup)",
	  NULL, NULL },
	{ "wall", 0, OPT_FLAG, NULL, OWN(wall),
	  "on-CPU and off-CPU time in one picture, with a bar in each frame that shows the parts "
	  "(-e cpu-clock,off-cpu, all waits)",
	  NULL, NULL },
	{ "Input", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE, .offset = LOAD(redaction), .include = redact_option_rows },
	{ "comms", 0, OPT_STR, "LIST", LOAD(comms), "only these commands", NULL, NULL },
	{ "time", 0, OPT_STR, "RANGE", LOAD(time),
	  "only this time range: \"1.5,2.5\" in seconds, \"10%/2\", \"0%-20%\"", NULL, NULL },
	{ "inline", 0, OPT_FLAG, NULL, OWN(inlines),
	  "show inlined functions as frames (default; --no-inline leaves them out)", NULL, NULL },
	{ "srcline", 0, OPT_FLAG, NULL, OWN(srcline),
	  "look up source lines, for tooltips and the list of a function's lines (slower)", NULL,
	  NULL },
	{ "source", 0, OPT_FLAG, NULL, OWN(source),
	  "like --srcline, and store the text of hot lines in the picture if the source file "
	  "exists",
	  NULL, NULL },
	{ "demangle", 0, OPT_FLAG, NULL, OWN(demangle),
	  "demangle names (default; --no-demangle shows them raw)", NULL, NULL },
	{ "debuginfod", 0, OPT_FLAG, NULL, LOAD(symbol.debuginfod),
	  "ask debuginfod servers for missing debug information", NULL, NULL },
	{ "symfs", 0, OPT_STR, "DIR", LOAD(symbol.symfs), "look for files under this directory",
	  NULL, NULL },
	{ "kallsyms", 0, OPT_STR, "FILE", LOAD(symbol.kallsyms_path),
	  "kernel symbols (default /proc/kallsyms)", NULL, NULL },
	{ "vmlinux", 0, OPT_STR, "FILE", LOAD(symbol.vmlinux_path), "kernel image with symbols",
	  NULL, NULL },
	{ "save", 0, OPT_OUTPUT, "FILE", OWN(save), "also save the recording to FILE", NULL, NULL },
	{ "recording", 0, OPT_INCLUDE, NULL, OWN(record), NULL, NULL, record_option_rows },
	{ 0 },
};

static void flamegraph_defaults(void *poptions)
{
	struct flamegraph_options *options = poptions;

	options->inlines = options->demangle = true;
	options->load.symbol.symfs = "";
	picture_options_defaults(&options->picture);
}

/* Includes idle waits: they show what waited for a result. */
static void record_chains(struct recording_off_cpu *choice)
{
	if (!choice->accounts)
		choice->accounts = CHAIN_WAITS;
	if (!choice->thresh_given)
		choice->thresh_ns = CHAIN_THRESH_NS;
	choice->thresh_given = true;
}

/* The kinds of pictures of waits. */
struct waiting {
	const char *option, *events; /* what to record */
	enum event_kind kind;	     /* of that to show */
	const char *made;	     /* what is shown is made of what was recorded; NULL = not so */
	const char *colors;	     /* that are usual; NULL = by kind of code */
};

static const struct waiting waiting_off_cpu = { "off-cpu", "off-cpu", EVENT_KIND_OFF_CPU, NULL,
						"io" };
static const struct waiting waiting_wakeup = { "wakeup", "wakeup", EVENT_KIND_WAKEUP, NULL,
					       "wakeup" };
static const struct waiting waiting_chain = { "chain", "off-cpu,wakeup", EVENT_KIND_WAIT_CHAIN,
					      WAIT_CHAINS_EVENT, NULL };
static const struct waiting waiting_wall = { "wall", "cpu-clock,off-cpu", EVENT_KIND_WALL_TIME,
					     WALL_TIME_EVENT, NULL };

static const struct waiting *waiting_of(const struct flamegraph_options *options)
{
	return options->off_cpu	 ? &waiting_off_cpu
	       : options->wakeup ? &waiting_wakeup
	       : options->chain	 ? &waiting_chain
	       : options->wall	 ? &waiting_wall
				 : NULL;
}

/* What is recorded or read, and shown. */
static int choose_waiting(struct flamegraph_options *options, bool records, struct err *err)
{
	const struct waiting *waiting = waiting_of(options);
	struct flame_graph_options *view = &options->picture.view;
	struct recording_off_cpu *choice = &options->record.source.off_cpu;

	if (!waiting)
		return 0;
	if (options->off_cpu + options->wakeup + options->chain + options->wall > 1)
		return command_usage(err,
				     "--off-cpu, --wakeup, --chain and --wall cannot be combined");
	if (records && options->record.source.selector.count)
		return command_usage(err, "--%s cannot be combined with -e", waiting->option);
	if (records)
		vec_push(&options->record.source.selector,
			 ((struct record_selector){ .text = waiting->events }));
	if (options->chain)
		record_chains(choice);
	if (options->wall && !choice->accounts)
		choice->accounts = ALL_WAITS;
	if (waiting->made) {
		view->event = waiting->made;
		view->measure = FLAME_MEASURE_WEIGHT;
	} else {
		options->load.kind = waiting->kind;
	}
	if (!view->colors)
		view->colors = waiting->colors;
	return 0;
}

/* On standard output; on standard error when that gets the picture. */
static int print_found(const struct flamegraph_options *options, const struct profile *profile,
		       struct err *err)
{
	const struct flame_graph_options *view = &options->picture.view;
	const struct text_report_query query = { .regex = options->find,
						 .event = view->event,
						 .by_samples = view->measure ==
							       FLAME_MEASURE_SAMPLES };
	bool shared = options->output && strcmp(options->output, "-") == 0;
	struct buf text = { 0 };
	int r = text_report_find(profile, &query, &text, err);

	text_tidy_lines(text.data, text.len);
	if (r == 0 && shared)
		(void)fputs(text.data ? text.data : "", stderr);
	else if (r == 0)
		r = command_write_output(NULL, &text, err);
	buf_done(&text);
	return r;
}

/* How to load an input so that make_chains() can follow. */
static void choose_load(const struct flamegraph_options *options, struct load_options *ret)
{
	*ret = options->load;
	if (options->chain)
		wait_chains_load_options(&options->load, ret);
}

/* What was loaded, or with --chain the chains of it, becomes ret's or is freed. */
static int make_chains(const struct flamegraph_options *options, struct profile *profile,
		       const char *name, struct profile **ret, struct err *err)
{
	const struct wait_chains_options chains = {
		.with_tids = options->picture.view.roots == FLAME_ROOTS_TID,
	};
	struct wait_chains_loaded loaded = { .profile = profile };
	int code;

	if (options->chain) {
		code = wait_chains_finish(&loaded, &options->load, &chains, name, err);
		if (code)
			return code;
	}
	if (options->chain && !loaded.wakeups) {
		profile_free(loaded.profile);
		(void)err_set(err, -ENODATA, "the recording has no wakeup events");
		return err_hint(err, "record them with: cupel record -e off-cpu,wakeup");
	}
	if (!options->record.quiet)
		input_warn_missing(name, loaded.profile);
	*ret = loaded.profile;
	return 0;
}

static int load_one(const struct flamegraph_options *options, const char *path,
		    struct profile **ret, struct err *err)
{
	struct load_options load;
	struct profile *profile;
	int code;

	choose_load(options, &load);
	code = session_load(path, &load, &profile, err);
	return code ? code : make_chains(options, profile, path, ret, err);
}

struct inputs {
	char *const *path;
	size_t count;
};

/* Several inputs are added up, as flamegraph.pl does. */
static int load(const struct flamegraph_options *options, const struct inputs *inputs,
		struct profile **ret, struct err *err)
{
	struct profile *sum = NULL;

	for (size_t i = 0; i < inputs->count; i++) {
		struct profile *profile;
		int r = load_one(options, inputs->path[i], &profile, err);

		if (r) {
			profile_free(sum);
			return r;
		}
		if (!sum) {
			sum = profile;
			continue;
		}
		profile_merge(sum, profile);
		sum->meta.lost_samples += profile->meta.lost_samples;
		sum->meta.unknown_records += profile->meta.unknown_records;
		profile_free(profile);
		profile_count(sum);
	}
	*ret = sum;
	return 0;
}

static void keep_source(const struct flamegraph_options *options, struct profile *profile)
{
	struct source_tally tally;
	size_t absent;

	source_files_keep(profile, options->load.symbol.symfs, &tally);
	if (options->record.quiet || tally.taken == tally.files)
		return;
	absent = tally.files - tally.taken - tally.newer - tally.foreign;
	(void)fprintf(stderr,
		      "cupel: stored the source of %zu of %zu files (%zu missing, %zu newer than "
		      "the program, %zu with another checksum)\n",
		      tally.taken, tally.files, absent, tally.newer, tally.foreign);
}

/* What the picture needs of its inputs. */
static void settle_load(struct flamegraph_options *options, size_t inputs)
{
	struct load_options *load = &options->load;

	options->srcline |= options->source;
	load->symbol.inlines = options->inlines;
	/* Frames are merged by name anyway; only lines need more. */
	load->symbol.lines = options->srcline;
	load->detail = options->srcline ? RESOLVE_ADDRESSES : RESOLVE_NAMES;
	/* A script can show one thread of the picture. */
	load->merge_threads = options->picture.view.no_javascript &&
			      (options->picture.view.roots == FLAME_ROOTS_COMM ||
			       options->picture.view.roots == FLAME_ROOTS_NONE);
	load->symbol.demangle = options->demangle;
	load->faults = !options->picture.view.flamechart;
	options->picture.view.find = options->find;
	/* Scripts can sort by it; times of several inputs are not comparable. */
	load->keep = options->picture.view.no_javascript || inputs > 1 ? 0 : PROFILE_KEEP_FIRST;
	if (options->picture.view.flamechart)
		load->keep = PROFILE_KEEP_TIME;
}

/* Frees the profile. */
static int draw(struct flamegraph_options *options, struct profile *profile, const char *output,
		bool recorded, struct err *err)
{
	struct buf picture = { 0 };
	bool draws;
	int r = 0;

	if (!wall_time_add(profile) && options->wall) {
		profile_free(profile);
		(void)err_set(err, -ENODATA, "the recording lacks on-CPU or off-CPU samples");
		return err_hint(err, "record both with: cupel record -e cpu-clock,off-cpu");
	}
	if (options->source && !options->picture.view.no_javascript)
		keep_source(options, profile);
	if (options->find)
		r = print_found(options, profile, err);
	draws = r == 0 && (!options->find || options->output);
	profile_trim(profile);
	if (draws)
		r = picture_draw(&options->picture, profile, output, &picture, err);
	if (r == 0 && draws) {
		r = picture_write(profile, output, options->record.quiet, &picture, err);
		if (r && recorded && !options->save)
			picture_rescue(&picture, err);
	}
	profile_free(profile);
	buf_done(&picture);
	return r;
}

/* Where the recording goes: into a profile as it comes, or with --save into a file that is loaded
 * at the end. */
struct destination {
	int fd;
	struct load_options load;
	struct load_live *live; /* NULL = there is a file */
};

static int open_destination(struct flamegraph_options *options, struct destination *ret,
			    struct err *err)
{
	struct recording_options *record = &options->record;

	*ret = (struct destination){ .fd = -1 };
	settle_load(options, 1);
	choose_load(options, &ret->load);
	if (options->save) {
		ret->fd = output_file_open_in_place(options->save, 0600);
		record->output_fd_plus_one = ret->fd + 1;
		record->output = options->save; /* its name in messages */
		return ret->fd < 0 ? output_file_error(options->save, ret->fd, err) : 0;
	}
	if (load_live_start(&ret->load, &ret->live, err))
		return err->code;
	record->output_queue = load_live_queue(ret->live);
	return 0;
}

static void close_destination(struct destination *destination)
{
	if (destination->live)
		(void)load_live_finish(destination->live, NULL, NULL);
	fd_close(&destination->fd);
}

static int load_destination(const struct flamegraph_options *options,
			    struct destination *destination, struct profile **ret, struct err *err)
{
	struct load_live *live = destination->live;
	struct profile *profile;
	char path[64];

	if (!live) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", destination->fd);
		return load_one(options, path, ret, err);
	}
	destination->live = NULL;
	if (load_live_finish(live, &profile, err))
		return err->code;
	return make_chains(options, profile, "the recording", ret, err);
}

static int draw_recording(struct flamegraph_options *options, struct destination *destination,
			  struct err *err)
{
	const char *output = options->output ? options->output : DEFAULT_OUTPUT;
	struct profile *profile;

	if (load_destination(options, destination, &profile, err) ||
	    draw(options, profile, output, true, err)) {
		(void)err_wrap(err, "drawing the recording");
		return -1;
	}
	return 0;
}

static int no_samples(const struct recording_result *result, struct err *err)
{
	char cpu[192] = "", idle[160];

	recording_idle_text(&result->idle, idle, sizeof(idle));
	if (*idle)
		(void)snprintf(cpu, sizeof(cpu), "; %s", idle);
	else if (result->launched)
		(void)snprintf(cpu, sizeof(cpu), "; the program used %.1f ms of CPU time",
			       (double)result->program_cpu_ns / 1e6);
	(void)err_set(err, -ENODATA, "nothing to draw: no samples in %.1f ms",
		      (double)result->duration_ns / 1e6);
	if (recording_idle_all(&result->idle))
		return err_hint(err, "%s", idle);
	if (result->frequency_hz)
		return err_hint(err, "%llu Hz means one sample every %.1f ms%s; raise it with -F",
				(unsigned long long)result->frequency_hz,
				1e3 / (double)result->frequency_hz, cpu);
	return err_hint(err, "the event did not occur often enough%s", cpu);
}

static int nothing_waited(const struct recording_result *result, struct err *err)
{
	(void)err_set(err, -ENODATA, "nothing to draw: no thread was blocked in %.1f ms",
		      (double)result->duration_ns / 1e6);
	return err_hint(err, "waits for events and conditions count as idle; include them with "
			     "--off-cpu-states blocked,idle");
}

/* Distributions build without frame pointers. If the kernel cannot unwind the stacks of a program
 * or a process, copies of the stacks are recorded and unwound here: complete stacks are worth the
 * bytes of a temporary file. For the whole machine they would be too many. */
static void prefer_whole_stacks(struct flamegraph_options *options)
{
	struct recording_options *record = &options->record;

	if (record->source.call_graph.mode != RECORDING_CALL_GRAPH_AUTO ||
	    record->source.system_wide || record->source.cpus)
		return;
	record->source.call_graph.otherwise = RECORDING_CALL_GRAPH_DWARF;
	record->source.call_graph.stack_size = STACK_BYTES;
}

/* With addresses, so that the picture can say what they were for. */
static void record_faults(struct recording_options *record)
{
	for (size_t i = 0; i < record->source.selector.count; i++)
		record->source.faults |= strstr(record->source.selector.item[i].text, "faults") !=
					 NULL;
}

static int record_and_draw(struct flamegraph_options *options, char **program, struct err *err)
{
	struct recording_options *record = &options->record;
	struct recording_result result;
	struct destination destination;
	int code, status;

	prefer_whole_stacks(options);
	record_faults(record);
	if (recording_options_check(record, program != NULL, err))
		return EXIT_STATUS_USAGE;
	if (open_destination(options, &destination, err))
		return -1;
	record->words = (const char *const *)command_words()->argv;
	record->word_count = (size_t)command_words()->argc;
	code = session_record(record, program, &result, err);
	if (!code) {
		if (result.notes[0] || result.lost_samples || result.lost_records)
			record_print_summary(record, &result);
		if (!result.samples && waiting_of(options))
			code = nothing_waited(&result, err);
		else if (!result.samples)
			code = no_samples(&result, err);
		else
			code = draw_recording(options, &destination, err);
	}
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	close_destination(&destination);
	return status;
}

static bool has_target(const struct recording_options *record)
{
	return record->source.system_wide || record->source.pids || record->source.tids ||
	       record->source.user || record->source.cpus;
}

/* Without any, the usual one. */
/* How pictures of text call their input; standard input has no name. */
static const char *name_of(const struct inputs *inputs)
{
	const char *path = inputs->count == 1 ? inputs->path[0] : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	return !path || strcmp(path, "-") == 0 ? NULL : slash ? slash + 1 : path;
}

static int draw_inputs(struct flamegraph_options *options, char **paths, size_t count,
		       struct err *err)
{
	const char *output = options->output;
	char *usual[] = { (char *)(uintptr_t)command_default_input() };
	const struct inputs inputs = { count ? paths : usual, count ? count : 1 };
	struct profile *profile;

	if (!output && !options->find && isatty(STDOUT_FILENO))
		output = DEFAULT_OUTPUT;
	options->load.pids =
		options->record.source.pids; /* with an INPUT, targets choose among it */
	options->load.tids = options->record.source.tids;
	options->load.cpus = options->record.source.cpus;
	options->picture.view.inverted |= options->record.source.no_inherit; /* inferno's -i */
	options->picture.view.source = options->load.redaction ? NULL : name_of(&inputs);
	reader_begin(command_words(), output || options->picture.consistent);
	settle_load(options, inputs.count);
	if (load(options, &inputs, &profile, err) || draw(options, profile, output, false, err)) {
		if (err->code == -EINVAL && count && access(paths[0], X_OK) == 0)
			(void)err_hint(err, "to record a program, use: cupel flamegraph -- %s",
				       paths[0]);
		return -1;
	}
	return EXIT_STATUS_OK;
}

/* What would fail after all the recording and reading fails before it. */
static int check(struct flamegraph_options *options, bool records, struct err *err)
{
	if (picture_options_check(&options->picture, err))
		return -1;
	if (!options->find && picture_check_suffix(&options->picture, options->output, err))
		return EXIT_STATUS_USAGE;
	if (flame_graph_check(&options->picture.view, err) ||
	    (options->find && text_report_find_check(options->find, err)))
		return EXIT_STATUS_USAGE;
	return records ? command_check_output(options->output ? options->output : DEFAULT_OUTPUT,
					      err)
		       : 0;
}

static int flamegraph_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct flamegraph_options *options = poptions;
	bool program = argc > 0 && strcmp(argv[0], "--") == 0, records;
	int code;

	if (program && argc == 1)
		return command_usage(err, "missing program after --");
	records = program || (argc == 0 && has_target(&options->record));
	code = choose_waiting(options, records, err);
	code = code ? code : check(options, records, err);
	if (code)
		return code;
	if (records)
		return record_and_draw(options, program ? argv + 1 : NULL, err);
	return draw_inputs(options, argv, (size_t)argc, err);
}

static void flamegraph_done(void *poptions)
{
	struct flamegraph_options *options = poptions;

	recording_options_done(&options->record);
	picture_options_done(&options->picture);
	redaction_free(options->load.redaction);
}

const struct command cmd_flamegraph = {
	.name = "flamegraph",
	.args = "[options] [INPUT... | -- program arguments]",
	.summary = "draw a flame graph of a profile or of a program",
	.options = flamegraph_rows,
	.options_size = sizeof(struct flamegraph_options),
	.defaults = flamegraph_defaults,
	.run = flamegraph_run,
	.done = flamegraph_done,
	.keeps_dashes = true,
};
