/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel heap: where a program allocates memory, what it did not free, and what its peak was made
 * of. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "command/reader.h"
#include "profile/diff/diff.h"
#include "profile/heap/heap.h"
#include "profile/heap/heap_calls.h"
#include "profile/heap/heap_over_time.h"
#include "profile/heap/heap_producer.h"
#include "profile/profile.h"
#include "session/heap/heap_attach.h"
#include "session/heap/heap_calls_watch.h"
#include "session/heap/heap_maps_watch.h"
#include "session/heap/heap_oom.h"
#include "session/heap/heap_producer_watch.h"
#include "session/heap/heap_program.h"
#include "session/heap/heap_resident.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"
#include "session/record_profile.h"
#include "session/recording.h"
#include "source/id_list.h"
#include "view/heap/heap_export.h"
#include "view/heap/heap_view.h"
#include "view/heat_map/heat_map.h"

#define DEFAULT_RATE (512u << 10)
#define MAX_RATE     (1ull << 40)

struct heap_command {
	uint64_t rate, rows, duration_ns;
	const char *pid, *usdt, *probes, *timeline;
	bool exact, inlines, alone, lines, maps, oom;
	struct output_options output;
	const char *flame_graph, *heaptrack, *massif, *save, *input, *symfs, *time;
	struct picture_options picture;
};

static const struct option_def heap_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(heap_command, input),
	  "show a recording of --save instead of running a program" },
	{ "pid", 'p', OPT_STR, "PID", OPT(heap_command, pid),
	  "watch this process until it is interrupted or the time is over" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(heap_command, duration_ns),
	  "stop after this time (1, 500ms, 2m); a program is ended then" },
	{ "rate", 0, OPT_SIZE, "BYTES", OPT(heap_command, rate),
	  "allocated bytes from sample to sample, on average (default 512K)" },
	{ "exact", 0, OPT_FLAG, NULL, OPT(heap_command, exact),
	  "sample every allocation; slows programs down that allocate much" },
	{ "maps", 0, OPT_FLAG, NULL, OPT(heap_command, maps),
	  "memory from the kernel instead of the allocator's: mmap, brk and so on; for any "
	  "program, "
	  "static and Go included" },
	{ "usdt", 0, OPT_STR, "FILE", OPT(heap_command, usdt),
	  "blocks that another profiler picks, by the static probes otel_memory:alloc and free in "
	  "this program or library" },
	{ "probes", 0, OPT_STR, "FILE", OPT(heap_command, probes),
	  "every call of malloc, free and so on of this static program, or library, by probes; "
	  "for programs that take no library, as long as the calls are not too many" },
	{ "oom", 0, OPT_FLAG, NULL, OPT(heap_command, oom),
	  "until the kernel kills a process of the cgroup for lack of memory, and only then show "
	  "what was live" },
	{ "no-inherit", 0, OPT_FLAG, NULL, OPT(heap_command, alone),
	  "programs that it starts are not sampled" },
	{ "rows", 0, OPT_UINT, "N", OPT(heap_command, rows),
	  "rows of each table, 0 = all (default 20)" },
	{ "inline", 0, OPT_FLAG, NULL, OPT(heap_command, inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ "lines", 0, OPT_FLAG, NULL, OPT(heap_command, lines),
	  "show source lines: a row for each place of a call; --heaptrack and --massif do that "
	  "too" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(heap_command, output) },
	{ "flamegraph", 0, OPT_OUTPUT, "FILE", OPT(heap_command, flame_graph),
	  "also write a flame graph (.svg or .html) of bytes allocated, allocations, bytes live at "
	  "the peak and at the end" },
	{ "timeline", 0, OPT_OUTPUT, "FILE", OPT(heap_command, timeline),
	  "also write a page of live bytes over time (.html), with the flame graph of any part of "
	  "the time" },
	{ "heaptrack", 0, OPT_OUTPUT, "FILE", OPT(heap_command, heaptrack),
	  "also write a file that heaptrack_print and heaptrack_gui read" },
	{ "massif", 0, OPT_OUTPUT, "FILE", OPT(heap_command, massif),
	  "also write a file that ms_print and massif-visualizer read" },
	{ "save", 0, OPT_OUTPUT, "FILE", OPT(heap_command, save),
	  "also save the recording to FILE (perf.data)" },
	{ "symfs", 0, OPT_STR, "DIR", OPT(heap_command, symfs),
	  "look for files under this directory" },
	{ "time", 0, OPT_STR, "RANGE", OPT(heap_command, time),
	  "of --input, only this time range: what was allocated in it and is live at its end" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ 0 },
};

static void heap_defaults(void *options)
{
	struct heap_command *o = options;

	o->rate = DEFAULT_RATE;
	o->rows = 20;
	o->inlines = true;
	picture_options_defaults(&o->picture);
}

/* Ours is not in the program. */
static bool without_library(const struct heap_command *o)
{
	return o->maps || o->usdt || o->probes;
}

static int check_target(const struct heap_command *o, char **argv, struct err *err)
{
	if (o->input && (argv[0] || o->oom || o->pid || o->duration_ns || o->save || o->exact ||
			 o->alone || o->rate != DEFAULT_RATE))
		return command_usage(err, "--input shows a recording that is there: it takes no "
					  "program, --pid, --duration, --rate, --exact, "
					  "--oom, --no-inherit and --save");
	if (!o->input && !argv[0] == !o->pid)
		return command_usage(err, "%s: cupel heap [options] -- program, or -p PID",
				     o->pid ? "a program and a process" : "no program");
	if (!!o->maps + !!o->usdt + !!o->probes > 1)
		return command_usage(err, "--maps, --usdt and --probes cannot be combined");
	if (without_library(o) && (o->exact || o->alone || o->rate != DEFAULT_RATE))
		return command_usage(err, "--%s: it takes no --rate, --exact and --no-inherit",
				     o->maps   ? "maps sees every call"
				     : o->usdt ? "usdt has its own picks"
					       : "probes sees every call");
	if (o->pid && o->alone)
		return command_usage(err, "--no-inherit is for programs: those that a process of "
					  "--pid starts are never sampled");
	return 0;
}

static int check(struct heap_command *o, char **argv, struct err *err)
{
	int status = check_target(o, argv, err);

	if (status)
		return status;
	if (!o->input && o->time)
		return command_usage(err, "--time is a part of a recording: use it with --input");
	if (!o->rate || o->rate > MAX_RATE)
		return command_usage(err, "--rate: expected 1 to 1T bytes; every allocation: "
					  "--exact");
	if (o->exact)
		o->rate = 0;
	if (picture_check_suffix(&o->picture, o->flame_graph, err) ||
	    picture_check_page(o->timeline, err))
		return EXIT_STATUS_USAGE;
	if ((argv[0] && !without_library(o) && heap_program_check(argv[0], err)) ||
	    (o->flame_graph && command_check_output(o->flame_graph, err)) ||
	    (o->timeline && command_check_output(o->timeline, err)))
		return -1;
	return 0;
}

static int export(const char *path, void (*put)(const struct heap_view *, struct buf *),
		  const struct heap_view *view, struct err *err)
{
	struct buf out = { 0 };

	if (!path)
		return 0;
	put(view, &out);
	return command_end_output(0, path, &out, err);
}

/* The last that is made of the profile, as it has an event more then. */
static int draw_timeline(const struct heap_command *o, struct profile *profile,
			 const struct heap_view *view, struct err *err)
{
	const struct diff_options select = { .event = HEAP_OVER_TIME_EVENT,
					     .measure = DIFF_MEASURE_WEIGHT };
	const struct heat_map_options looks = { .subtitle = "live bytes over time", .bands = true };
	struct buf page = { 0 };
	int code;

	if (!view->summary->lives.life.count)
		return err_set(err, -ENODATA,
			       "%s: no live bytes over time: no block was sampled, or the input "
			       "has sums without times",
			       o->timeline);
	heap_add_over_time(profile, &view->summary->lives);
	code = heat_map_page(profile, &select, &looks, &page, err);
	return command_end_output(code, o->timeline, &page, err);
}

static int show(struct heap_command *o, struct profile *profile, const struct heap_view *view,
		struct err *err)
{
	struct buf out = { 0 };
	int code;

	if (o->output.json)
		heap_json(view, &out);
	else
		heap_text(view, &out);
	code = command_end_output(0, o->output.path, &out, err);
	if (!code)
		code = export(o->heaptrack, heap_heaptrack, view, err);
	if (!code)
		code = export(o->massif, heap_massif, view, err);
	if (!code && o->flame_graph) {
		code = picture_draw(&o->picture, profile, o->flame_graph, &out, err);
		if (!code)
			code = picture_write(profile, o->flame_graph, false, &out, err);
		buf_done(&out);
	}
	return !code && o->timeline ? draw_timeline(o, profile, view, err) : code;
}

/* A run of the program, or of the process. */
struct heap_run {
	struct heap_program program;
	struct heap_attach attach;
	struct heap_resident resident;
	struct heap_oom oom;
	bool killed;
	bool waits; /* for that */
	struct recording_result result;
	struct heap_summary summary;
	struct profile *profile; /* empty without samples */
	struct arena arena;
	struct heap_calls_guard guard;
	bool guards;	     /* with that */
	struct buf left_out; /* functions that it could not probe */
	uint64_t brk;	     /* of the process, before; 0 = unknown */
};

static void warn(const struct heap_command *o, const struct heap_run *run)
{
	const struct recording_result *result = &run->result;

	command_print_notes(result->notes);
	if (run->left_out.len)
		command_warn("--probes: %s: the return cannot be probed: blocks of %s are not seen",
			     o->probes, run->left_out.data);
	if (!result->samples)
		command_warn("no %s in %.1f ms",
			     o->maps   ? "call that maps memory"
			     : o->usdt ? "hit of otel_memory:alloc and free"
				       : "sampled allocation",
			     (double)result->duration_ns / 1e6);
}

static int report(struct heap_command *o, struct profile *profile,
		  const struct heap_summary *summary, const struct heap_run *run, struct err *err)
{
	const struct option_words *words = command_words();
	struct heap_memory memory;
	bool known = run && heap_resident_at_peak(&run->resident, summary, &memory);
	const struct heap_view view = { .profile = profile,
					.summary = summary,
					.memory = known ? &memory : NULL,
					.lost = profile->meta.lost_samples +
						profile->meta.lost_events,
					.rows = o->rows,
					.maps = o->maps,
					.producer = o->usdt != NULL,
					.oom = run && run->killed ? &run->oom.kill : NULL,
					.pid = run ? (uint32_t)run->attach.injected.pid : 0,
					.stopped_ns = run ? run->attach.injected.stopped_ns : 0,
					.words = (const char *const *)words->argv,
					.word_count = (size_t)words->argc };

	return show(o, profile, &view, err);
}

/* How runs and recordings are read. */
static struct load_options load_options_of(const struct heap_command *o, struct heap_summary *ret)
{
	struct load_options load = {
		.symbol = { .inlines = o->inlines,
			    .demangle = true,
			    .symfs = o->symfs ? o->symfs : "" },
		.detail = o->lines || o->heaptrack || o->massif ? RESOLVE_ADDRESSES : RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_BLOCK,
		.time = o->time,
		.heap = ret,
	};

	*ret = (struct heap_summary){ .rate = o->rate };
	if (o->maps)
		heap_maps_load(&load);
	else if (o->usdt)
		heap_producer_load(&load);
	else if (o->probes)
		heap_calls_load(&load);
	return load;
}

static void select_calls(const struct heap_command *o, struct heap_run *run,
			 struct recording_options *options)
{
	int pid = o->pid ? (int)strtol(o->pid, NULL, 10) : 0;
	unsigned found = heap_calls_find(o->probes, pid, &run->left_out);

	heap_calls_select(o->probes, found, &run->arena, options);
	run->guards = true;
}

static int select_events(const struct heap_command *o, struct heap_run *run,
			 struct recording_options *options, struct err *err)
{
	if (o->maps)
		return heap_maps_select(options, err);
	if (o->usdt) {
		heap_producer_select(o->usdt, &run->arena, options);
		return 0;
	}
	if (o->probes) {
		select_calls(o, run, options);
		return 0;
	}
	options->source.heap = o->pid ? &run->attach.choice : &run->program.choice;
	vec_push(&options->source.selector,
		 ((struct record_selector){ .text = "heap-alloc,heap-free" }));
	return 0;
}

static int attend(void *context, struct run *loop, struct err *err)
{
	struct heap_run *run = context;

	if (run->waits)
		heap_oom_attend(&run->oom, loop);
	if (run->guards)
		heap_calls_attend(&run->guard, loop);
	return heap_resident_attend(&run->resident, loop, err);
}

/* Records into memory, or into a file that is read afterwards. */
static int record(const struct heap_command *o, char **argv, struct heap_run *run, struct err *err)
{
	const struct load_options load = load_options_of(o, &run->summary);
	struct recording_options options = {
		.source = { .pids = o->pid },
		.output = o->save,
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
		.duration_ns = o->duration_ns,
		.no_context = true,
		.attend = attend,
		.attend_context = run,
	};
	struct recorded recorded = { 0 };
	int code = select_events(o, run, &options, err);

	if (!code)
		code = record_profile(&options, &load, argv, &recorded, err);
	run->result = recorded.result;
	run->profile = recorded.profile;
	vec_done(&options.source.selector);
	if (!code && o->maps)
		heap_maps_finish(run->profile, (uint32_t)run->resident.pid, run->brk,
				 &run->summary);
	if (!code && o->usdt)
		heap_producer_sum_up(run->profile, &run->summary);
	if (code && o->probes && !err->hint[0])
		(void)err_hint(err, "where its memory grows, without probes: cupel heap --maps");
	if (!code && o->probes)
		code = heap_calls_check(&run->guard, o->probes, err);
	if (!code && o->probes)
		heap_calls_sum_up(run->profile, &run->summary);
	arena_done(&run->arena);
	return code;
}

static int process_of(const char *text, int *ret, struct err *err)
{
	if (id_take(&text, INT_MAX, ret) && !*text && *ret)
		return 0;
	return err_usage(err, "--pid: expected the number of one process");
}

static int watch_process(const struct heap_command *o, struct heap_run *run, struct err *err)
{
	int pid, code = process_of(o->pid, &pid, err);

	if (code)
		return code;
	run->resident.pid = run->oom.pid = pid;
	if (o->maps) {
		run->brk = heap_maps_break((uint32_t)pid);
		return record(o, NULL, run, err);
	}
	if (without_library(o))
		return record(o, NULL, run, err);
	code = heap_attach_begin(&run->attach, pid, o->rate, err);
	if (!code && run->attach.injected.own_malloc)
		command_warn("process %d: the program has a malloc of its own: only calls of "
			     "libraries are seen",
			     pid);
	if (!code)
		code = record(o, NULL, run, err);
	heap_attach_end(&run->attach);
	return code;
}

static int watch_program(const struct heap_command *o, char **argv, struct heap_run *run,
			 struct err *err)
{
	int code;

	if (without_library(o))
		return record(o, argv, run, err);
	code = heap_program_begin(&run->program, o->rate, o->alone, err);
	if (!code)
		code = record(o, argv, run, err);
	heap_program_end(&run->program);
	return code;
}

/* Without a kill there is nothing to show. */
static int end_wait(struct heap_run *run, struct err *err)
{
	run->killed = heap_oom_end(&run->oom);
	if (run->killed)
		return 0;
	if (!run->oom.folder[0])
		return err_set(err, -ENOENT, "--oom: no cgroup with a count of such kills");
	return err_set(err, -ENODATA, "%s: no process was killed for lack of memory",
		       run->oom.folder);
}

static int watch(struct heap_command *o, char **argv, struct err *err)
{
	struct heap_run run = { .waits = o->oom };
	int status, code;

	if (o->oom)
		heap_oom_begin(&run.oom);
	code = o->pid ? watch_process(o, &run, err) : watch_program(o, argv, &run, err);
	if (!code && o->oom)
		code = end_wait(&run, err);
	if (!code) {
		warn(o, &run);
		code = report(o, run.profile, &run.summary, &run, err);
	}
	profile_free(run.profile);
	heap_summary_done(&run.summary);
	heap_resident_done(&run.resident);
	buf_done(&run.left_out);
	status = command_program_status(code, run.result.launched, run.result.exit_status, err);
	recording_result_done(&run.result);
	return status;
}

static int show_file(struct heap_command *o, struct err *err)
{
	struct heap_summary summary;
	const struct load_options load = load_options_of(o, &summary);
	struct profile *profile;
	uint16_t event;
	int code;

	reader_begin(command_words(),
		     o->output.path || o->flame_graph || o->heaptrack || o->massif || o->timeline);
	if (session_load(o->input, &load, &profile, err))
		return -1;
	if (o->maps)
		heap_maps_finish(profile, 0, 0, &summary);
	if (o->usdt)
		heap_producer_sum_up(profile, &summary);
	if (o->probes)
		heap_calls_sum_up(profile, &summary);
	if (profile_find_kind(profile, EVENT_KIND_HEAP_ALLOC, &event)) {
		input_warn_missing(o->input, profile);
		if (!summary.samples)
			heap_take_sums(profile, &summary);
		code = report(o, profile, &summary, NULL, err);
	} else {
		code = err_set(err, -ENODATA, "%s: no samples of heap-alloc", o->input);
		(void)err_hint(err, "record them with: cupel heap --save FILE -- PROGRAM");
	}
	profile_free(profile);
	heap_summary_done(&summary);
	return code ? -1 : EXIT_STATUS_OK;
}

static int heap_run(void *options, int argc, char **argv, struct err *err)
{
	struct heap_command *o = options;
	int status = check(o, argv, err);

	(void)argc;
	if (status)
		return status;
	return o->input ? show_file(o, err) : watch(o, argv, err);
}

static void heap_done(void *options)
{
	picture_options_done(&((struct heap_command *)options)->picture);
}

const struct command cmd_heap = {
	.name = "heap",
	.args = "[options] -- program arguments | -p PID | -i FILE",
	.summary = "show where a program allocates memory, and what it never frees",
	.options = heap_rows,
	.options_size = sizeof(struct heap_command),
	.defaults = heap_defaults,
	.run = heap_run,
	.takes_program = true,
	.done = heap_done,
};
