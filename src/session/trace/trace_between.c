/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls with other events in between (see trace_between.h). This thread has the loop;
 * another one reads the recorded events. */
#include "session/trace/trace_between.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/byte_queue.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "session/probe/probe_definitions.h"
#include "session/record/recorder.h"
#include "session/recording.h"
#include "session/replay.h"
#include "session/trace/trace_asleep.h"
#include "session/trace/trace_collect.h"
#include "session/trace/trace_merge.h"
#include "source/event_spec/probe_text.h"
#include "source/syscall/syscall_source.h"

#define QUEUE_BYTES ((size_t)64 << 20)
#define SWEEP_MS    100u
#define TURN_NS	    50000000ull
#define LATE_NS	    500000000ull /* events come in rounds of two sweeps */

struct between {
	struct trace_collect collect;
	const struct trace_watch_options *options;
	struct byte_queue *queue;
	struct trace_asleep *asleep;
	struct trace_merge *merge;
	struct run_timer turn;
	pthread_t reader;
	bool has_reader;
	struct err reader_err;
};

static int keep_line(void *context, const struct syscall_line *line, struct err *err)
{
	struct between *between = context;

	(void)err;
	if (line->place)
		trace_merge_begin(
			between->merge, line->tid, line->start_ns,
			trace_asleep_stack(between->asleep, line, between->options->max_stack));
	trace_merge_line(between->merge, line);
	return 0;
}

static int keep_event(void *context, const struct trace_event *event, struct err *err)
{
	(void)err;
	trace_merge_event(((struct between *)context)->merge, event);
	return 0;
}

static void keep_stack(void *context, uint32_t tid, uint64_t time_ns, struct trace_stack *stack)
{
	trace_merge_begin(((struct between *)context)->merge, tid, time_ns, stack);
}

static void *read_all(void *context)
{
	struct between *between = context;
	const bool stacks = between->options->stacks;
	const struct trace_samples_options to = { .event = keep_event,
						  .context = between,
						  .stacks = stacks,
						  .max_stack = between->options->max_stack,
						  .begin = stacks ? keep_stack : NULL };
	const struct replay_options replay = {
		.symbol = { .inlines = true, .demangle = true, .symfs = "" }, .endless = true
	};
	struct recording *recording = recording_open_queue(between->queue, "the events");
	struct trace_samples *samples;
	struct perf_data *data;

	if (!recording_data(recording, &data, &between->reader_err)) {
		samples = trace_samples_new(&to, data);
		(void)recording_replay(recording, &replay, trace_samples_handler(samples),
				       &between->reader_err);
		trace_samples_free(samples);
	}
	recording_close(recording);
	byte_queue_close(between->queue); /* the recorder notices the missing reader */
	return NULL;
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

static void join(struct between *between)
{
	byte_queue_end(between->queue);
	if (between->has_reader)
		(void)pthread_join(between->reader, NULL);
	between->has_reader = false;
}

/* Those are BPF's, which sends stacks as well. */
static bool has_probes(const struct source_options *options)
{
	struct arena arena = { 0 };
	bool found = false;

	for (size_t i = 0; i < options->selector.count; i++)
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
		.output_queue = between->queue,
		.no_context = true,
		.no_names = true,
		.no_build_id = true,
		.duration_ns = between->options->duration_ns,
		.attend = attend,
		.attend_context = between,
	};
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
	join(between);
	/* Without a reader, the recorder's error is only a consequence. */
	if ((!code || code == -EPIPE) && between->reader_err.code) {
		*err = between->reader_err;
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
	int code;

	own.calls.places = options->stacks;
	own.line = keep_line;
	own.context = &between;
	trace_collect_init(&between.collect, &own, &ret->sums);
	between.queue = byte_queue_new(QUEUE_BYTES);
	between.merge = trace_merge_new();
	between.asleep = trace_asleep_new();
	code = thread_start(&between.reader, "reader", read_all, &between, err);
	between.has_reader = !code;
	if (!code)
		code = record(&between, argv, &result, err);
	join(&between);
	trace_collect_close(&between.collect, code);
	ret->launched = result.launched;
	ret->exit_status = result.exit_status;
	(void)snprintf(ret->notes, sizeof(ret->notes), "%s", result.notes);
	ret->lost_events = result.lost_samples + result.lost_records;
	recording_result_done(&result);
	trace_merge_free(between.merge);
	trace_asleep_free(between.asleep);
	byte_queue_free(between.queue);
	return code;
}
