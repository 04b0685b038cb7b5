/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of the tracer (see trace_watch.h). */
#include "session/trace/trace_watch.h"

#include <string.h>

#include "base/err.h"
#include "event/event.h"
#include "session/run.h"
#include "source/syscall/syscall_source.h"
#include "source/syscall/syscall_table.h"

struct watch {
	struct sink sink; /* first */
	const struct trace_watch_options *options;
	struct syscall_sums *sums;
	struct run run;
	struct source *source;
};

static int collect(struct sink *sink, const struct event *event, struct err *err)
{
	const struct trace_watch_options *options = ((struct watch *)sink)->options;
	struct syscall_sums *sums = ((struct watch *)sink)->sums;
	const struct syscall_report *report = event->own.data;

	if (report->line)
		return options->line(options->context, report->line, err);
	if (report->thread)
		vec_push(&sums->thread, *report->thread);
	else if (report->sum)
		syscall_sums_add(sums, report->sum);
	else if (report->error)
		vec_push(&sums->error, *report->error);
	else if (report->counts)
		sums->counts = *report->counts;
	return 0;
}

static int prepare(struct watch *watch, const struct trace_watch_options *options, char **argv,
		   struct err *err)
{
	struct source_options source = options->source;
	int code = run_fork(&watch->run, argv, false, err);

	source.program = watch->run.program.pid;
	source.syscalls = &options->calls;
	if (!code && !argv)
		code = run_add_targets(&watch->run, source.pids, source.tids, err);
	if (!code)
		code = source_syscalls.open(&watch->source, &source, err);
	if (!code)
		run_add_source(&watch->run, watch->source, &watch->sink);
	watch->run.duration_ns = options->duration_ns;
	watch->run.woken = options->calls.lines ? options->flush : NULL;
	watch->run.context = options->context;
	return code;
}

int trace_watch(const struct trace_watch_options *options, char **argv,
		struct trace_watch_result *ret, struct err *err)
{
	struct watch watch = { .sink.event = collect, .options = options, .sums = &ret->sums };
	int code;

	memset(ret, 0, sizeof(*ret));
	code = run_open(&watch.run, err);
	if (!code)
		code = prepare(&watch, options, argv, err);
	if (!code)
		code = run_watch(&watch.run, err);
	if (!code && options->calls.lines)
		code = options->flush(options->context, err);
	if (!code) {
		ret->sums.start_ns = watch.source->start_ns;
		ret->sums.end_ns = watch.source->end_ns;
		ret->sums.counts_only = options->calls.counts_only;
		syscall_sums_name(&ret->sums, syscall_label, syscall_error_name);
	}
	ret->launched = watch.run.launched;
	ret->exit_status = watch.run.exit_status;
	run_close(&watch.run);
	source_close(watch.source);
	return code;
}

void trace_watch_result_done(struct trace_watch_result *result)
{
	syscall_sums_done(&result->sums);
}
