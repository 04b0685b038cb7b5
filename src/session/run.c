/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop (see run.h): one poll(2) over signals, sources, descriptors and targets. Whether the run
 * is over is looked at before anything is drained. */
#include "session/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/id_list.h"
#include "source/source.h"

#define MS	       1000000ull
#define GRACE_MS       2000 /* for a program that got the terminal's interrupt */
#define MAX_TARGET_FDS 1024
#define RESTLESS_BYTES (64u << 10)
/* pidfd_open() of a thread, Linux 6.9. */
#define PIDFD_OF_THREAD O_EXCL

int run_open(struct run *run, struct err *err)
{
	*run = (struct run){ .signals.fd = -1, .program = { .go_fd = -1, .error_fd = -1 } };
	return signals_take(&run->signals, err);
}

int run_fork(struct run *run, char **argv, bool stdout_to_stderr, struct err *err)
{
	if (!argv || !argv[0])
		return 0;
	run->program_name = argv[0];
	return program_fork(argv, &run->signals, stdout_to_stderr, &run->program, err);
}

static int add_target(struct run *run, pid_t id, struct err *err)
{
	int fd = (int)syscall(SYS_pidfd_open, id, 0);

	if (fd < 0 && (errno == EINVAL || errno == ENOENT)) /* of newer kernels */
		fd = (int)syscall(SYS_pidfd_open, id, PIDFD_OF_THREAD);
	if (fd < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "process %d: has ended", (int)id);
	/* Older kernels do not report it: then only a signal or the duration ends the
	 * run. */
	if (fd >= 0) {
		vec_push(&run->target, fd);
		run->targets_left++;
	}
	return 0;
}

int run_add_targets(struct run *run, const char *pids, const char *tids, struct err *err)
{
	struct id_list ids = { 0 };
	int code = id_list_parse(pids, "process", &ids, err);

	if (!code)
		code = id_list_parse(tids, "thread", &ids, err);
	for (size_t i = 0; !code && i < ids.count && i < MAX_TARGET_FDS; i++)
		code = add_target(run, ids.item[i], err);
	vec_done(&ids);
	return code;
}

void run_add_source(struct run *run, struct source *source, struct sink *sink)
{
	struct run_source item = { .source = source, .sink = sink, .due_ns = RUN_NEVER };

	vec_push(&run->source, item);
}

void run_add_fd(struct run *run, const int *fd, run_call readable, void *context)
{
	struct run_fd item = { fd, readable, context };

	vec_push(&run->fd, item);
}

void run_add_timer(struct run *run, struct run_timer *timer)
{
	vec_push(&run->timer, timer);
}

int run_add_signal(struct run *run, const struct run_signal *signal, struct err *err)
{
	vec_push(&run->signal, *signal);
	return signals_add(&run->signals, signal->number, err);
}

int run_start(struct run *run, struct err *err)
{
	for (size_t i = 0; i < run->source.count; i++) {
		struct source *source = run->source.item[i].source;
		int code = source->ops->start(source, err);

		if (code)
			return code;
	}
	return 0;
}

int run_go(struct run *run, struct err *err)
{
	int code;

	run->start_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < run->source.count; i++) {
		struct run_source *item = &run->source.item[i];

		if (item->source->sweep_ns)
			item->due_ns = run->start_ns + item->source->sweep_ns;
	}
	for (size_t i = 0; i < run->timer.count; i++)
		if (!run->timer.item[i]->due_ns)
			run->timer.item[i]->due_ns =
				run->start_ns + run->timer.item[i]->interval_ns;
	if (!run->program.pid)
		return 0;
	code = program_exec(&run->program, run->program_name, &run->exit_status, err);
	run->launched = !code;
	return code;
}

void run_finish(struct run *run, enum run_end end)
{
	if (run->end == RUN_GOES_ON)
		run->end = end;
}

bool run_asked_to_stop(const struct run *run)
{
	/* what arrives after the loop is not read */
	return __atomic_load_n(&run->stop_signal, __ATOMIC_RELAXED) ||
	       signals_pending(&run->signals);
}

static bool ends_run(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

static int call_signal(const struct run *run, int number, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < run->signal.count; i++)
		if (run->signal.item[i].number == number)
			code = run->signal.item[i].arrived(run->signal.item[i].context, err);
	return code;
}

static int take_signals(struct run *run, struct err *err)
{
	struct signalfd_siginfo info;
	int code = 0;

	while (!code && signals_next(&run->signals, &info)) {
		int number = (int)info.ssi_signo;

		if (number == SIGCHLD && run->program.pid && program_wait(&run->program, false))
			run_finish(run, RUN_PROGRAM_ENDED);
		if (ends_run(number)) {
			run_finish(run, RUN_SIGNAL);
			__atomic_store_n(&run->stop_signal, number, __ATOMIC_RELAXED);
			run->stop_from_terminal = info.ssi_code == SI_KERNEL;
		}
		code = call_signal(run, number, err);
	}
	return code;
}

/* What poll(2) looks at, in this order: signals, sources, descriptors, targets. */
static size_t fill(const struct run *run, struct pollfd *item)
{
	size_t count = 0;

	item[count++].fd = run->signals.fd;
	for (size_t i = 0; i < run->source.count; i++)
		item[count++].fd = run->source.item[i].source->fd;
	for (size_t i = 0; i < run->fd.count; i++)
		item[count++].fd = *run->fd.item[i].fd;
	for (size_t i = 0; i < run->target.count; i++)
		item[count++].fd = run->target.item[i];
	for (size_t i = 0; i < count; i++)
		item[i].events = POLLIN;
	return count;
}

static int take_fds(struct run *run, const struct pollfd *item, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < run->fd.count; i++)
		if (item[i].revents)
			code = run->fd.item[i].readable(run->fd.item[i].context, err);
	return code;
}

static void take_targets(struct run *run, const struct pollfd *item)
{
	for (size_t i = 0; i < run->target.count; i++) {
		if (!item[i].revents)
			continue;
		(void)close(take_fd(&run->target.item[i]));
		if (--run->targets_left == 0)
			run_finish(run, RUN_TARGETS_ENDED);
	}
}

static uint64_t end_ns(const struct run *run)
{
	return run->duration_ns ? run->start_ns + run->duration_ns : RUN_NEVER;
}

/* In step with the start. What a busy machine missed is not made up for: it would be intervals
 * without time. */
static uint64_t next_due(const struct run_timer *timer, uint64_t now)
{
	uint64_t late = (now - timer->due_ns) / timer->interval_ns;

	return timer->due_ns + (late + 1) * timer->interval_ns;
}

static int take_timers(struct run *run, uint64_t now, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < run->timer.count; i++) {
		struct run_timer *timer = run->timer.item[i];

		if (now < timer->due_ns)
			continue;
		timer->due_ns = timer->interval_ns ? next_due(timer, now) : RUN_NEVER;
		if (timer->due)
			code = timer->due(timer->context, err);
	}
	if (now >= end_ns(run))
		run_finish(run, RUN_DURATION);
	return code;
}

/* Each that has a descriptor, as others may have woken us just before it would have; those that go
 * by time in theirs. */
static int take_sources(struct run *run, uint64_t now, struct err *err)
{
	run->taken_bytes = 0;
	for (size_t i = 0; i < run->source.count; i++) {
		struct run_source *item = &run->source.item[i];
		struct source *source = item->source;
		int64_t bytes;

		if (source->fd < 0 && now < item->due_ns)
			continue;
		bytes = source_ready(source, item->sink, err);
		if (bytes < 0)
			return (int)bytes;
		run->taken_bytes += (uint64_t)bytes;
		if (source->sweep_ns)
			item->due_ns = clock_ns(CLOCK_MONOTONIC) + source->sweep_ns;
	}
	return 0;
}

int run_sweep(struct run *run, struct err *err)
{
	return take_sources(run, RUN_NEVER, err);
}

/* Until something is due, rounded up; -1 = only descriptors can wake us. */
static int timeout_ms(const struct run *run)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next = end_ns(run), ms;

	for (size_t i = 0; i < run->source.count; i++)
		if (run->source.item[i].due_ns < next)
			next = run->source.item[i].due_ns;
	for (size_t i = 0; i < run->timer.count; i++)
		if (run->timer.item[i]->due_ns < next)
			next = run->timer.item[i]->due_ns;
	if (next == RUN_NEVER)
		return -1;
	ms = next > now ? (next - now + MS - 1) / MS : 0;
	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static int take_all(struct run *run, const struct pollfd *item, struct err *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	const struct pollfd *fds = item + 1 + run->source.count;
	int code = take_signals(run, err);

	if (!code)
		code = take_fds(run, fds, err);
	take_targets(run, fds + run->fd.count);
	if (!code)
		code = take_timers(run, now, err);
	if (!code)
		code = take_sources(run, now, err);
	if (!code && run->woken)
		code = run->woken(run->context, err);
	return code;
}

/* Each start of a program is several records within a millisecond, and each of them may wake us:
 * they are taken together. All other descriptors and timers end the rest. */
static int rest(struct run *run, struct pollfd *item)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), until = now;
	struct timespec time;
	size_t count;

	if (run->taken_bytes > RESTLESS_BYTES)
		return 0;
	for (size_t i = 0; i < run->source.count; i++)
		if (now + run->source.item[i].source->gather_ns > until)
			until = now + run->source.item[i].source->gather_ns;
	for (size_t i = 0; i < run->timer.count; i++)
		if (run->timer.item[i]->due_ns < until)
			until = run->timer.item[i]->due_ns;
	if (end_ns(run) < until)
		until = end_ns(run);
	if (until <= now)
		return 0;
	count = fill(run, item);
	for (size_t i = 0; i < run->source.count; i++)
		item[1 + i].fd = -1;
	time = (struct timespec){ .tv_nsec = (long)(until - now) };
	return ppoll(item, count, &time, NULL) < 0 && errno != EINTR ? -errno : 0;
}

int run_loop(struct run *run, struct err *err)
{
	size_t room = 1 + run->source.count + run->fd.count + run->target.count;
	struct pollfd *item = mem_zalloc(room * sizeof(*item));
	int code = 0;

	while (!code && run->end == RUN_GOES_ON) {
		size_t count = fill(run, item);

		if (poll(item, count, timeout_ms(run)) >= 0)
			code = take_all(run, item, err);
		else if (errno != EINTR)
			code = err_errno(err, "poll");
		if (!code && run->end == RUN_GOES_ON && rest(run, item))
			code = err_errno(err, "poll");
	}
	free(item);
	if (code)
		run->end = RUN_FAILED;
	return code;
}

int run_stop(struct run *run, struct err *err)
{
	struct err later = { 0 };
	int code = 0;

	for (size_t i = 0; i < run->source.count; i++) {
		const struct run_source *item = &run->source.item[i];
		int one = item->source->ops->stop(item->source, item->sink, code ? &later : err);

		if (!code)
			code = one;
	}
	run->end_ns = clock_ns(CLOCK_MONOTONIC);
	return code;
}

/* Waits for the program's end, passing on what is sent to us. */
static void wait_for_program(struct run *run, int wait_ms)
{
	struct pollfd item = { .fd = run->signals.fd, .events = POLLIN };
	struct signalfd_siginfo info;

	while (!program_wait(&run->program, false)) {
		if (poll(&item, 1, wait_ms) == 0)
			return;
		while (signals_next(&run->signals, &info))
			if (ends_run((int)info.ssi_signo) && info.ssi_code != SI_KERNEL)
				(void)kill(run->program.pid, (int)info.ssi_signo);
	}
}

/* Whatever the sources have in the kernel slows down a program that runs on without them. */
static void detach_sources(struct run *run)
{
	for (size_t i = 0; i < run->source.count; i++)
		source_detach(run->source.item[i].source);
}

void run_end_program(struct run *run)
{
	/* a signal counts even if the run failed meanwhile */
	bool ends = run->stop_signal || run->end == RUN_DURATION || run->end == RUN_COMMAND;

	if (!run->launched)
		return;
	if (ends && run->stop_from_terminal)
		wait_for_program(run, GRACE_MS); /* it got the interrupt as well */
	if (ends && !program_wait(&run->program, false))
		(void)kill(run->program.pid, SIGTERM);
	if (!program_wait(&run->program, false))
		detach_sources(run);
	/* A failed run is no reason to harm the program. */
	wait_for_program(run, -1);
	run->exit_status = program_status(&run->program);
}

int run_watch(struct run *run, struct err *err)
{
	struct err later = { 0 };
	int code = run_start(run, err), end = 0;

	if (!code)
		code = run_go(run, err);
	if (!code) {
		code = run_loop(run, err);
		end = run_stop(run, code ? &later : err);
	}
	run_end_program(run);
	return code ? code : end;
}

void run_close(struct run *run)
{
	program_abandon(&run->program);
	for (size_t i = 0; i < run->target.count; i++)
		fd_close(&run->target.item[i]);
	vec_done(&run->target);
	vec_done(&run->source);
	vec_done(&run->fd);
	vec_done(&run->signal);
	vec_done(&run->timer);
	signals_restore(&run->signals);
}
