/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of one source (see watch.h). */
#include "session/watch.h"

#include <string.h>

#include "base/clock.h"
#include "source/source.h"

struct snapshots {
	struct watch *watch;
	struct source *source;
};

static int look(struct watch *watch, struct err *err)
{
	return watch->looked ? watch->looked(watch->context, err) : 0;
}

static int take_snapshot(void *context, struct err *err)
{
	const struct snapshots *snapshots = context;
	const struct run *run = &snapshots->watch->run;
	int code;

	if (run->duration_ns && clock_ns(CLOCK_MONOTONIC) >= run->start_ns + run->duration_ns)
		return 0; /* what is taken at the end is this interval's */
	code = source_snapshot(snapshots->source, snapshots->watch->sink, err);
	return code ? code : look(snapshots->watch, err);
}

bool watch_goes_on(const struct watch *watch)
{
	return watch->run.end == RUN_GOES_ON;
}

static int watch_open(struct watch *watch, struct source *source, struct err *err)
{
	struct snapshots snapshots = { watch, source };
	struct run_timer timer = { .interval_ns = watch->interval_ns,
				   .due = take_snapshot,
				   .context = &snapshots };
	struct run *run = &watch->run;
	int code = run_add_targets(run, watch->options.pids, watch->options.tids, err);

	if (!code && watch->opened)
		code = watch->opened(watch->context, err);
	if (code)
		return code;
	run->duration_ns = watch->duration_ns;
	run->woken = watch->woken;
	run->context = watch->context;
	run_add_source(run, source, watch->sink);
	if (watch->interval_ns)
		run_add_timer(run, &timer);
	code = run_watch(run, err);
	if (!code)
		code = look(watch, err);
	memcpy(watch->notes, source->notes, sizeof(watch->notes));
	for (size_t i = 0; i < source->loss_count; i++)
		watch->lost += source->loss[i].lost;
	return code;
}

int watch_source(struct watch *watch, struct err *err)
{
	struct source *source = NULL;
	int code = run_open(&watch->run, err);

	if (!code)
		code = run_fork(&watch->run, watch->argv, false, err);
	watch->options.program = watch->run.program.pid;
	if (!code)
		code = source_find(watch->source)->open(&source, &watch->options, err);
	if (!code)
		code = watch_open(watch, source, err);
	run_close(&watch->run);
	source_close(source);
	return code;
}
