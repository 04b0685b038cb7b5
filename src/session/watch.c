/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of commands that watch and print (see watch.h). */
#include "session/watch.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "session/signals.h"

struct watch {
	const struct watch_options *options;
	struct signals signals;
	uint64_t start_ns, tick_ns; /* when the next tick is due */
	bool over;
	bool enough; /* as a call said */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for a clock that exists */
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Milliseconds until something is due, rounded up; -1 = only events can be. */
static int time_left_ms(const struct watch *watch)
{
	const struct watch_options *o = watch->options;
	uint64_t now = now_ns(), due_ns = UINT64_MAX;

	if (o->interval_ns)
		due_ns = watch->tick_ns;
	if (o->duration_ns && watch->start_ns + o->duration_ns < due_ns)
		due_ns = watch->start_ns + o->duration_ns;
	if (due_ns == UINT64_MAX)
		return -1;
	return due_ns > now ? (int)((due_ns - now) / 1000000 % 1000000) + 1 : 0;
}

static void take_signals(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (signals_next(&watch->signals, &info))
		watch->over |= info.ssi_signo != SIGCHLD;
}

/* What a call said: goes on, ends the watch, or has failed. */
static int heed(struct watch *watch, int code)
{
	watch->enough |= code != 0;
	return code < 0 ? code : 0;
}

static int tick_if_due(struct watch *watch, struct err *err)
{
	const struct watch_options *o = watch->options;

	if (!o->interval_ns || now_ns() < watch->tick_ns)
		return 0;
	watch->tick_ns += o->interval_ns;
	return heed(watch, o->tick(o->context, false, err));
}

static int run(struct watch *watch, struct err *err)
{
	const struct watch_options *o = watch->options;
	struct pollfd fds[] = { { .fd = watch->signals.fd, .events = POLLIN },
				{ .fd = o->fd, .events = POLLIN } };
	int code = 0;

	while (!code && !watch->over && !watch->enough) {
		if (poll(fds, 2, time_left_ms(watch)) < 0 && errno != EINTR)
			return err_errno(err, "poll");
		take_signals(watch);
		if (o->fd >= 0)
			code = heed(watch, o->ready(o->context, err));
		if (!code)
			code = tick_if_due(watch, err);
		watch->over |= o->duration_ns && now_ns() >= watch->start_ns + o->duration_ns;
	}
	if (!code && !watch->enough && o->tick)
		code = heed(watch, o->tick(o->context, true, err));
	return code;
}

int session_watch(const struct watch_options *options, struct err *err)
{
	struct watch watch = { .options = options, .signals.fd = -1 };
	int code = signals_take(&watch.signals, err);

	watch.start_ns = now_ns();
	watch.tick_ns = watch.start_ns + options->interval_ns;
	if (!code)
		code = run(&watch, err);
	signals_restore(&watch.signals);
	return code;
}
