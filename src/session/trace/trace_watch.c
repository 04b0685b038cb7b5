/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of the tracer (see trace_watch.h). */
#include "session/trace/trace_watch.h"

#include <string.h>

#include "base/err.h"
#include "session/run.h"
#include "session/trace/trace_between.h"
#include "session/trace/trace_collect.h"

struct watch {
	struct trace_collect collect;
	struct run run;
};

static int woken(void *context, struct err *err)
{
	struct watch *watch = context;
	const struct trace_watch_options *options = watch->collect.options;
	int code = options->flush(options->context, err);

	trace_collect_look(&watch->collect);
	return code;
}

static int prepare(struct watch *watch, char **argv, struct err *err)
{
	const struct trace_watch_options *options = watch->collect.options;
	int code = run_fork(&watch->run, argv, false, err);

	if (!code && !argv)
		code = run_add_targets(&watch->run, options->source.pids, options->source.tids,
				       err);
	if (!code)
		code = trace_collect_open(&watch->collect, &watch->run, err);
	watch->run.duration_ns = options->duration_ns;
	watch->run.woken = options->calls.lines ? woken : NULL;
	watch->run.context = watch;
	return code;
}

int trace_watch(const struct trace_watch_options *options, char **argv,
		struct trace_watch_result *ret, struct err *err)
{
	struct watch watch;
	int code;

	memset(ret, 0, sizeof(*ret));
	if (options->source.selector.count)
		return trace_between(options, argv, ret, err);
	trace_collect_init(&watch.collect, options, &ret->sums);
	code = run_open(&watch.run, err);
	if (!code)
		code = prepare(&watch, argv, err);
	if (!code)
		code = run_watch(&watch.run, err);
	if (!code && options->calls.lines)
		code = options->flush(options->context, err);
	ret->launched = watch.run.launched;
	ret->exit_status = watch.run.exit_status;
	run_close(&watch.run);
	trace_collect_close(&watch.collect, code);
	return code;
}

void trace_watch_result_done(struct trace_watch_result *result)
{
	syscall_sums_done(&result->sums);
}
