/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that traces functions of programs (see user_graph.h), and its guard: probes that take too
 * much of the program's time are removed, and it runs on. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/event.h"
#include "event/sink.h"
#include "session/ftrace/user_graph.h"
#include "session/run.h"
#include "source/probe/function_calls_source.h"
#include "source/probe/probe_choice.h"
#include "source/source.h"

#define GUARD_NS      100000000ull
#define ENOUGH_CPU_NS 20e6 /* the kernel updates it at ticks */

struct watch {
	struct sink sink; /* first */
	const struct user_graph_options *options;
	struct user_graph *graph;
	struct user_graph_result *result;
	struct run run;
	struct run_timer guard;
	struct source *source;
	uint64_t looked_ns, looked_hits, looked_cpu_ns;
};

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	struct watch *watch = (struct watch *)sink;
	const struct function_call *call = event->own.data;

	(void)err;
	if (call->number < watch->options->source.probes->names.count)
		user_graph_add(watch->graph, call);
	return 0;
}

/* A call is two hits. */
static int guard(void *context, struct err *err)
{
	struct watch *watch = context;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), hits = function_calls_hits(watch->source);
	double calls = (double)(hits - watch->looked_hits) / 2;
	double cpu_ns = (double)(watch->graph->cpu_ns - watch->looked_cpu_ns);

	(void)err;
	if (watch->result->stopped_share > 0 || cpu_ns < ENOUGH_CPU_NS)
		return 0;
	if (calls * watch->options->call_ns > watch->options->max_cost * cpu_ns) {
		watch->result->stopped_share = calls * watch->options->call_ns / cpu_ns;
		watch->result->stopped_rate = calls / (double)(now - watch->looked_ns) * 1e9;
		source_detach(watch->source); /* what was sent is still delivered */
	}
	watch->looked_ns = now;
	watch->looked_hits = hits;
	watch->looked_cpu_ns = watch->graph->cpu_ns;
	return 0;
}

static int prepare(struct watch *watch, char **argv, struct err *err)
{
	struct source_options source = watch->options->source;
	int code = run_fork(&watch->run, argv, false, err);

	source.program = watch->run.program.pid;
	if (!code && !argv)
		code = run_add_targets(&watch->run, source.pids, source.tids, err);
	if (!code)
		code = source_find("function_calls")->open(&watch->source, &source, err);
	if (code)
		return code;
	run_add_source(&watch->run, watch->source, &watch->sink);
	watch->guard =
		(struct run_timer){ .interval_ns = GUARD_NS, .due = guard, .context = watch };
	run_add_timer(&watch->run, &watch->guard);
	watch->looked_ns = clock_ns(CLOCK_MONOTONIC);
	watch->run.duration_ns = watch->options->duration_ns;
	watch->run.woken = watch->options->flush;
	watch->run.context = watch->options->context;
	return 0;
}

int user_graph_watch(const struct user_graph_options *options, struct user_graph *graph,
		     char **argv, struct user_graph_result *ret, struct err *err)
{
	struct watch watch = {
		.sink.event = take, .options = options, .graph = graph, .result = ret
	};
	int code;

	memset(ret, 0, sizeof(*ret));
	code = run_open(&watch.run, err);
	if (!code)
		code = prepare(&watch, argv, err);
	if (!code)
		code = run_watch(&watch.run, err);
	if (!code) {
		user_graph_end(graph);
		code = options->flush(options->context, err);
	}
	if (watch.source) {
		ret->hits = function_calls_hits(watch.source);
		ret->lost = watch.source->loss ? watch.source->loss->lost : 0;
		(void)snprintf(ret->notes, sizeof(ret->notes), "%s", watch.source->notes);
	}
	ret->launched = watch.run.launched;
	ret->exit_status = watch.run.exit_status;
	run_close(&watch.run);
	source_close(watch.source);
	return code;
}
