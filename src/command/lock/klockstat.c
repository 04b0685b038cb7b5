/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel klockstat: waits for the kernel's mutexes and semaphores by caller, in the shape of BCC's
 * tool. That one also has the time that locks are held, for which it probes each time one is taken:
 * there are no tracepoints for that. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/lock/lock_live.h"
#include "command/option/option.h"
#include "profile/lock/contention.h"
#include "profile/lock/lock_place.h"
#include "profile/profile.h"
#include "view/lock/contention_view.h"

#define CALLER_WIDTH 37

struct klockstat {
	const char *pids, *tids, *caller, *lock;
	uint64_t duration_ns, locks, stacks;
	unsigned sort;
	bool json;
};

static const struct option_def klockstat_rows[] = {
	{ "pid", 'p', OPT_STR, "LIST", OPT(klockstat, pids), "only these processes" },
	{ "tid", 't', OPT_STR, "LIST", OPT(klockstat, tids), "only these threads" },
	{ "duration", 'd', OPT_DURATION, "TIME", OPT(klockstat, duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "caller", 'c', OPT_STR, "NAME", OPT(klockstat, caller),
	  "only callers with names that begin with this" },
	{ "lock", 'L', OPT_STR, "ADDRESS", OPT(klockstat, lock), "only this lock" },
	{ "locks", 'n', OPT_UINT, "N", OPT(klockstat, locks), "print so many rows (default all)" },
	{ "stacks", 's', OPT_UINT, "N", OPT(klockstat, stacks),
	  "functions of the stack to print for each row (default 1)" },
	{ "sort", 'S', OPT_CHOICE, "KEY", OPT(klockstat, sort), "order of the rows",
	  .choices = "default acq_max acq_total acq_count" },
	{ "json", 0, OPT_FLAG, NULL, OPT(klockstat, json), "print JSON, times in nanoseconds" },
	{ .type = OPT_END },
};

static void klockstat_defaults(void *options)
{
	((struct klockstat *)options)->stacks = 1;
}

/* As the tool prints times. */
static const char *time_text(uint64_t ns, char ret[32])
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if ((double)ns >= units[i].ns) {
			(void)snprintf(ret, 32, "%.1f %s", (double)ns / units[i].ns, units[i].unit);
			return ret;
		}
	(void)snprintf(ret, 32, "%" PRIu64 " ns", ns);
	return ret;
}

static void put_row(const struct klockstat *o, const struct profile *profile,
		    const struct contention_row *row, struct buf *out)
{
	char average[32], most[32], all[32];
	struct buf name = { 0 };
	stack_id stack = lock_place(profile, row->stack);

	(void)buf_put_tidy(&name, profile_string(profile, row->name));
	(void)buf_printf(out, "%*.*s %9s %8" PRIu64 " %10s %12s\n", CALLER_WIDTH, CALLER_WIDTH,
			 name.data, time_text(row->total_ns / row->contended, average),
			 row->contended, time_text(row->max_ns, most),
			 time_text(row->total_ns, all));
	buf_done(&name);
	for (uint64_t i = 1; i < o->stacks && stack.v; i++) {
		stack = profile->nodes.item[stack.v].parent;
		if (!stack.v)
			break;
		(void)buf_printf(
			out, "%*s\n", CALLER_WIDTH,
			profile_string(profile,
				       profile->frames.item[profile->nodes.item[stack.v].frame.v]
					       .function));
	}
}

static int show(const struct klockstat *o, struct contention *contention,
		const struct profile *profile, struct err *err)
{
	const struct option_words *words = command_words();
	const struct contention_view view = { .profile = profile,
					      .contention = contention,
					      .words = (const char *const *)words->argv,
					      .word_count = (size_t)words->argc };
	struct buf out = { 0 };
	uint64_t shown = 0;

	if (o->json) {
		contention_json(&view, &out);
		return command_end_output(0, NULL, &out, err);
	}
	(void)buf_printf(&out, "\n%*s %9s %8s %10s %12s\n", CALLER_WIDTH, "Caller", "Avg Wait",
			 "Count", "Max Wait", "Total Wait");
	for (size_t i = 0; i < contention->row.count; i++) {
		const struct contention_row *row = &contention->row.item[i];

		if (o->caller &&
		    strncmp(profile_string(profile, row->name), o->caller, strlen(o->caller)) != 0)
			continue;
		if (!o->locks || shown++ < o->locks)
			put_row(o, profile, row, &out);
	}
	return command_end_output(0, NULL, &out, err);
}

static void warn(void)
{
	command_warn("only waits: there are no tracepoints that tell how long locks are held");
}

static void begin(void)
{
	warn();
	(void)printf("Tracing mutex/sem lock events...  Hit Ctrl-C to end\n");
	(void)fflush(stdout);
}

static int klockstat_run(void *options, int argc, char **argv, struct err *err)
{
	static const enum contention_order orders[] = { CONTENTION_WAIT_MAX, CONTENTION_WAIT_MAX,
							CONTENTION_WAIT_TOTAL,
							CONTENTION_CONTENDED };
	const struct klockstat *o = options;
	const struct contention_filter filter = { .types = "mutex,rwsem,rt-mutex,pcpu-sem",
						  .locks = o->lock };
	struct lock_live live = { .choice = { .kernel = true },
				  .pids = o->pids,
				  .tids = o->tids,
				  .duration_ns = o->duration_ns,
				  .everybody = argc && !o->pids && !o->tids,
				  .addresses = true,
				  .begin = o->json ? warn : begin };
	struct contention contention = { .by = CONTENTION_BY_CALLER };
	int code;

	code = lock_live_watch(&live, argc ? argv : NULL, err);
	if (!code) {
		contention_fill_sums(&contention, live.profile, &filter, NULL);
		contention_sort(&contention, orders[o->sort & 3]);
		code = show(o, &contention, live.profile, err);
	}
	contention_done(&contention);
	return lock_live_done(&live, code, err);
}

const struct command cmd_klockstat = {
	.name = "klockstat",
	.args = "[options] [-- program arguments]",
	.summary = "show waits for the kernel's mutexes and semaphores by caller",
	.options = klockstat_rows,
	.options_size = sizeof(struct klockstat),
	.defaults = klockstat_defaults,
	.run = klockstat_run,
	.takes_program = true,
};
