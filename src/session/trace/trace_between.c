/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls with other events in between (see trace_between.h). This process has the loop; a
 * child reads the recorded events. */
#include "session/trace/trace_between.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "session/probe/probe_definitions.h"
#include "session/record/recorder.h"
#include "session/trace/trace_collect.h"
#include "session/trace/trace_merge.h"
#include "session/trace/trace_reader.h"
#include "source/event_spec/probe_text.h"
#include "source/syscall/syscall_source.h"

#define SWEEP_MS 100u
#define TURN_NS	 50000000ull
#define LATE_NS	 500000000ull /* events come in rounds of two sweeps */

struct between {
	struct trace_collect collect;
	const struct trace_watch_options *options;
	struct trace_reader *reader;
	struct trace_merge *merge;
	struct run_timer turn;
};

static int keep_line(void *context, const struct syscall_line *line, struct err *err)
{
	struct between *between = context;

	(void)err;
	if (line->place)
		trace_reader_asleep(between->reader, line);
	trace_merge_line(between->merge, line);
	return 0;
}

static int give(struct between *between, uint64_t until_ns, struct err *err)
{
	const struct trace_watch_options *options = between->options;
	const struct trace_samples_options to = { .line = options->line,
						  .event = options->event,
						  .context = options->context,
						  .stack = options->stack };
	int code = trace_merge_give(between->merge, until_ns, &to, err);

	return code ? code : options->flush(options->context, err);
}

static int on_turn(void *context, struct err *err)
{
	struct between *between = context;
	int code = give(between, clock_ns(CLOCK_MONOTONIC) - LATE_NS, err);

	trace_reader_flush(between->reader);
	trace_collect_look(&between->collect);
	return code;
}

/* The recording begins: so do the calls. */
static int attend(void *context, struct run *run, struct err *err)
{
	struct between *between = context;
	int code = trace_collect_open(&between->collect, run, err);

	if (!code)
		code = between->collect.source->ops->start(between->collect.source, err);
	between->turn =
		(struct run_timer){ .interval_ns = TURN_NS, .due = on_turn, .context = between };
	run_add_timer(run, &between->turn);
	return code;
}

/* Those are BPF's, which sends stacks as well. */
static bool has_probes(const struct source_options *options)
{
	struct arena arena = { 0 };
	bool found = false;

	for (size_t i = 0; !options->tracefs && i < options->selector.count; i++)
		found = found || probe_text_begins(probe_definitions_expand(
					 options->selector.item[i].text, &arena));
	arena_done(&arena);
	return found;
}

static int record(struct between *between, char **argv, struct recording_result *result,
		  struct err *err)
{
	struct recording_options record = {
		.source = between->options->source,
		.output_queue = trace_reader_queue(between->reader),
		.no_context = true,
		.no_names = true,
		.no_build_id = true,
		.duration_ns = between->options->duration_ns,
		.attend = attend,
		.attend_context = between,
	};
	struct err reader_err = { 0 };
	int code;

	if (record.source.user) /* perf events know processes, not users */
		record.source.system_wide = false;
	record.source.period = 1;
	record.source.raw = true;
	record.source.exclude_self = true;
	record.source.descendants = !record.source.no_inherit;
	record.source.call_graph.given = between->options->stacks;
	if (!between->options->stacks && !has_probes(&record.source))
		record.source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
	record.source.clock = (struct recording_clock){ true, CLOCK_MONOTONIC };
	record.source.sweep_ms = SWEEP_MS;
	code = session_record(&record, argv, result, err);
	/* Without a reader, the recorder's error is only a consequence. */
	if (trace_reader_join(between->reader, &reader_err) && (!code || code == -EPIPE)) {
		*err = reader_err;
		code = err->code;
	}
	return code ? code : give(between, UINT64_MAX, err);
}

int trace_between(const struct trace_watch_options *options, char **argv,
		  struct trace_watch_result *ret, struct err *err)
{
	struct trace_watch_options own = *options;
	struct between between = { .options = options };
	struct recording_result result = { 0 };
	struct trace_reader_options reader = { .stacks = options->stacks,
					       .max_stack = options->max_stack };
	int code;

	own.calls.places = options->stacks;
	own.line = keep_line;
	own.context = &between;
	trace_collect_init(&between.collect, &own, &ret->sums);
	reader.merge = between.merge = trace_merge_new();
	code = trace_reader_start(&reader, &between.reader, err);
	if (!code)
		code = record(&between, argv, &result, err);
	trace_collect_close(&between.collect, code);
	ret->launched = result.launched;
	ret->exit_status = result.exit_status;
	(void)snprintf(ret->notes, sizeof(ret->notes), "%s", result.notes);
	ret->lost_events = result.lost_samples + result.lost_records;
	recording_result_done(&result);
	trace_reader_free(between.reader);
	trace_merge_free(between.merge);
	return code;
}
