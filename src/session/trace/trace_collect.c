/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of system calls in a run (see trace_collect.h). */
#include "session/trace/trace_collect.h"

#include "base/err.h"
#include "event/event.h"
#include "source/syscall/syscall_source.h"
#include "source/syscall/syscall_table.h"

static int collect(struct sink *sink, const struct event *event, struct err *err)
{
	const struct trace_watch_options *options = ((struct trace_collect *)sink)->options;
	struct syscall_sums *sums = ((struct trace_collect *)sink)->sums;
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

void trace_collect_init(struct trace_collect *collector, const struct trace_watch_options *options,
			struct syscall_sums *sums)
{
	*collector =
		(struct trace_collect){ .sink.event = collect, .options = options, .sums = sums };
}

int trace_collect_open(struct trace_collect *collector, struct run *run, struct err *err)
{
	struct source_options source = collector->options->source;
	int code;

	source.program = run->program.pid;
	source.syscalls = &collector->options->calls;
	code = source_syscalls.open(&collector->source, &source, err);
	if (!code)
		run_add_source(run, collector->source, &collector->sink);
	collector->run = run;
	return code;
}

void trace_collect_look(struct trace_collect *collector)
{
	if (collector->options->enough && *collector->options->enough)
		run_finish(collector->run, RUN_ENOUGH);
}

void trace_collect_close(struct trace_collect *collector, int code)
{
	struct syscall_sums *sums = collector->sums;

	if (!code && collector->source) {
		sums->start_ns = collector->source->start_ns;
		sums->end_ns = collector->source->end_ns;
		sums->counts_only = collector->options->calls.counts_only;
		syscall_sums_name(sums, syscall_label, syscall_error_name);
	}
	source_close(collector->source);
	collector->source = NULL;
}
