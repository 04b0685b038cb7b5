/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens while a recording runs besides its sources: windows of --delay, files that are
 * switched, commands, a writer that failed. The loop itself is session/run.c. */
#include "session/record/record_loop.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "event/desc.h"
#include "session/python/python_names.h"
#include "session/record/record_targets.h"
#include "session/record/recorder.h"

#define MS 1000000ull

void recorder_push(struct recorder *recorder)
{
	record_queue_push(&recorder->queue, recorder->chunk);
	recorder->chunk = record_queue_idle(&recorder->queue);
}

void *recorder_place(struct recorder *recorder, size_t bytes)
{
	uint8_t *place;

	if (recorder->chunk->len + bytes > recorder->queue.chunk_bytes)
		recorder_push(recorder);
	place = recorder->chunk->data + recorder->chunk->len;
	recorder->chunk->len += bytes;
	return place;
}

static void say(const struct recorder *recorder, const char *line)
{
	if (recorder->options->say)
		recorder->options->say(line);
}

static void set_switch_timer(struct recorder *recorder)
{
	const struct record_switch_output *output = &recorder->options->switch_output;

	recorder->switch_timer.due_ns = output->mode == RECORDING_SWITCH_TIME
						? clock_ns(CLOCK_MONOTONIC) + output->time_ns
						: RUN_NEVER;
}

static void rotate(struct recorder *recorder)
{
	struct record_tally *ended = mem_zalloc(sizeof(*ended));

	record_tally_open(ended, recorder->source->events);
	record_tally_sum(ended, &recorder->tally);
	record_tally_sum(&recorder->total, &recorder->tally);
	record_tally_reset(&recorder->tally);
	recorder->chunk->ended = ended;
	recorder_push(recorder);
	set_switch_timer(recorder);
	recorder->switched_bytes = __atomic_load_n(&recorder->written, __ATOMIC_RELAXED);
	say(recorder, "switching to a new output file");
}

/* Everything up to now, then a new file. */
static int take_snapshot(void *context, struct err *err)
{
	struct recorder *recorder = context;
	int code = source_snapshot(recorder->source, &recorder->sink, err);

	if (!code && recorder->options->switch_output.mode != RECORDING_SWITCH_NONE)
		rotate(recorder);
	return code;
}

static int asked_by_signal(void *context, struct err *err)
{
	const struct recorder *recorder = context;

	return recorder->options->switch_output.mode == RECORDING_SWITCH_SIGNAL
		       ? take_snapshot(context, err)
		       : 0;
}

static int enable(struct recorder *recorder, bool on, struct err *err)
{
	int code = source_enable(recorder->source, on, err);

	if (!code)
		say(recorder, on ? "events enabled" : "events disabled");
	return code;
}

static int take_commands(void *context, struct err *err)
{
	struct recorder *recorder = context;
	const struct event_set *events = recorder->source->events;
	enum record_command command;
	int code = 0;

	while (!code &&
	       (command = record_control_next(&recorder->control)) != RECORD_COMMAND_NONE) {
		switch (command) {
		case RECORD_COMMAND_ENABLE:
		case RECORD_COMMAND_DISABLE:
			if (*recorder->control.argument)
				say(recorder, "control: all events are switched together: send "
					      "enable or disable alone");
			else
				code = enable(recorder, command == RECORD_COMMAND_ENABLE, err);
			break;
		case RECORD_COMMAND_SNAPSHOT:
			code = take_snapshot(recorder, err);
			break;
		case RECORD_COMMAND_EVLIST:
			for (size_t i = 0; i < events->desc.count; i++)
				say(recorder, events->desc.item[i]->name);
			break;
		case RECORD_COMMAND_STOP:
			run_finish(&recorder->run, RUN_COMMAND);
			break;
		case RECORD_COMMAND_UNKNOWN:
			say(recorder, "control: unknown command");
			continue; /* perf answers nothing either */
		case RECORD_COMMAND_PING:
		case RECORD_COMMAND_NONE:
			break;
		}
		record_control_ack(&recorder->control);
	}
	return code;
}

/* When the next window of --delay opens or closes. */
static uint64_t window_edge_ns(const struct recorder *recorder)
{
	const struct record_delay *delay = &recorder->options->delay;
	size_t index = recorder->window / 2;
	uint64_t ms;

	if (index >= delay->count)
		return RUN_NEVER;
	ms = recorder->window % 2 ? delay->window[index].end_ms : delay->window[index].start_ms;
	if (recorder->window % 2 && ms == 0)
		return RUN_NEVER;
	return recorder->run.start_ns + ms * MS;
}

static int take_window(void *context, struct err *err)
{
	struct recorder *recorder = context;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int code = 0;

	while (!code && now >= window_edge_ns(recorder)) {
		code = enable(recorder, recorder->window % 2 == 0, err);
		recorder->window++;
	}
	recorder->window_timer.due_ns = window_edge_ns(recorder);
	return code;
}

static int writer_failed(void *context, struct err *err)
{
	struct recorder *recorder = context;

	(void)err; /* reported when the file is finished */
	run_finish(&recorder->run, RUN_FAILED);
	return 0;
}

/* Limits of size, and when to look up the names of Python's functions. */
static int look_around(void *context, struct err *err)
{
	struct recorder *recorder = context;
	const struct recording_options *options = recorder->options;
	uint64_t written = __atomic_load_n(&recorder->written, __ATOMIC_RELAXED);
	uint64_t due_ns;

	(void)err;
	recorder->rounds++;
	if (options->switch_output.mode == RECORDING_SWITCH_SIZE &&
	    written - recorder->switched_bytes >= options->switch_output.size_bytes)
		rotate(recorder);
	if (options->max_size_bytes && written >= options->max_size_bytes)
		run_finish(&recorder->run, RUN_ENOUGH);
	due_ns = recorder->python ? python_names_due_ns(recorder->python) : 0;
	recorder->python_timer.due_ns = due_ns > clock_ns(CLOCK_MONOTONIC) ? due_ns : RUN_NEVER;
	return 0;
}

int recorder_prepare_run(struct recorder *recorder, struct err *err)
{
	const struct recording_options *options = recorder->options;
	const struct run_signal asked = { SIGUSR2, asked_by_signal, recorder };
	struct run *run = &recorder->run;
	int code;

	recorder->window_timer =
		(struct run_timer){ .due_ns = RUN_NEVER, .due = take_window, .context = recorder };
	recorder->switch_timer = (struct run_timer){ .due_ns = RUN_NEVER,
						     .due = take_snapshot,
						     .context = recorder };
	recorder->python_timer.due_ns = RUN_NEVER;
	run->duration_ns = options->duration_ns;
	run->woken = look_around;
	run->context = recorder;
	run_add_timer(run, &recorder->window_timer);
	run_add_timer(run, &recorder->switch_timer);
	run_add_timer(run, &recorder->python_timer);
	run_add_fd(run, &recorder->wake_fd, writer_failed, recorder);
	run_add_fd(run, &recorder->control.fd, take_commands, recorder);
	code = run_add_signal(run, &asked, err);
	if (code || options->source.system_wide)
		return code;
	return run_add_targets(run, options->source.pids, options->source.tids, err);
}

uint64_t session_record_taken(const struct run *run)
{
	const struct recorder *recorder =
		(const struct recorder *)((const char *)run - offsetof(struct recorder, run));

	return recorder->tally.samples + recorder->total.samples;
}

/* A record may wait for the end of the next round but one, of which every third one is written;
 * readers expect nothing older than the end of the one before. */
#define SETTLING_ROUNDS 9

int session_record_settle(struct run *run, struct err *err)
{
	struct recorder *recorder =
		(struct recorder *)((char *)run - offsetof(struct recorder, run));
	int code = 0;

	for (int i = 0; !code && i < SETTLING_ROUNDS; i++) {
		uint64_t start_ns = clock_ns(recorder->source->clock.id);

		code = run_sweep(run, err);
		recorder->chunk->round = true;
		recorder->chunk->round_ns = start_ns;
		recorder_push(recorder);
	}
	if (!code)
		record_queue_wait(&recorder->queue);
	return code;
}

void recorder_begin_targets(struct recorder *recorder)
{
	const struct source_options *source = &recorder->options->source;

	if (recorder->source->thread_clock_ns && source->pids)
		recorder->targets = record_targets_begin(source->pids);
	recorder->idle = record_idle_begin(source->pids, source->tids);
}

void recorder_end_targets(struct recorder *recorder)
{
	recorder->targets_cpu_ns = record_targets_cpu_ns(recorder->targets);
	record_idle_end(recorder->idle, &recorder->idle_at_end);
}

void recorder_free_targets(struct recorder *recorder)
{
	record_targets_free(recorder->targets);
	record_idle_free(recorder->idle);
}

void recorder_begin_run(struct recorder *recorder)
{
	recorder->window_timer.due_ns = window_edge_ns(recorder);
	set_switch_timer(recorder);
}
