/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of one source (see watch.h). */
#include "session/watch.h"

#include "source/source.h"

struct snapshots {
	struct source *source;
	struct sink *sink;
};

static int take_snapshot(void *context, struct err *err)
{
	const struct snapshots *snapshots = context;

	return source_snapshot(snapshots->source, snapshots->sink, err);
}

bool watch_goes_on(const struct watch *watch)
{
	return watch->run.end == RUN_GOES_ON;
}

static int watch_open(struct watch *watch, struct source *source, struct err *err)
{
	struct snapshots snapshots = { source, watch->sink };
	struct run_timer timer = { .interval_ns = watch->interval_ns,
				   .due = take_snapshot,
				   .context = &snapshots };
	struct run *run = &watch->run;
	int code = watch->opened ? watch->opened(watch->context, err) : 0;

	if (code)
		return code;
	run->duration_ns = watch->duration_ns;
	run->woken = watch->woken;
	run->context = watch->context;
	run_add_source(run, source, watch->sink);
	if (watch->interval_ns)
		run_add_timer(run, &timer);
	code = run_watch(run, err);
	for (size_t i = 0; i < source->loss_count; i++)
		watch->lost += source->loss[i].lost;
	return code;
}

int watch_source(struct watch *watch, struct err *err)
{
	struct source *source = NULL;
	int code = run_open(&watch->run, err);

	if (!code)
		code = source_find(watch->source)->open(&source, &watch->options, err);
	if (!code)
		code = watch_open(watch, source, err);
	run_close(&watch->run);
	source_close(source);
	return code;
}
