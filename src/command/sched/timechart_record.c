/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel timechart record: scheduler events, interrupts and requests of disks into perf.data; or
 * what does I/O, as perf timechart record -I does. */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/sched/sched_record.h"
#include "session/record/recording_options.h"
#include "session/sched/sched_step_form.h"
#include "source/event_spec/tracepoint.h"

struct timechart_record {
	struct recording_options record; /* first */
	bool io, no_locks;
	char own[48]; /* filter */
};

/* Its letters go before those of record. */
static const struct option_def timechart_record_rows[] = {
	{ "io-only", 'I', OPT_FLAG, NULL, OPT(timechart_record, io),
	  "record only I/O: system calls, requests of disks, packets" },
	{ "no-locks", 0, OPT_FLAG, NULL, OPT(timechart_record, no_locks),
	  "do not record which locks threads wait for" },
	{ .type = OPT_INCLUDE, .include = accepted_timechart_record_rows },
	{ .type = OPT_INCLUDE, .include = sched_record_rows },
	{ .type = OPT_END },
};

static void timechart_record_defaults(void *options)
{
	sched_record_all(options);
}

static void choose_events(struct timechart_record *o, const char *tracefs)
{
	(void)snprintf(o->own, sizeof(o->own), "common_pid != %d", (int)getpid());
	for (size_t i = 0; sched_step_form_at(i); i++) {
		const struct sched_step_form *form = sched_step_form_at(i);
		bool call = form->lane == SCHED_LANE_CALLS;

		if (form->lane == SCHED_LANE_DISK || o->io != (form->lane == SCHED_LANE_INTERRUPTS))
			if (sched_record_is_here(tracefs, form->event)) {
				vec_push(&o->record.source.selector,
					 ((struct record_selector){ .text = form->event }));
				if (call)
					vec_push(&o->record.source.selector,
						 ((struct record_selector){ .filter = true,
									    .text = o->own }));
			}
	}
}

static int timechart_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct timechart_record *o = options;
	struct arena arena = { 0 };
	const char *tracefs;
	int code;

	if (!o->io)
		sched_record_defaults(o);
	code = tracefs_find("", &arena, &tracefs, err);
	if (!code && !o->io && !o->no_locks)
		code = sched_record_locks(&o->record, err);
	if (!code)
		choose_events(o, tracefs);
	arena_done(&arena);
	return code ? code : sched_record_run(o, argc, argv, err);
}

const struct command cmd_timechart_record = {
	.name = "timechart record",
	.args = "[options] [-- program arguments]",
	.summary = "record scheduler events, or I/O, for a picture",
	.options = timechart_record_rows,
	.options_size = sizeof(struct timechart_record),
	.defaults = timechart_record_defaults,
	.run = timechart_record_run,
	.done = sched_record_done,
	.takes_program = true,
};
