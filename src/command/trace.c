/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel trace: the system calls of programs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/reader.h"
#include "command/record/record_options.h"
#include "command/tool/probe_tool.h"
#include "command/tool/tool.h"
#include "command/trace_callers.h"
#include "command/trace_events.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"
#include "session/trace/trace_filter.h"
#include "session/trace/trace_follow.h"
#include "session/trace/trace_line.h"
#include "session/trace/trace_read.h"
#include "session/trace/trace_sums.h"
#include "session/trace/trace_watch.h"
#include "source/cgroup.h"
#include "view/syscall/syscall_summary.h"

struct trace_command {
	struct trace_watch_options trace;
	struct option_list calls, filters;
	struct output_options output;
	struct trace_callers_command callers;
	const char *cgroup, *input, *user;
	enum trace_faults faults;
	bool sched, no_syscalls;
	uint64_t max_events; /* 0 = no limit */
	enum syscall_group_by by;
	bool summary, with_summary;
	bool full_time, no_comm, no_times;
	double min_ms;
	/* at work */
	struct trace_lines lines;
	struct arena words; /* of -e */
	uint64_t printed;
	bool enough;
	struct trace_filter *filter; /* NULL = none */
	struct trace_sums sums;	     /* of a recording */
	struct buf text;	     /* lines that are written next */
	int out_fd;
};

static const struct option_def trace_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(trace_command, trace.source.pids),
	  "trace these processes and their children" },
	{ "tid", 't', OPT_STR, "LIST", OPT(trace_command, trace.source.tids),
	  "trace these threads and their children" },
	{ "all-cpus", 'a', OPT_FLAG, NULL, OPT(trace_command, trace.source.system_wide),
	  "trace all threads, while the program runs if there is one; the default without one" },
	{ "cgroup", 'G', OPT_STR, "PATH", OPT(trace_command, cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ "uid", 'u', OPT_STR, "USER", OPT(trace_command, user), "only threads of this user" },
	{ "filter-pids", 0, OPT_STR, "LIST", OPT(trace_command, trace.source.but_pids),
	  "with -a: all but these processes" },
	{ "input", 'i', OPT_STR, "FILE", OPT(trace_command, input),
	  "read the calls of a recording of 'trace record'" },
	{ "no-inherit", 0, OPT_FLAG, NULL, OPT(trace_command, trace.source.no_inherit),
	  "do not trace children" },
	{ "timeout", 0, OPT_DURATION, "TIME", OPT(trace_command, trace.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "expr", 'e', OPT_LIST, "LIST", OPT(trace_command, calls),
	  "only these system calls: names, globs, %classes, numbers; !LIST: all others; and "
	  "tracepoints (sched:sched_switch) in between" },
	{ "event", 0, OPT_LIST, "LIST", OPT(trace_command, calls), NULL },
	{ "tracefs", 0, OPT_FLAG, NULL, OPT(trace_command, trace.source.tracefs),
	  "make probes of -e in tracefs; they are removed at the end" },
	{ "pf", 'F', OPT_CHOICE, "WHICH", OPT(trace_command, faults),
	  "print page faults in between: all, maj (from disk) or min", .choices = TRACE_FAULTS },
	{ "sched", 0, OPT_FLAG, NULL, OPT(trace_command, sched),
	  "print how long threads run in between" },
	{ "no-syscalls", 0, OPT_FLAG, NULL, OPT(trace_command, no_syscalls),
	  "do not print system calls, but what is in between" },
	{ "max-events", 0, OPT_UINT, "N", OPT(trace_command, max_events),
	  "stop after this many lines" },
	{ "filter", 0, OPT_LIST, "CONDITION", OPT(trace_command, filters),
	  "only calls with such arguments: 'fd == 3 && count > 4096', 'filename ~ \"*.so*\"'" },
	{ "call-graph", 0, OPT_CALL, "MODE", OPT(trace_command, trace.source.call_graph),
	  "print the user stack below each line; stacks are unwound by: auto (in the kernel), fp, "
	  "dwarf[,bytes], lbr, none",
	  record_set_call_graph, .choices = "auto fp dwarf lbr none" },
	{ NULL, 'g', OPT_FLAG, NULL, OPT(trace_command, trace.stacks),
	  "the same as --call-graph auto" },
	{ "max-stack", 0, OPT_UINT, "N", OPT(trace_command, trace.max_stack),
	  "print at most N functions of a stack; implies -g" },
	{ "summary", 's', OPT_FLAG, NULL, OPT(trace_command, summary),
	  "print sums per thread and system call, counted in the kernel" },
	{ "summary-mode", 0, OPT_CHOICE, "WHAT", OPT(trace_command, by),
	  "one table per thread, process or cgroup, or for all in total (default thread)",
	  .choices = "thread process total cgroup" },
	{ "with-summary", 'S', OPT_FLAG, NULL, OPT(trace_command, with_summary),
	  "print the calls, then the sums" },
	{ "duration", 0, OPT_DOUBLE, "MS", OPT(trace_command, min_ms),
	  "only calls that take this many milliseconds or longer" },
	{ "failure", 0, OPT_FLAG, NULL, OPT(trace_command, trace.calls.only_errors),
	  "only calls that fail" },
	{ "time", 'T', OPT_FLAG, NULL, OPT(trace_command, full_time),
	  "print the time of CLOCK_MONOTONIC instead of that since the first call" },
	{ "no-comm", 0, OPT_FLAG, NULL, OPT(trace_command, no_comm),
	  "do not print the names of threads" },
	{ "no-times", 0, OPT_FLAG, NULL, OPT(trace_command, no_times),
	  "do not print times and durations" },
	{ "counts", 0, OPT_FLAG, NULL, OPT(trace_command, trace.calls.counts_only),
	  "with -s: only calls and errors, without times, at a lower cost" },
	{ .type = OPT_INCLUDE,
	  .include = trace_callers_rows,
	  .offset = OPT(trace_command, callers) },
	{ "json", 0, OPT_FLAG, NULL, OPT(trace_command, output.json),
	  "print JSON: an object for each call, with -s one for all" },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(trace_command, output.path),
	  "write to FILE instead of standard error (with -s: standard output)" },
	{ .type = OPT_INCLUDE, .include = accepted_trace_rows },
	{ .type = OPT_INCLUDE, .include = refused_trace_rows },
	{ 0 },
};

/* All of them must hold. */
static int read_filters(struct trace_command *o, struct err *err)
{
	struct buf text = { 0 };
	int code = 0;

	for (size_t i = 0; i < o->filters.count; i++)
		(void)buf_printf(&text, o->filters.count > 1 ? "%s(%s)" : "%s%s", i ? " && " : "",
				 o->filters.item[i]);
	if (text.len)
		code = trace_filter_parse(text.data, &o->filter, err);
	if (!code && o->filter)
		code = trace_filter_check(o->filter, &o->trace.calls, err);
	if (!code && o->filter && o->input && trace_filter_text(o->filter))
		code = err_usage(err, "--filter: '%s' is a string, and recordings have none",
				 trace_filter_text(o->filter));
	buf_done(&text);
	return code;
}

static int check_callers(const struct trace_command *o, struct err *err)
{
	if (o->user || o->trace.source.but_pids)
		return command_usage(err, "-u and --filter-pids are not with --by-caller and "
					  "--flame: choose by -p or --cgroup");
	if (o->input)
		return command_usage(err, "--by-caller and --flame are for tracing, not for -i");
	if (o->faults || o->sched || o->no_syscalls || o->filters.count || o->max_events)
		return command_usage(err, "--by-caller and --flame are of system calls alone, of "
					  "all that -e chooses");
	if (o->summary || o->with_summary)
		return command_usage(err,
				     "--by-caller and --flame cannot be combined with -s or -S");
	if (o->min_ms > 0 || o->trace.calls.only_errors)
		return command_usage(err,
				     "--by-caller and --flame are of all calls: they cannot be "
				     "combined with --duration and --failure");
	return 0;
}

/* Events in between are of the chosen threads alone: by perf's means. */
static int choose_events(struct trace_command *o, struct err *err)
{
	struct source_options *source = &o->trace.source;

	if (!source->selector.count)
		return 0;
	if (o->summary || o->input || source->but_pids || o->callers.table || o->callers.flame)
		return command_usage(err, "page faults, --sched and tracepoints come in between "
					  "lines: not with -s, -i or --filter-pids");
	if (o->cgroup && !source->system_wide)
		return command_usage(err, "page faults, --sched and tracepoints are of all threads "
					  "of --cgroup: not with -p, -t or a program");
	return 0;
}

static int choose_stacks(struct trace_command *o, struct err *err)
{
	const struct record_call_graph_option *graph = &o->trace.source.call_graph;

	o->trace.stacks |= graph->given || o->trace.max_stack;
	o->trace.stacks &= graph->mode != RECORDING_CALL_GRAPH_NONE;
	if (!o->trace.stacks)
		return 0;
	if (o->summary || o->trace.source.but_pids || o->callers.table || o->callers.flame)
		return command_usage(err, "stacks come below lines: not with -s, --filter-pids or "
					  "--flame; sums of stacks: --by-caller");
	return o->input ? 0
			: trace_events_stacks(&o->trace.calls, &o->words, &o->trace.source, err);
}

static int check(struct trace_command *o, char **argv, struct err *err)
{
	struct source_options *source = &o->trace.source;
	const struct tool_threads threads = { .pids = source->pids, .tids = source->tids };
	int code;

	if (o->input && (argv || source->system_wide || o->cgroup || o->user ||
			 o->trace.duration_ns || o->trace.calls.counts_only))
		return command_usage(err, "-i reads a recording: a program, -a, -u, --cgroup, "
					  "--timeout and --counts are for tracing");
	if (o->input && o->by == SYSCALL_BY_CGROUP)
		return command_usage(err, "-i: recordings of calls have no cgroups");
	if (o->user && (argv || source->pids || source->tids))
		return command_usage(err, "-u cannot be combined with -p, -t or a program");
	if (o->user && probe_tool_user(o->user, &source->uid_plus_one, err))
		return -1;
	source->system_wide |= o->user != NULL;
	if (source->system_wide && (source->pids || source->tids))
		return command_usage(err, "-a cannot be combined with -p or -t");
	if (!o->input && !argv && !source->pids && !source->tids)
		source->system_wide = true; /* as in perf, or all of the cgroup */
	if (source->but_pids && !source->system_wide)
		return command_usage(err, "--filter-pids goes with -a or -u");
	if (o->filters.count && o->summary)
		return command_usage(err,
				     "--filter is for lines: -s counts in the kernel, by calls");
	if (o->trace.calls.counts_only && (!o->summary || o->with_summary))
		return command_usage(err, "--counts requires -s");
	code = tool_threads_check(&threads, err);
	if (!code && (o->callers.table || o->callers.flame))
		code = check_callers(o, err);
	if (code)
		return code;
	if (o->trace.calls.counts_only && o->min_ms > 0)
		return command_usage(err, "--counts has no times for --duration");
	if (o->min_ms < 0)
		return command_usage(err, "--duration %g: is below 0", o->min_ms);
	o->trace.calls.min_ns = o->min_ms > 0 ? (uint64_t)(o->min_ms * 1e6) : 0;
	syscall_choice_all(&o->trace.calls);
	if (trace_events_read(&o->calls, &o->words, &o->trace.calls, source, err))
		return EXIT_STATUS_USAGE;
	trace_events_between(o->faults, o->sched, source);
	source->data = o->faults != TRACE_FAULTS_NONE; /* their addresses */
	if (o->no_syscalls)
		memset(o->trace.calls.wanted, 0, sizeof(o->trace.calls.wanted));
	if (o->no_syscalls)
		o->trace.calls.unknown = false;
	if (choose_events(o, err) || choose_stacks(o, err))
		return EXIT_STATUS_USAGE;
	source->cgroups = source->system_wide ? o->cgroup : NULL; /* of events and stacks */
	source->user = o->user;
	if (read_filters(o, err))
		return EXIT_STATUS_USAGE;
	return tool_cgroup(o->cgroup, &source->cgroup_id, err) ? -1 : 0;
}

static void set_up_lines(struct trace_command *o, bool sees_all)
{
	trace_lines_init(&o->lines, sees_all);
	o->lines.full_time = o->full_time;
	o->lines.no_comm = o->no_comm;
	o->lines.no_times = o->no_times;
	o->lines.json = o->output.json;
	o->lines.filter = o->filter;
}

/* As strace and perf trace do, to standard error: standard output is the program's. */
static int open_lines(struct trace_command *o, bool launched, struct err *err)
{
	struct syscall_choice *calls = &o->trace.calls;

	calls->lines = true;
	calls->sums_too = o->with_summary;
	trace_follow_choose(calls);
	set_up_lines(o, !o->trace.source.tids); /* other threads may change descriptors, too */
	if (trace_lines_meet(&o->lines, o->trace.source.pids, err))
		return err->code;
	o->lines.launched = launched;
	o->out_fd = STDERR_FILENO;
	if (o->output.path && strcmp(o->output.path, "-") == 0)
		o->out_fd = STDOUT_FILENO;
	else if (o->output.path)
		o->out_fd = open(o->output.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return o->out_fd < 0 ? err_errno(err, "%s", o->output.path) : 0;
}

static int flush(void *context, struct err *err)
{
	struct trace_command *o = context;
	int code = 0;

	if (o->text.len && fd_write_all(o->out_fd, o->text.data, o->text.len))
		code = err_errno(err, "writing");
	buf_clear(&o->text);
	return code;
}

static void count_line(struct trace_command *o)
{
	o->printed++;
	o->enough = o->max_events && o->printed >= o->max_events;
}

static int take_line(void *context, const struct syscall_line *line, struct err *err)
{
	struct trace_command *o = context;

	if (o->enough)
		return 0;
	if (trace_lines_put(&o->lines, line, &o->text))
		count_line(o);
	return o->text.len > 1 << 20 ? flush(o, err) : 0;
}

static void take_stack(void *context, const struct trace_stack *stack)
{
	((struct trace_command *)context)->lines.stack = stack;
}

static int take_event(void *context, const struct trace_event *event, struct err *err)
{
	struct trace_command *o = context;

	if (o->summary || o->enough)
		return 0;
	trace_lines_put_event(&o->lines, event, &o->text);
	count_line(o);
	return o->text.len > 1 << 20 ? flush(o, err) : 0;
}

static void close_lines(struct trace_command *o, uint64_t lost)
{
	trace_lines_done(&o->lines);
	buf_done(&o->text);
	if (o->out_fd > STDERR_FILENO)
		(void)close(o->out_fd); /* what could not be written was reported */
	if (lost)
		command_warn("%llu calls found no room and have no line", (unsigned long long)lost);
}

static void take_cgroup(void *context, uint64_t id, const char *name)
{
	struct syscall_sums *sums = context;

	for (size_t i = 0; i < sums->thread.count; i++)
		if (sums->thread.item[i].cgroup == id) {
			vec_push(&sums->cgroup_name,
				 ((struct syscall_cgroup_name){ id, mem_strdup(name) }));
			return;
		}
}

/* Behind the lines. */
static int put_summary(struct trace_command *o, const struct syscall_sums *sums, struct err *err)
{
	const struct syscall_summary_options view = { .by = o->by };

	if (o->output.json)
		syscall_summary_json(sums, &view, &o->text);
	else
		syscall_summary_text(sums, &view, &o->text);
	return flush(o, err);
}

static int print(const struct trace_command *o, const struct syscall_sums *sums, struct err *err)
{
	const struct syscall_summary_options view = {
		.by = o->by,
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
	};
	struct buf out = { 0 };

	if (o->output.json)
		syscall_summary_json(sums, &view, &out);
	else
		syscall_summary_text(sums, &view, &out);
	return command_end_output(0, o->output.path, &out, err);
}

static int take_recorded(void *context, const struct syscall_line *line, struct err *err)
{
	struct trace_command *o = context;

	if (o->summary || o->with_summary)
		trace_sums_add(&o->sums, line);
	return o->summary ? 0 : take_line(o, line, err);
}

static int read_recording(struct trace_command *o, const char *name, struct recording *recording,
			  struct err *err)
{
	const struct trace_read_options read = {
		.calls = o->trace.calls,
		.pids = o->trace.source.pids,
		.tids = o->trace.source.tids,
		.to = { .line = take_recorded,
			.event = take_event,
			.context = o,
			.stacks = o->trace.stacks,
			.max_stack = o->trace.max_stack,
			.stack = take_stack },
	};
	struct syscall_sums sums;
	struct perf_data *data;
	uint64_t calls;
	int code = recording_data(recording, &data, err);

	if (!code)
		code = trace_read(recording, &read, &calls, err);
	if (code)
		return code;
	recording_warn_damage(name, perf_data_stats(data));
	recording_warn_lost(name, perf_data_stats(data));
	if (!calls)
		command_warn("%s: no system calls in it; see: cupel trace record", name);
	if (!o->summary && !o->with_summary)
		return flush(o, err);
	trace_sums_end(&o->sums, &sums);
	code = put_summary(o, &sums, err);
	syscall_sums_done(&sums);
	return code;
}

/* Nothing else writes to standard output. */
static int replay(struct trace_command *o, struct err *err)
{
	bool to_file = o->output.path && strcmp(o->output.path, "-") != 0;
	struct recording *recording = NULL;
	int code;

	reader_begin(command_words(), to_file);
	code = recording_open(o->input, &recording, err);
	if (code)
		return -1;
	set_up_lines(o, false);
	o->out_fd = to_file ? reader_open_output(o->output.path, err) : STDOUT_FILENO;
	code = o->out_fd < 0 ? o->out_fd
			     : read_recording(o, recording_name(recording), recording, err);
	if (to_file && o->out_fd >= 0) {
		struct err ignored = { 0 };
		int closed = reader_close_output(o->output.path, o->out_fd, !code,
						 code ? &ignored : err);

		code = code ? code : closed;
	}
	recording_close(recording);
	trace_sums_done(&o->sums);
	trace_lines_done(&o->lines);
	buf_done(&o->text);
	return code ? -1 : EXIT_STATUS_OK;
}

static int trace_run(void *options, int argc, char **argv, struct err *err)
{
	struct trace_command *o = options;
	struct trace_watch_result result;
	int code, status;
	bool lines;

	argv = argc ? argv : NULL;
	status = check(o, argv, err);
	if (status)
		return status;
	if (o->input)
		return replay(o, err);
	if (o->callers.table || o->callers.flame)
		return trace_callers_run(&o->callers, &o->output, &o->trace, argv, err);
	lines = !o->summary;
	o->trace.line = take_line;
	o->trace.event = take_event;
	o->trace.stack = take_stack;
	o->trace.flush = flush;
	o->trace.enough = &o->enough;
	o->trace.context = o;
	if (lines && open_lines(o, argv != NULL, err))
		return -1;
	code = trace_watch(&o->trace, argv, &result, err);
	if (o->by == SYSCALL_BY_CGROUP)
		cgroup_each(take_cgroup, &result.sums);
	if (!code && lines && o->with_summary)
		code = put_summary(o, &result.sums, err);
	else if (!code && !lines)
		code = print(o, &result.sums, err);
	if (lines)
		close_lines(o, result.sums.counts.lost_lines);
	command_print_notes(result.notes);
	if (result.lost_events)
		command_warn("%llu events found no room and have no line",
			     (unsigned long long)result.lost_events);
	status = command_program_status(code, result.launched, result.exit_status, err);
	trace_watch_result_done(&result);
	return status;
}

static void trace_defaults(void *options)
{
	((struct trace_command *)options)->callers.rows = 20;
}

static void trace_done(void *options)
{
	struct trace_command *o = options;

	trace_filter_free(o->filter);
	arena_done(&o->words);
	vec_done(&o->trace.source.selector);
}

extern const struct command cmd_trace_record;

const struct command cmd_trace = {
	.name = "trace",
	.args = "[options] [-- program arguments | record [options] [-- program arguments]]",
	.summary = "show the system calls that programs make, and their times",
	.options = trace_rows,
	.options_size = sizeof(struct trace_command),
	.defaults = trace_defaults,
	.run = trace_run,
	.takes_program = true,
	.record = &cmd_trace_record,
	.done = trace_done,
};
