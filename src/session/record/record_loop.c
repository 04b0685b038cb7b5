/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens while a recording runs: rings fill, signals and commands arrive, time passes, the
 * program or the target ends. One poll(2) over all of it. */
#include "session/record/record_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/fd.h"
#include "event/desc.h"
#include "session/python/python_names.h"
#include "session/record/record_machine.h"

/* The longest that records stay in the rings, unless it is chosen; a killed recorder loses no more
 * than that. */
#define SWEEP_NS       1000000000ull
#define NEVER	       UINT64_MAX
#define MS	       1000000ull
#define GRACE_MS       2000 /* for a program that got the terminal's interrupt */
#define MAX_TARGET_FDS 1024
/* pidfd_open() of a thread, Linux 6.9. */
#define PIDFD_OF_THREAD O_EXCL

static void say(const struct recorder *recorder, const char *line)
{
	if (recorder->options->say)
		recorder->options->say(line);
}

bool recorder_asked_to_stop(const void *context)
{
	const struct recorder *recorder = context;

	/* what arrives after the loop is read by nobody */
	return __atomic_load_n(&recorder->stop_signal, __ATOMIC_RELAXED) ||
	       signals_pending(&recorder->signals);
}

static int watch_target(struct recorder *recorder, pid_t id, struct err *err)
{
	int fd = (int)syscall(SYS_pidfd_open, id, 0);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_pidfd_open, id, PIDFD_OF_THREAD);
	if (fd < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "process %d: has ended", (int)id);
	/* Older kernels cannot tell: then only a signal or the duration ends the recording. */
	if (fd >= 0) {
		vec_push(&recorder->targets, fd);
		recorder->targets_left++;
	}
	return 0;
}

int recorder_targets_open(struct recorder *recorder, struct err *err)
{
	const char *lists[] = { recorder->options->pids, recorder->options->tids };
	int code = 0;

	if (recorder->options->system_wide)
		return 0;
	for (size_t i = 0; i < 2; i++)
		for (const char *p = lists[i]; p && !code;
		     p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
			if (recorder->targets.count == MAX_TARGET_FDS)
				return 0;
			code = watch_target(recorder, (pid_t)strtol(p, NULL, 10), err);
		}
	return code;
}

void recorder_targets_close(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->targets.count; i++)
		fd_close(&recorder->targets.item[i]);
	vec_done(&recorder->targets);
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
	recorder->switched_ns = clock_ns(CLOCK_MONOTONIC);
	recorder->switched_bytes = __atomic_load_n(&recorder->written, __ATOMIC_RELAXED);
	say(recorder, "switching to a new file");
}

/* Everything up to now, then a new file. */
static int snapshot(struct recorder *recorder, struct err *err)
{
	int code = recorder->source->ops->snapshot(recorder->source, &recorder->sink, err);

	if (!code && recorder->options->switch_output.mode != RECORDING_SWITCH_NONE)
		rotate(recorder);
	return code;
}

static int take_signals(struct recorder *recorder, struct err *err)
{
	struct signalfd_siginfo info;
	int code = 0;

	while (!code && signals_next(&recorder->signals, &info))
		switch (info.ssi_signo) {
		case SIGCHLD:
			if (recorder->program.pid && record_program_wait(&recorder->program, false))
				recorder->stop = RECORDER_PROGRAM_ENDED;
			break;
		case SIGUSR2:
			if (recorder->options->switch_output.mode == RECORDING_SWITCH_SIGNAL)
				code = snapshot(recorder, err);
			break;
		default:
			recorder->stop = RECORDER_SIGNAL;
			__atomic_store_n(&recorder->stop_signal, (int)info.ssi_signo,
					 __ATOMIC_RELAXED);
			recorder->stop_from_terminal = info.ssi_code == SI_KERNEL;
		}
	return code;
}

static int enable(struct recorder *recorder, bool on, struct err *err)
{
	int code = recorder->source->ops->enable(recorder->source, on, err);

	if (!code)
		say(recorder, on ? "events enabled" : "events disabled");
	return code;
}

static int take_commands(struct recorder *recorder, struct err *err)
{
	const struct event_set *events = recorder->source->events;
	enum record_command command;
	int code = 0;

	while (!code &&
	       (command = record_control_next(&recorder->control)) != RECORD_COMMAND_NONE) {
		switch (command) {
		case RECORD_COMMAND_ENABLE:
		case RECORD_COMMAND_DISABLE:
			code = enable(recorder, command == RECORD_COMMAND_ENABLE, err);
			break;
		case RECORD_COMMAND_SNAPSHOT:
			code = snapshot(recorder, err);
			break;
		case RECORD_COMMAND_EVLIST:
			for (size_t i = 0; i < events->desc.count; i++)
				say(recorder, events->desc.item[i]->name);
			break;
		case RECORD_COMMAND_STOP:
			recorder->stop = RECORDER_COMMAND;
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
		return NEVER;
	ms = recorder->window % 2 ? delay->window[index].end_ms : delay->window[index].start_ms;
	if (recorder->window % 2 && ms == 0)
		return NEVER;
	return recorder->start_ns + ms * MS;
}

static uint64_t switch_ns(const struct recorder *recorder)
{
	const struct record_switch_output *output = &recorder->options->switch_output;

	return output->mode == RECORDING_SWITCH_TIME ? recorder->switched_ns + output->time_ns
						     : NEVER;
}

static uint64_t end_ns(const struct recorder *recorder)
{
	uint64_t duration = recorder->options->duration_ns;

	return duration ? recorder->start_ns + duration : NEVER;
}

/* What is due by time or size. */
static int take_deadlines(struct recorder *recorder, struct err *err)
{
	const struct recording_options *options = recorder->options;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t written = __atomic_load_n(&recorder->written, __ATOMIC_RELAXED);
	int code = 0;

	while (!code && now >= window_edge_ns(recorder)) {
		code = enable(recorder, recorder->window % 2 == 0, err);
		recorder->window++;
	}
	if (!code && now >= switch_ns(recorder))
		code = snapshot(recorder, err);
	if (!code && options->switch_output.mode == RECORDING_SWITCH_SIZE &&
	    written - recorder->switched_bytes >= options->switch_output.size_bytes)
		rotate(recorder);
	if (options->max_size_bytes && written >= options->max_size_bytes)
		recorder->stop = RECORDER_MAX_SIZE;
	if (now >= recorder->machine_due_ns)
		record_machine_take(recorder);
	if (now >= end_ns(recorder))
		recorder->stop = RECORDER_DURATION;
	return code;
}

/* When the rings are to be looked at, even if they do not ask for it. */
static uint64_t sweep_ns(const struct recorder *recorder, uint64_t now_ns)
{
	uint64_t due = recorder->python ? python_names_due_ns(recorder->python) : 0;
	uint64_t sweep = recorder->options->sweep_ms ? recorder->options->sweep_ms * MS : SWEEP_NS;

	return due > now_ns && due < now_ns + sweep ? due : now_ns + sweep;
}

static int timeout_ms(const struct recorder *recorder)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next = sweep_ns(recorder, now);
	const uint64_t due[] = { window_edge_ns(recorder), switch_ns(recorder), end_ns(recorder),
				 recorder->machine_due_ns };

	for (size_t i = 0; i < sizeof(due) / sizeof(due[0]); i++)
		if (due[i] < next)
			next = due[i];
	return next > now ? (int)((next - now + MS - 1) / MS) : 0;
}

enum { POLL_SOURCE, POLL_SIGNALS, POLL_WRITER, POLL_CONTROL, POLL_TARGETS };

static void take_targets(struct recorder *recorder, struct pollfd *item)
{
	for (size_t i = 0; i < recorder->targets.count; i++) {
		if (!item[i].revents)
			continue;
		(void)close(take_fd(&recorder->targets.item[i]));
		item[i].fd = -1;
		if (--recorder->targets_left == 0)
			recorder->stop = RECORDER_TARGET_ENDED;
	}
}

static int take_all(struct recorder *recorder, struct pollfd *item, struct err *err)
{
	int64_t bytes = recorder->source->ops->poll(recorder->source, &recorder->sink, 0, err);
	int code = bytes < 0 ? (int)bytes : 0;

	if (!code && item[POLL_SIGNALS].revents)
		code = take_signals(recorder, err);
	if (!code && item[POLL_WRITER].revents)
		recorder->stop = RECORDER_FAILED;
	if (!code && item[POLL_CONTROL].revents)
		code = take_commands(recorder, err);
	item[POLL_CONTROL].fd = recorder->control.fd;
	take_targets(recorder, item + POLL_TARGETS);
	return code ? code : take_deadlines(recorder, err);
}

int recorder_loop(struct recorder *recorder, struct err *err)
{
	size_t count = POLL_TARGETS + recorder->targets.count;
	struct pollfd *item = mem_zalloc(count * sizeof(*item));
	int code = 0;

	for (size_t i = 0; i < count; i++)
		item[i].events = POLLIN;
	item[POLL_SOURCE].fd = recorder->source->fd;
	item[POLL_SIGNALS].fd = recorder->signals.fd;
	item[POLL_WRITER].fd = recorder->wake_fd;
	item[POLL_CONTROL].fd = recorder->control.fd;
	for (size_t i = 0; i < recorder->targets.count; i++)
		item[POLL_TARGETS + i].fd = recorder->targets.item[i];
	recorder->switched_ns = recorder->start_ns;
	while (!code && recorder->stop == RECORDER_RUNNING) {
		if (poll(item, count, timeout_ms(recorder)) < 0 && errno != EINTR)
			code = err_errno(err, "poll");
		else
			code = take_all(recorder, item, err);
	}
	free(item);
	if (code)
		recorder->stop = RECORDER_FAILED;
	return code;
}

/* Waits for the program's end, passing on what is sent to us. */
static void wait_for_program(struct recorder *recorder, int wait_ms)
{
	struct pollfd item = { .fd = recorder->signals.fd, .events = POLLIN };
	struct signalfd_siginfo info;

	while (!record_program_wait(&recorder->program, false)) {
		if (poll(&item, 1, wait_ms) == 0)
			return;
		while (signals_next(&recorder->signals, &info))
			if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGUSR2 &&
			    info.ssi_code != SI_KERNEL)
				(void)kill(recorder->program.pid, (int)info.ssi_signo);
	}
}

void recorder_end_program(struct recorder *recorder)
{
	/* a signal counts, too, when the recording failed meanwhile */
	bool ends = recorder->stop_signal || recorder->stop == RECORDER_DURATION ||
		    recorder->stop == RECORDER_COMMAND;

	if (ends && recorder->stop_from_terminal)
		wait_for_program(recorder, GRACE_MS); /* it got the interrupt as well */
	if (ends && !record_program_wait(&recorder->program, false))
		(void)kill(recorder->program.pid, SIGTERM);
	/* A failed recording is no reason to harm the program. */
	wait_for_program(recorder, -1);
}
