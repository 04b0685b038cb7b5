/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller (see trace_callers.h). */
#include "command/trace_callers.h"

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "profile/profile.h"
#include "session/trace/trace_callers.h"
#include "session/trace/trace_watch.h"
#include "view/syscall/syscall_callers_view.h"

#define DEFAULT_PICTURE "flame.svg"

const struct option_def trace_callers_rows[] = {
	{ "by-caller", 0, OPT_FLAG, NULL, OPT(trace_callers_command, table),
	  "print a table by system call and user stack, counted in the kernel" },
	{ "flame", 0, OPT_FLAG, NULL, OPT(trace_callers_command, flame),
	  "draw the same as a flame graph into the file of -o (.svg or .html; default flame.svg)" },
	{ "idle", 0, OPT_FLAG, NULL, OPT(trace_callers_command, idle),
	  "include idle time in the flame graph" },
	{ "rows", 0, OPT_UINT, "N", OPT(trace_callers_command, rows),
	  "rows of the table by caller, 0 = all (default 20)" },
	{ 0 },
};

static void put_title(const struct trace_watch_options *trace, char **argv, struct buf *ret)
{
	struct picture_subject subject = { .words = (const char *const *)argv,
					   .pids = trace->source.pids,
					   .tids = trace->source.tids };

	while (argv && argv[subject.count])
		subject.count++;
	(void)buf_puts(ret, "System calls of ");
	picture_put_subject(&subject, ret);
}

static int draw(const struct trace_callers_command *o, const char *path, const char *title,
		const struct syscall_callers_view *view, struct err *err)
{
	const struct flame_graph_options options = {
		.measure = FLAME_MEASURE_WEIGHT, .countname = "ns", .states = true, .title = title
	};
	struct profile *profile = syscall_callers_profile(view, o->idle);
	int code = picture_write_flame(profile, &options, path, err);

	profile_free(profile);
	return code;
}

static int print(const struct trace_callers_command *o, const struct output_options *output,
		 const struct syscall_callers_view *view, struct err *err)
{
	struct buf out = { 0 };

	if (output->json)
		syscall_callers_json(view, &out);
	else
		syscall_callers_text(view, &out);
	return command_end_output(0, o->flame ? NULL : output->path, &out, err);
}

static int show(const struct trace_callers_command *o, const struct output_options *output,
		const struct trace_callers_result *result, const char *title, struct err *err)
{
	const struct syscall_callers_view view = {
		.profile = result->profile,
		.callers = &result->callers,
		.duration_ns = result->recording.duration_ns,
		.lost = result->lost,
		.rows = o->rows,
		.words = (const char *const *)command_words()->argv,
		.word_count = (size_t)command_words()->argc,
	};
	int code = 0;

	command_print_notes(result->recording.notes);
	if (o->table || output->json)
		code = print(o, output, &view, err);
	if (!code && o->flame)
		code = draw(o, output->path ? output->path : DEFAULT_PICTURE, title, &view, err);
	return code;
}

int trace_callers_run(const struct trace_callers_command *o, const struct output_options *output,
		      const struct trace_watch_options *trace, char **argv, struct err *err)
{
	const struct trace_callers_options options = { .targets = &trace->source,
						       .calls = &trace->calls,
						       .duration_ns = trace->duration_ns };
	struct trace_callers_result result;
	struct buf title = { 0 };
	int code, status;

	if (o->flame && picture_check_name(output->path, err))
		return EXIT_STATUS_USAGE;
	if (o->flame && command_check_output(output->path ? output->path : DEFAULT_PICTURE, err))
		return -1;
	code = trace_callers(&options, argv, &result, err);
	put_title(trace, argv, &title);
	if (!code)
		code = show(o, output, &result, title.data, err);
	buf_done(&title);
	status = command_program_status(code, result.recording.launched,
					result.recording.exit_status, err);
	trace_callers_result_done(&result);
	return status;
}
