/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel trace: the system calls of programs. */
#include <errno.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/output.h"
#include "command/tool/tool.h"
#include "session/trace_watch.h"
#include "view/syscall/syscall_summary.h"

struct trace_command {
	struct trace_watch_options trace;
	struct option_list calls;
	struct output_options output;
	const char *cgroup;
	enum syscall_group_by by;
	bool summary;
};

static const struct option_def trace_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(trace_command, trace.source.pids),
	  "trace these processes and their children" },
	{ "tid", 't', OPT_STR, "LIST", OPT(trace_command, trace.source.tids),
	  "trace these threads and their children" },
	{ "all-cpus", 'a', OPT_FLAG, NULL, OPT(trace_command, trace.source.system_wide),
	  "trace all threads" },
	{ "cgroup", 'G', OPT_STR, "PATH", OPT(trace_command, cgroup),
	  "only threads in this cgroup (version 2) or below it" },
	{ "no-inherit", 'i', OPT_FLAG, NULL, OPT(trace_command, trace.source.no_inherit),
	  "do not trace children" },
	{ "timeout", 0, OPT_DURATION, "TIME", OPT(trace_command, trace.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "expr", 'e', OPT_LIST, "LIST", OPT(trace_command, calls),
	  "only these system calls: names, globs, %classes, numbers; !LIST: all others" },
	{ "event", 0, OPT_LIST, "LIST", OPT(trace_command, calls), NULL },
	{ "summary", 's', OPT_FLAG, NULL, OPT(trace_command, summary),
	  "print sums per thread and system call, counted in the kernel" },
	{ "summary-mode", 0, OPT_CHOICE, "WHAT", OPT(trace_command, by),
	  "one table per thread, process, or for all in total (default thread)",
	  .choices = "thread process total" },
	{ "counts", 0, OPT_FLAG, NULL, OPT(trace_command, trace.calls.counts_only),
	  "with -s: only calls and errors, without times, at a lower cost" },
	{ .type = OPT_INCLUDE,
	  .include = output_option_rows,
	  .offset = OPT(trace_command, output) },
	{ 0 },
};

static int check(struct trace_command *o, char **argv, struct err *err)
{
	struct source_options *source = &o->trace.source;
	const struct tool_threads threads = { .pids = source->pids, .tids = source->tids };
	int code;

	if (!o->summary)
		return command_usage(err, "only summaries are available: use -s");
	if (!argv && !source->pids && !source->tids && !source->system_wide && !o->cgroup)
		return command_usage(err, "no target: use -p LIST, -t LIST, -a or -- program");
	if (source->system_wide && (argv || source->pids || source->tids))
		return command_usage(err, "-a and a program, -p or -t cannot be combined");
	code = tool_threads_check(&threads, err);
	if (code)
		return code;
	if (o->cgroup && !argv && !source->pids && !source->tids)
		source->system_wide = true;
	syscall_choice_all(&o->trace.calls);
	for (size_t i = 0; i < o->calls.count; i++)
		if (syscall_choice_add(&o->trace.calls, o->calls.item[i], err))
			return EXIT_STATUS_USAGE;
	return tool_cgroup(o->cgroup, &source->cgroup_id, err) ? -1 : 0;
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

static int trace_run(void *options, int argc, char **argv, struct err *err)
{
	struct trace_command *o = options;
	struct trace_watch_result result;
	int code, status;

	argv = argc ? argv : NULL;
	status = check(o, argv, err);
	if (status)
		return status;
	code = trace_watch(&o->trace, argv, &result, err);
	if (!code)
		code = print(o, &result.sums, err);
	status = command_program_status(code, result.launched, result.exit_status, err);
	trace_watch_result_done(&result);
	return status;
}

const struct command cmd_trace = {
	.name = "trace",
	.args = "[options] [-- program arguments]",
	.summary = "show the system calls that programs make, and how long these take",
	.options = trace_rows,
	.options_size = sizeof(struct trace_command),
	.run = trace_run,
	.takes_program = true,
};
