/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched record: the machine's scheduler events into perf.data, as perf sched record does;
 * timechart_record.c adds others. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "command/command.h"
#include "command/record/record_options.h"
#include "command/sched/sched_record.h"
#include "session/record/recording_options.h"
#include "source/event_spec/tracepoint.h"

extern const struct command cmd_record;

struct sched_record {
	struct recording_options record; /* first */
	bool no_locks;
};

const struct option_def sched_record_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_option_rows },
	{ .type = OPT_INCLUDE, .include = record_output_rows },
	{ .type = OPT_END },
};

/* sched_stat_wait and its kin need a kernel built with schedule statistics, and nothing here reads
 * them. */
static const char *const events[] = {
	"sched:sched_switch",	  "sched:sched_stat_runtime", "sched:sched_process_fork",
	"sched:sched_wakeup_new", "sched:sched_migrate_task", "sched:sched_waking",
};

/* Waits alone; locks that spin are left out, as far as a filter can: an end does not say what it is
 * the end of. */
static const struct {
	const char *event, *filter;
} lock_events[] = {
	{ "lock:contention_begin", "!(flags & 1)" }, /* LCB_F_SPIN */
	{ "lock:contention_end", NULL },
	{ "syscalls:sys_enter_futex",
	  "op == 0 || op == 128 || op == 6 || op == 134 || op == 9 || op == 137 || op == 265 || "
	  "op == 393 || op == 11 || op == 139 || op == 267 || op == 395 || op == 13 || op == 141 "
	  "|| "
	  "op == 269 || op == 397" }, /* FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI,
					 LOCK_PI2; private, by the wall clock */
	{ "syscalls:sys_exit_futex", "ret <= 0" },
};

bool sched_record_is_here(const char *tracefs, const char *event)
{
	char system[32];
	const char *name = strchr(event, ':');
	struct err err = { 0 };
	uint64_t id;

	if (!name || (size_t)(name - event) >= sizeof(system))
		return false;
	memcpy(system, event, (size_t)(name - event));
	system[name - event] = '\0';
	return tracepoint_id(tracefs, system, name + 1, &id, &err) == 0;
}

int sched_record_locks(struct recording_options *o, struct err *err)
{
	struct arena arena = { 0 };
	const char *tracefs;
	int code = tracefs_find("", &arena, &tracefs, err);

	for (size_t i = 0; !code && i < sizeof(lock_events) / sizeof(*lock_events); i++) {
		struct record_selector event = { .text = lock_events[i].event };
		struct record_selector filter = { .filter = true, .text = lock_events[i].filter };

		if (!sched_record_is_here(tracefs, event.text))
			continue;
		vec_push(&o->source.selector, event);
		if (filter.text)
			vec_push(&o->source.selector, filter);
	}
	arena_done(&arena);
	return code;
}

void sched_record_all(struct recording_options *o)
{
	o->source.system_wide = true;
	o->source.raw = true;
	o->source.period = 1;
	o->source.call_graph.mode = RECORDING_CALL_GRAPH_NONE;
}

void sched_record_defaults(void *options)
{
	struct recording_options *o = options;

	sched_record_all(o);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct record_selector selector = { .text = events[i] };

		vec_push(&o->source.selector, selector);
	}
}

int sched_record_run(void *options, int argc, char **argv, struct err *err)
{
	struct recording_options *o = options;

	if (o->source.pids || o->source.tids || o->source.user)
		o->source.system_wide = false; /* what was asked for, not the default */
	return cmd_record.run(options, argc, argv, err);
}

void sched_record_done(void *options)
{
	recording_options_done(options);
}

static const struct option_def rows[] = {
	{ "no-locks", 0, OPT_FLAG, NULL, OPT(sched_record, no_locks),
	  "do not record which locks threads wait for" },
	{ .type = OPT_INCLUDE, .include = sched_record_rows },
	{ .type = OPT_END },
};

static int record_run(void *options, int argc, char **argv, struct err *err)
{
	struct sched_record *o = options;
	int code = o->no_locks ? 0 : sched_record_locks(&o->record, err);

	return code ? code : sched_record_run(options, argc, argv, err);
}

const struct command cmd_sched_record = {
	.name = "sched record",
	.args = "[options] [-- program arguments]",
	.summary = "record scheduler events",
	.options = rows,
	.options_size = sizeof(struct sched_record),
	.defaults = sched_record_defaults,
	.run = record_run,
	.done = sched_record_done,
	.takes_program = true,
};
