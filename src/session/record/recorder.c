/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording (see recorder.h). Two threads: this one drains the rings and reacts to signals, timers,
 * the control channel and ends; the writer thread (record_queue.h) owns the file. Both have
 * a better nice value where they may; the reader takes no lock that is held while writing to disk.
 */
#include "session/record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "base/thread.h"
#include "event/desc.h"
#include "event/machine.h"
#include "format/perf_data/machine_text.h"
#include "format/perf_data/perf_data_write_record.h"
#include "session/probe/probe_definitions.h"
#include "session/python/python_finder.h"
#include "session/python/python_names.h"
#include "session/record/raw_record.h"
#include "session/record/record_loop.h"
#include "session/record/record_stacks.h"
#include "session/record/record_unseen.h"

/* What a ring may grow to (perf_event.c); a larger -m needs larger chunks. */
#define CHUNK_BYTES ((size_t)16 << 20)
/* Where address space is limited: rings as unprivileged users may have, fixed. */
#define SMALL_SPACE_BYTES  ((rlim_t)1 << 30)
#define SMALL_RING_BYTES   ((uint64_t)512 << 10)
#define SMALL_CHUNK_BYTES  ((size_t)1 << 20)
#define READER_NICE	   (-10)
#define COPIED_STACK_BYTES 16384 /* of each sample; deeper stacks end as read-fault */

/* A sample that did not come as a record: it becomes one, or waits to be unwound. */
static void take_sample(struct recorder *recorder, const struct event *event)
{
	bool raw = event->sample.user_regs;
	size_t bytes = raw ? record_raw_bytes(event) : perf_data_sample_bytes(event);

	if (!bytes) {
		recorder->tally.lost_samples++; /* longer than any record can be */
		return;
	}
	if (raw)
		record_raw_put(event, recorder_place(recorder, bytes));
	else
		perf_data_put_sample(event, recorder_place(recorder, bytes));
	record_tally_sample(&recorder->tally, event->time_ns);
	recorder->chunk->samples++;
}

/* The state of the machine lies among the records. */
static void take_machine(struct recorder *recorder, const struct machine_sample *sample)
{
	struct buf record = { 0 };

	context_record_put(sample, &record);
	memcpy(recorder_place(recorder, record.len), record.data, record.len);
	buf_done(&record);
}

static int on_event(struct sink *sink, const struct event *event, struct err *err)
{
	struct recorder *recorder = (struct recorder *)sink;

	(void)err;
	if (event->type == EVENT_SAMPLE)
		take_sample(recorder, event);
	if (event->type == EVENT_ROUND && (recorder->chunk->len || recorder->stacks)) {
		recorder->chunk->round = true;
		recorder->chunk->round_ns = event->time_ns;
		recorder_push(recorder);
	}
	if (event->type == EVENT_MACHINE)
		take_machine(recorder, event->machine);
	return 0;
}

static int on_records(struct sink *sink, const struct record_span *span, struct err *err)
{
	struct recorder *recorder = (struct recorder *)sink;
	size_t len = span->len[0] + span->len[1];
	struct record_chunk *chunk = recorder->chunk;
	uint64_t samples = recorder->tally.samples;
	uint8_t *place;

	if (len > recorder->queue.chunk_bytes)
		return err_set(err, -E2BIG, "ring of CPU %d: larger than a chunk", span->cpu);
	if (chunk->len + len > recorder->queue.chunk_bytes) {
		recorder_push(recorder);
		chunk = recorder->chunk;
	}
	place = chunk->data + chunk->len;
	memcpy(place, span->data[0], span->len[0]);
	memcpy(place + span->len[0], span->data[1], span->len[1]);
	chunk->len += len;
	chunk->maps |= record_tally_add(&recorder->tally, span->cpu, place, len);
	chunk->samples += recorder->tally.samples - samples;
	return 0;
}

static void *write_all(void *context)
{
	struct recorder *recorder = context;
	uint64_t one = 1;

	for (;;) {
		struct record_chunk *chunk = record_queue_pop(&recorder->queue);
		bool last = chunk->last;
		int code = 0;

		if (!recorder->write_failed) {
			code = record_output_write(&recorder->output, chunk, &recorder->write_err);
			if (!code)
				recorder->written_samples += chunk->samples;
			if (!code && chunk->ended)
				code = record_output_rotate(&recorder->output, chunk->ended,
							    &recorder->write_err);
			__atomic_store_n(&recorder->written, record_output_bytes(&recorder->output),
					 __ATOMIC_RELAXED);
		}
		__atomic_store_n(&recorder->writer_cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID),
				 __ATOMIC_RELAXED);
		if (code) {
			recorder->write_failed = true;
			(void)fd_write_all(recorder->wake_fd, &one, sizeof(one));
		}
		if (chunk->ended)
			record_tally_close(chunk->ended);
		free(chunk->ended);
		record_queue_return(&recorder->queue, chunk);
		if (last)
			return NULL;
	}
}

/* Raises the priority of the reading thread, so that the measured load does not cause losses. A
 * better nice value suffices for threads that need little; a real-time class, which could
 * monopolize a CPU, is used only on request. Works without the privilege as well. */
static void raise_nice(struct recorder *recorder)
{
	errno = 0;
	recorder->old_nice = getpriority(PRIO_PROCESS, 0);
	if (errno || setpriority(PRIO_PROCESS, 0, READER_NICE))
		return;
	recorder->raised = true;
}

static void raise_reader(const struct recorder *recorder)
{
	uint64_t asked = recorder->options->realtime_priority;
	struct sched_param param = { .sched_priority = (int)asked };

	if (asked && recorder->raised)
		(void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
}

/* What comes after the recording is work like any other. */
static void lower_priority(struct recorder *recorder)
{
	struct sched_param param = { .sched_priority = 0 };

	if (!recorder->raised)
		return;
	(void)pthread_setschedparam(pthread_self(), SCHED_OTHER, &param);
	(void)setpriority(PRIO_PROCESS, 0, recorder->old_nice);
	recorder->raised = false;
}

static bool space_is_small(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < SMALL_SPACE_BYTES;
}

static int open_queue(struct recorder *recorder, struct err *err)
{
	size_t bytes = recorder->source->ring_bytes;
	size_t least = space_is_small() ? SMALL_CHUNK_BYTES : CHUNK_BYTES;
	int code;

	if (bytes < least)
		bytes = least;
	code = record_queue_open(&recorder->queue, bytes, err);
	if (code)
		return code;
	recorder->chunk = record_queue_idle(&recorder->queue);
	raise_nice(recorder); /* the writer thread inherits it */
	code = thread_start(&recorder->writer, "writer thread", write_all, recorder, err);
	if (code)
		return code;
	recorder->has_writer = true;
	raise_reader(recorder);
	return 0;
}

/* Waits until everything is on its way to the disk. */
static void join_writer(struct recorder *recorder)
{
	if (!recorder->has_writer)
		return;
	recorder->chunk->last = true;
	record_queue_push(&recorder->queue, recorder->chunk);
	(void)pthread_join(recorder->writer, NULL);
	recorder->has_writer = false;
}

/* The tables of a whole machine do not fit into a small space. */
static int open_bpf(struct recorder *recorder, const struct source_options *options,
		    struct err *err)
{
	if (options->system_wide && space_is_small())
		return err_set(err, -ENOMEM, "address space is limited (ulimit -v)");
	return source_find("bpf_cpu")->open(&recorder->source, options, err);
}

/* Distributions build without frame pointers, so stacks of programs and processes are copied, those
 * of a whole machine would be too many. Events that the program cannot serve have copied stacks
 * only where stacks were asked for: they may come a million times a second. */
static void choose_otherwise(struct recording_options *options, const struct err *reason)
{
	struct record_call_graph_option *choice = &options->source.call_graph;

	if (reason->code == -ENOTSUP ? choice->given
				     : !options->source.system_wide && !options->source.cpus)
		choice->otherwise = RECORDING_CALL_GRAPH_DWARF;
	if (choice->otherwise && !choice->given && !choice->stack_size)
		choice->stack_size = COPIED_STACK_BYTES;
	choice->mode = choice->otherwise ? choice->otherwise : RECORDING_CALL_GRAPH_FP;
}

/* Stacks walked in the kernel where that works; else in another way, with the reason. */
static int open_source(struct recorder *recorder, struct err *err)
{
	struct recording_options *options = &recorder->own_options;
	bool any = options->source.call_graph.mode == RECORDING_CALL_GRAPH_AUTO;
	struct record_stacks_options stacks = { .table_bytes = options->table_bytes };
	struct err reason = { 0 };
	int code;

	if (any && !open_bpf(recorder, &options->source, &reason)) {
		stacks.tables = recorder->source->tables;
		stacks.eager = !options->source.system_wide && !options->source.cpus;
		return record_stacks_open(recorder->source->events, &stacks, &recorder->stacks,
					  err);
	}
	if (any)
		choose_otherwise(options, &reason);
	code = source_find("perf_event")->open(&recorder->source, &options->source, err);
	/* only the other one supports the request; it reports why it fails */
	if (code == -ENOTSUP && any && reason.code != -ENOTSUP)
		*err = reason;
	if (!code && any && (reason.code != -ENOTSUP || options->source.call_graph.given))
		source_note(recorder->source,
			    "user stacks %s instead of walked in the kernel: %s%s%s",
			    options->source.call_graph.mode == RECORDING_CALL_GRAPH_DWARF
				    ? "are copied"
				    : "are unwound by frame pointer",
			    reason.msg, reason.hint[0] ? "; " : "", reason.hint);
	return code;
}

static int open_machine(struct recorder *recorder, struct err *err)
{
	struct source_options options = recorder->own_options.source;

	options.program = 0; /* its control group is still ours */
	options.clock = recorder->source->clock;
	return source_find("machine")->open(&recorder->machine, &options, err);
}

static bool asked_to_stop(const void *context)
{
	return run_asked_to_stop(&((const struct recorder *)context)->run);
}

/* Names of the user's definitions → what they stand for. The options of others stay as they are. */
static void expand_events(struct recorder *recorder)
{
	struct source_options *options = &recorder->own_options.source;
	size_t count = options->selector.count;
	struct record_selector *own =
		arena_alloc(&recorder->probes.arena, (count + 1) * sizeof(*own));

	for (size_t i = 0; i < count; i++) {
		own[i] = options->selector.item[i];
		if (!own[i].filter)
			own[i].text =
				probe_definitions_expand(own[i].text, &recorder->probes.arena);
	}
	options->selector.item = own;
}

static int find_probes(struct recorder *recorder, struct err *err)
{
	struct source_options *options = &recorder->own_options.source;
	int code;

	if (options->tracefs) {
		code = tracefs_events_make(&recorder->tracefs, options, err);
		(void)buf_append(&recorder->probes.notes, recorder->tracefs.set.notes.data,
				 recorder->tracefs.set.notes.len);
		return code;
	}
	expand_events(recorder);
	code = probe_event_set_find(&recorder->probes, options, err);
	if (recorder->probes.choice.events)
		options->probe_events = &recorder->probes.choice;
	return code;
}

/* Everything that can fail before the program runs. */
static int prepare(struct recorder *recorder, char **argv, struct err *err)
{
	struct recording_options *options = &recorder->own_options;
	bool to_stdout = options->output && strcmp(options->output, "-") == 0;
	int code;

	if (!options->source.ring_bytes && space_is_small())
		options->source.ring_bytes = SMALL_RING_BYTES;
	options->source.delayed = options->delay.disabled || options->delay.count;
	options->source.kernel_build_ids = options->map_ids == RECORDING_MAP_IDS_KERNEL;
	options->source.added_build_ids = options->map_ids == RECORDING_MAP_IDS_READ &&
					  !options->no_build_id;
	options->source.switchable = options->source.delayed || options->control;
	code = find_probes(recorder, err);
	if (!code)
		code = run_fork(&recorder->run, argv, to_stdout, err);
	options->source.program = recorder->run.program.pid;
	if (!code)
		code = open_source(recorder, err);
	if (!code && recorder->probes.notes.len)
		source_note(recorder->source, "%.*s", (int)recorder->probes.notes.len - 1,
			    recorder->probes.notes.data);
	if (!code)
		run_add_source(&recorder->run, recorder->source, &recorder->sink);
	if (!code && !options->no_context)
		code = open_machine(recorder, err);
	if (!code)
		code = record_output_open(&recorder->output, options, err);
	if (!code && recorder->source->python_fd_plus_one && recorder->stacks)
		recorder->python = python_names_new(
			recorder->source->events, recorder->source->python_fd_plus_one - 1,
			&(struct python_finder){ record_stacks_python, record_stacks_python_read,
						 recorder->stacks });
	if (!code)
		recorder->source->writer_cpu_ns = &recorder->writer_cpu_ns;
	recorder->output.stacks = recorder->stacks;
	recorder->output.python = recorder->python;
	recorder->output.asked_to_stop = asked_to_stop;
	recorder->output.stop_context = recorder;
	recorder->has_output = !code;
	if (!code) {
		record_tally_open(&recorder->tally, recorder->source->events);
		record_tally_open(&recorder->total, recorder->source->events);
	}
	if (!code && options->control)
		code = record_control_open(&recorder->control, options->control, err);
	return code ? code : recorder_prepare_run(recorder, err);
}

/* Its first interval begins with the recording. */
static int begin_machine(struct recorder *recorder, struct err *err)
{
	if (!recorder->machine)
		return 0;
	run_add_source(&recorder->run, recorder->machine, &recorder->sink);
	return recorder->machine->ops->start(recorder->machine, err);
}

static int begin(struct recorder *recorder, struct err *err)
{
	struct source *source = recorder->source;
	int code = run_start(&recorder->run, err);

	if (!code)
		code = record_output_begin(&recorder->output, source, recorder->run.program_name,
					   err);
	if (!code && recorder->options->source.probes && !source->on_exec)
		record_stacks_settle(recorder->stacks);
	if (!code)
		code = open_queue(recorder, err);
	if (!code && !source->on_exec && !recorder->options->source.delayed)
		code = source_enable(source, true, err);
	recorder_begin_targets(recorder);
	if (!code)
		code = begin_machine(recorder, err);
	if (!code && recorder->options->attend)
		code = recorder->options->attend(recorder->options->attend_context, &recorder->run,
						 err);
	if (!code)
		code = run_go(&recorder->run, err);
	recorder_begin_run(recorder);
	return code;
}

/* Losses counted by the kernel that are missing in the records. */
static void add_kernel_loss(struct recorder *recorder)
{
	const struct source *source = recorder->source;

	for (size_t i = 0; i < source->loss_count; i++) {
		const struct source_loss *loss = &source->loss[i];
		size_t slot = loss->cpu < 0 ? 0 : (size_t)loss->cpu;
		uint64_t reported = 0;

		recorder->kernel_lost += loss->lost;
		if (slot >= recorder->tally.cpus)
			continue;
		if (!loss->unreported)
			reported = recorder->tally.lost_by_cpu[slot] +
				   recorder->total.lost_by_cpu[slot];
		record_tally_lost(&recorder->tally, loss->cpu, loss->lost, reported);
	}
}

static void fill_loss(const struct recorder *recorder, struct recording_result *ret)
{
	const struct record_tally *total = &recorder->total;
	bool by_cpu = !recorder->options->source.per_thread;

	ret->loss = mem_zalloc(total->cpus * sizeof(*ret->loss));
	for (size_t cpu = 0; cpu < total->cpus; cpu++) {
		struct record_loss loss = { .cpu = by_cpu ? (int)cpu : -1,
					    .lost = total->lost_by_cpu[cpu],
					    .throttled = total->throttled_by_cpu[cpu] };

		if (loss.lost || loss.throttled)
			ret->loss[ret->loss_count++] = loss;
	}
	ret->lost_records = total->lost_records;
	ret->lost_samples = total->lost_samples;
	ret->throttled = total->throttled;
	if (recorder->stacks)
		ret->lost_samples += record_stacks_lost(recorder->stacks);
}

static struct ran ran(const struct recorder *recorder)
{
	return recorder->targets ? (struct ran){ recorder->targets_cpu_ns, "the processes'" }
				 : (struct ran){ recorder->run.program.cpu_ns, "the program's" };
}

static void fill_result(const struct recorder *recorder, struct recording_result *ret)
{
	const struct record_output *output = &recorder->output;
	struct rusage usage;

	ret->stop_signal = recorder->run.stop_signal;
	ret->write_failed = recorder->write_failed;
	ret->write_error = -recorder->write_err.code;
	ret->rounds = recorder->rounds;
	ret->samples = recorder->written_samples; /* a full disk keeps less than came */
	ret->came_samples = recorder->total.samples;
	ret->records = recorder->total.records;
	ret->bytes = record_output_bytes(output);
	ret->files = output->files;
	ret->duration_ns = recorder->run.end_ns - recorder->run.start_ns;
	ret->program_cpu_ns = recorder->run.program.cpu_ns;
	ret->idle = recorder->idle_at_end;
	ret->frequency_hz = recorder->source->frequency_hz;
	ret->ring_bytes = recorder->source->ring_bytes;
	(void)snprintf(ret->output, sizeof(ret->output), "%s", output->last_name);
	(void)snprintf(ret->notes, sizeof(ret->notes), "%s", recorder->source->notes);
	fill_loss(recorder, ret);
	if (!recorder->write_failed)
		record_note_unseen(recorder->source->thread_clock_ns, ran(recorder), ret);
	(void)getrusage(RUSAGE_SELF, &usage);
	ret->self_cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
			   (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	ret->self_peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

/* Stops the events and completes the file, whatever the recording ended with. */
static int finish(struct recorder *recorder, struct err *err)
{
	int code = run_stop(&recorder->run, err);

	add_kernel_loss(recorder);
	record_tally_sum(&recorder->total, &recorder->tally);
	lower_priority(recorder);
	join_writer(recorder);
	recorder->output.lost_samples = recorder->kernel_lost;
	if (recorder->write_failed) {
		*err = recorder->write_err;
		code = err->code;
		record_output_rescue(&recorder->output, &recorder->tally,
				     &recorder->written_samples);
		return code;
	}
	if (!code)
		code = record_output_finish(&recorder->output, &recorder->tally, err);
	if (code == -ENOENT) { /* the file is gone */
		recorder->written_samples = 0;
		recorder->write_failed = true;
		recorder->write_err = *err;
	}
	return code;
}

static void set_program_result(const struct recorder *recorder, struct recording_result *ret)
{
	int status = recorder->run.program.status;

	ret->exit_status = recorder->run.exit_status;
	ret->exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	/* What we ended ourselves on time has not failed. */
	if (recorder->run.end == RUN_DURATION && ret->exit_signal == SIGTERM)
		ret->exit_status = 0;
}

static void close_recorder(struct recorder *recorder)
{
	program_abandon(&recorder->run.program);
	lower_priority(recorder);
	join_writer(recorder);
	record_queue_close(&recorder->queue);
	if (recorder->has_output)
		record_output_close(&recorder->output);
	record_stacks_free(recorder->stacks);
	python_names_free(recorder->python);
	source_close(recorder->source);
	source_close(recorder->machine);
	probe_event_set_done(&recorder->probes);
	recorder_free_targets(recorder);
	record_tally_close(&recorder->tally);
	record_tally_close(&recorder->total);
	record_control_close(&recorder->control);
	run_close(&recorder->run);
	(void)tracefs_events_close(&recorder->tracefs); /* else its guard does it later */
	fd_close(&recorder->wake_fd);
}

/* The recording itself. Reports the first failure. */
static int run_to_end(struct recorder *recorder, struct recording_result *ret, struct err *err)
{
	struct err later = { 0 };
	int code = run_loop(&recorder->run, err), end;

	recorder_end_targets(recorder);
	end = finish(recorder, code ? &later : err);

	run_end_program(&recorder->run);
	if (recorder->run.launched)
		set_program_result(recorder, ret);
	fill_result(recorder, ret);
	return code ? code : end;
}

int session_record(const struct recording_options *options, char **argv,
		   struct recording_result *ret, struct err *err)
{
	struct recorder recorder = {
		.sink = { .event = on_event, .records = on_records },
		.own_options = *options,
		.control = { .fd = -1, .ack_fd = -1 },
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	int code;

	*ret = (struct recording_result){ 0 };
	memory_limit_record(options->max_memory_bytes);
	recorder.options = &recorder.own_options;
	if (recorder.wake_fd < 0)
		return err_errno(err, "eventfd");
	code = run_open(&recorder.run, err);
	if (!code)
		code = prepare(&recorder, argv, err);
	if (!code && !options->dry_run)
		code = begin(&recorder, err);
	ret->launched = recorder.run.launched;
	ret->exit_status = recorder.run.exit_status;
	if (!code && !options->dry_run)
		code = run_to_end(&recorder, ret, err);
	else if (recorder.has_output)
		record_output_discard(&recorder.output);
	close_recorder(&recorder);
	return code;
}

void recording_result_done(struct recording_result *result)
{
	free(result->loss);
	result->loss = NULL;
}
