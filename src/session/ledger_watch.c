/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wall-clock session (see wall.h): starts the program held, begins to book, lets it go, waits. */
#include "session/ledger_watch.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/record/record_program.h"
#include "session/signals.h"
#include "source/ledger/block_device.h"
#include "source/ledger/ledger_source.h"
#include "source/machine/machine_sampler.h"

#define MACHINE_NS     1000000000ull
#define SLICES_NS      50000000
#define MIN_CONTEXT_NS 20000000ull /* the kernel counts CPU time in ticks of up to 10 ms */

struct wall {
	struct ledger_source_reader reader; /* first */
	const struct ledger_watch_options *options;
	struct ledger_watch_result *result;
	struct record_program program;
	struct signals signals;
	struct ledger_source *scheduler;
	VEC(uint32_t) pid;
	uint64_t ticked_ns;
	struct machine_sampler *context;
	uint64_t sampled_ns;
	bool over;
};

static void take_thread(struct ledger_source_reader *reader, const struct ledger_thread *thread)
{
	struct wall *wall = (struct wall *)reader;

	vec_push(&wall->result->ledger.thread, *thread);
}

static void take_edge(struct ledger_source_reader *reader, const struct ledger_edge_key *key,
		      const struct ledger_edge *edge)
{
	struct wall *wall = (struct wall *)reader;
	struct ledger_link link = { .key = *key, .edge = *edge };

	vec_push(&wall->result->ledger.link, link);
}

static void take_span(struct ledger_source_reader *reader, const struct ledger_span *span)
{
	struct wall *wall = (struct wall *)reader;

	ledger_slices_add(&wall->result->slices, span);
}

static void copy(const struct buf *from, char *to, size_t size)
{
	(void)snprintf(to, size, "%s", from->data ? from->data : "");
}

/* Devices are called what they are called now; they may be gone when somebody reads the ledger. */
static void name_devices(struct ledger *ledger)
{
	struct buf name = { 0 }, about = { 0 };

	for (size_t i = 0; i < ledger->link.count; i++) {
		struct ledger_device device = { .device = ledger->link.item[i].key.device };

		if (!device.device || ledger_device_find(ledger, device.device))
			continue;
		buf_clear(&name);
		buf_clear(&about);
		block_device_name("", device.device, &name, &about);
		copy(&name, device.name, sizeof(device.name));
		copy(&about, device.about, sizeof(device.about));
		vec_push(&ledger->device, device);
	}
	buf_done(&name);
	buf_done(&about);
}

static int parse_pids(struct wall *wall, struct err *err)
{
	const char *s = wall->options->pids;

	while (s && *s) {
		unsigned long pid;
		char *end;

		if (!isdigit((unsigned char)*s))
			return err_set(err, -EINVAL, "-p: %s: not a list of numbers",
				       wall->options->pids);
		pid = strtoul(s, &end, 10);
		if ((*end && *end != ',') || pid > INT32_MAX ||
		    (kill((pid_t)pid, 0) && errno == ESRCH))
			return err_set(err, -ESRCH, "process %lu: no such process", pid);
		vec_push(&wall->pid, (uint32_t)pid);
		s = *end ? end + 1 : end;
	}
	return 0;
}

/* Milliseconds until the time is over, at most a second so that processes of -p are looked after,
 * or until there may be many intervals to take. */
static int time_left_ms(const struct wall *wall)
{
	uint64_t end_ns = wall->result->ledger.start_ns + wall->options->duration_ns;
	uint64_t tick_ns = wall->ticked_ns + wall->options->interval_ns;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next_ns;

	next_ns = now + (wall->options->slices ? SLICES_NS : 1000000000);
	if (wall->options->duration_ns && end_ns < next_ns)
		next_ns = end_ns;
	if (wall->options->interval_ns && tick_ns < next_ns)
		next_ns = tick_ns;
	return next_ns > now ? (int)((next_ns - now) / 1000000) + 1 : 0;
}

static bool time_is_over(const struct wall *wall)
{
	return wall->options->duration_ns &&
	       clock_ns(CLOCK_MONOTONIC) >=
		       wall->result->ledger.start_ns + wall->options->duration_ns;
}

/* Threads that are alive come after those that ended and are taken back again. */
static int tick(struct wall *wall, struct err *err)
{
	struct ledger *ledger = &wall->result->ledger;
	size_t ended = ledger->thread.count;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int code;

	if (!wall->options->interval_ns || now < wall->ticked_ns + wall->options->interval_ns)
		return 0;
	wall->ticked_ns = now;
	code = ledger_source_peek(wall->scheduler, &wall->reader, err);
	ledger->end_ns = now;
	if (!code && !wall->options->tick(wall->options->context, ledger))
		wall->over = true;
	ledger->thread.count = ended;
	return code;
}

static void sample_context(struct wall *wall, uint64_t interval_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct machine_sample sample;

	if (!wall->context || now < wall->sampled_ns + interval_ns)
		return;
	machine_sampler_take(wall->context, now, &sample);
	machine_series_add(&wall->result->context, &sample);
	wall->sampled_ns = now;
}

static void take_signals(struct wall *wall)
{
	struct signalfd_siginfo info;

	while (signals_next(&wall->signals, &info)) {
		if (info.ssi_signo != SIGCHLD)
			wall->over = true;
		else if (wall->program.pid && record_program_wait(&wall->program, false))
			wall->over = true;
	}
}

static bool targets_live(const struct wall *wall)
{
	for (size_t i = 0; i < wall->pid.count; i++)
		if (kill((pid_t)wall->pid.item[i], 0) == 0 || errno != ESRCH)
			return true;
	return wall->options->everybody || wall->program.pid;
}

static int watch(struct wall *wall, struct err *err)
{
	struct pollfd fds[] = {
		{ .fd = wall->signals.fd, .events = POLLIN },
		{ .fd = ledger_source_fd(wall->scheduler), .events = POLLIN },
	};
	int code = 0;

	while (!code && !wall->over) {
		int left_ms = time_left_ms(wall);

		if (poll(fds, 2, left_ms) < 0 && errno != EINTR)
			return err_errno(err, "poll");
		take_signals(wall);
		code = ledger_source_drain(wall->scheduler, &wall->reader, err);
		if (!code)
			code = tick(wall, err);
		sample_context(wall, MACHINE_NS);
		if (time_is_over(wall) || !targets_live(wall))
			wall->over = true;
	}
	return code;
}

/* A program that outlives the watch is asked to end, and waited for. */
static void see_off(struct wall *wall)
{
	if (!wall->program.pid || wall->program.go_fd >= 0 || wall->result->exit_status)
		return; /* there is none, or it never began */
	if (!record_program_wait(&wall->program, false))
		(void)kill(wall->program.pid, SIGTERM);
	(void)record_program_wait(&wall->program, true);
	wall->result->launched = true;
	wall->result->exit_status = record_program_status(&wall->program);
}

static int run(struct wall *wall, char **argv, struct err *err)
{
	struct ledger_source_target target = { .everybody = wall->options->everybody,
					       .idle = wall->options->idle,
					       .spans = wall->options->slices,
					       .cgroup_id = wall->options->cgroup_id,
					       .histogram_unit_ns =
						       wall->options->histogram_unit_ns };
	struct ledger *ledger = &wall->result->ledger;
	int code = parse_pids(wall, err);

	if (!code && argv)
		code = record_program_fork(argv, &wall->signals, false, &wall->program, err);
	if (code)
		return code;
	if (argv)
		vec_push(&wall->pid, (uint32_t)wall->program.pid);
	target.pid = wall->pid.item;
	target.count = wall->pid.count;
	code = ledger_source_open(&target, &wall->scheduler, err);
	if (!code)
		code = ledger_source_start(wall->scheduler, &ledger->start_ns, err);
	wall->ticked_ns = wall->sampled_ns = ledger->start_ns;
	if (!code && wall->options->machine)
		wall->context = machine_sampler_new(wall->pid.count ? (pid_t)wall->pid.item[0] : 0,
						    clock_ns(CLOCK_MONOTONIC));
	if (!code && argv)
		code = record_program_exec(&wall->program, argv[0], &wall->result->exit_status,
					   err);
	if (!code)
		code = watch(wall, err);
	if (!code)
		code = ledger_source_stop(wall->scheduler, &wall->reader, &ledger->end_ns, err);
	sample_context(wall, MIN_CONTEXT_NS);
	if (code)
		return code;
	ledger->counts = ledger_source_counts(wall->scheduler);
	name_devices(ledger);
	ledger_finish(ledger);
	if (wall->options->slices)
		ledger_slices_finish(&wall->result->slices, ledger);
	return 0;
}

int ledger_watch(const struct ledger_watch_options *options, char **argv,
		 struct ledger_watch_result *ret, struct err *err)
{
	struct wall wall = { .reader = { take_thread, take_edge, take_span },
			     .options = options,
			     .result = ret,
			     .program = { .go_fd = -1, .error_fd = -1 },
			     .signals.fd = -1 };
	int code;

	memset(ret, 0, sizeof(*ret));
	code = signals_take(&wall.signals, err);
	if (!code)
		code = run(&wall, argv, err);
	record_program_abandon(&wall.program);
	see_off(&wall);
	signals_restore(&wall.signals);
	ledger_source_close(wall.scheduler);
	machine_sampler_free(wall.context);
	vec_done(&wall.pid);
	return code;
}

void ledger_watch_result_done(struct ledger_watch_result *result)
{
	ledger_done(&result->ledger);
	ledger_slices_done(&result->slices);
	machine_series_done(&result->context);
}
