/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel klockstat: waits for the kernel's mutexes and semaphores by caller, and how long they are
 * held, in the shape of BCC's tool. Waits come from tracepoints. There are none for holds: they
 * take probes in the kernel's functions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/lock/lock_live.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/tool/tool.h"
#include "profile/lock/contention.h"
#include "profile/lock/lock_place.h"
#include "profile/profile.h"
#include "source/probe/kernel_links.h"
#include "view/lock/contention_view.h"

#define CALLER_WIDTH 37
#define COMM_WIDTH   17
#define LOCK_TYPES   "mutex,rwsem,rt-mutex,pcpu-sem"

struct klockstat {
	const char *pids, *tids, *caller, *lock;
	uint64_t duration_ns, locks, stacks;
	const char *sort;
	uint64_t interval_ns;
	bool json, waits, per_thread, timestamp;
	/* found out */
	bool has_holds;
	enum contention_order order, hold_order;
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
	{ "sort", 'S', OPT_STR, "KEYS", OPT(klockstat, sort),
	  "order of the rows: acq_max (default), acq_total or acq_count, hld_max, hld_total or "
	  "hld_count; acq_total,hld_count" },
	{ "interval", 'i', OPT_DURATION, "TIME", OPT(klockstat, interval_ns),
	  "print what came in each of these (5s, 500ms)" },
	{ "waits", 0, OPT_FLAG, NULL, OPT(klockstat, waits),
	  "only waits: locks that are free cost nothing then" },
	{ "per-thread", 'P', OPT_FLAG, NULL, OPT(klockstat, per_thread),
	  "a row for each thread, not for each caller; without stacks" },
	{ "timestamp", 'T', OPT_FLAG, NULL, OPT(klockstat, timestamp),
	  "show the time of day above the tables" },
	{ .type = OPT_INCLUDE, .include = accepted_klockstat_rows },
	{ "json", 0, OPT_FLAG, NULL, OPT(klockstat, json), "print JSON, times in nanoseconds" },
	{ .type = OPT_INCLUDE, .include = accepted_wait_rows },
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
	if (o->per_thread)
		(void)buf_printf(out, "%19" PRIu32 " %*.*s", row->tid, COMM_WIDTH, COMM_WIDTH,
				 name.data);
	else
		(void)buf_printf(out, "%*.*s", CALLER_WIDTH, CALLER_WIDTH, name.data);
	(void)buf_printf(out, " %9s %8" PRIu64 " %10s %12s\n",
			 time_text(row->total_ns / row->contended, average), row->contended,
			 time_text(row->max_ns, most), time_text(row->total_ns, all));
	buf_done(&name);
	for (uint64_t i = 1; !o->per_thread && i < o->stacks && stack.v; i++) {
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

/* what: "Wait" or "Hold". */
static void put_table(const struct klockstat *o, const struct contention *contention,
		      const struct profile *profile, const char *what, struct buf *out)
{
	uint64_t shown = 0;

	(void)buf_printf(out, "\n%*s  Avg %s %8s   Max %s   Total %s\n", CALLER_WIDTH,
			 o->per_thread ? "Tid              Comm" : "Caller", what, "Count", what,
			 what);
	for (size_t i = 0; i < contention->row.count; i++) {
		const struct contention_row *row = &contention->row.item[i];

		if (o->caller && !o->per_thread &&
		    strncmp(profile_string(profile, row->name), o->caller, strlen(o->caller)) != 0)
			continue;
		if (!o->locks || shown++ < o->locks)
			put_row(o, profile, row, out);
	}
}

/* "acq_total,hld_max" in any order; max where it says nothing. False: another word. */
static bool parse_orders(const char *text, enum contention_order *waits,
			 enum contention_order *holds)
{
	static const struct {
		const char *word;
		enum contention_order order;
	} words[] = { { "max", CONTENTION_WAIT_MAX },
		      { "total", CONTENTION_WAIT_TOTAL },
		      { "count", CONTENTION_CONTENDED } };

	*waits = *holds = CONTENTION_WAIT_MAX;
	while (text && *text) {
		size_t len = strcspn(text, ","), i = 0;
		bool of_holds = strncmp(text, "hld_", 4) == 0;

		while (i < 3 && (len != 4 + strlen(words[i].word) ||
				 strncmp(text + 4, words[i].word, len - 4) != 0))
			i++;
		if (i == 3 || (!of_holds && strncmp(text, "acq_", 4) != 0))
			return false;
		*(of_holds ? holds : waits) = words[i].order;
		text += len + (text[len] == ',');
	}
	return true;
}

/* What was seen, all of it or since the last time. */
static int show(void *context, struct profile *profile, struct err *err)
{
	const struct klockstat *o = context;
	const struct option_words *words = command_words();
	enum contention_by by = o->per_thread ? CONTENTION_BY_THREAD : CONTENTION_BY_CALLER;
	struct contention waits = { .by = by }, holds = { .by = by };
	struct contention_filter filter = { .types = LOCK_TYPES, .locks = o->lock };
	const struct contention_view view = { .profile = profile,
					      .contention = &waits,
					      .holds = o->has_holds ? &holds : NULL,
					      .words = (const char *const *)words->argv,
					      .word_count = (size_t)words->argc };
	char now[TOOL_TIME_SIZE];
	struct buf out = { 0 };

	contention_fill_sums(&waits, profile, &filter, NULL);
	contention_sort(&waits, o->order);
	filter.holds = true;
	contention_fill_sums(&holds, profile, &filter, NULL);
	contention_sort(&holds, o->hold_order);
	if (o->json) {
		contention_json(&view, &out);
	} else {
		if (o->timestamp)
			(void)buf_printf(&out, "\n%s\n", tool_time(now));
		put_table(o, &waits, profile, "Wait", &out);
		if (o->has_holds)
			put_table(o, &holds, profile, "Hold", &out);
	}
	contention_done(&waits);
	contention_done(&holds);
	return command_end_output(0, NULL, &out, err);
}

static void warn(void)
{
	command_warn(
		"only waits are shown: hold times need probes, which this kernel does not have "
		"(CONFIG_KPROBES, CONFIG_FPROBE)");
}

static void say(void)
{
	(void)printf("Tracing mutex/sem lock events...  Hit Ctrl-C to end\n");
	(void)fflush(stdout);
}

static void warn_and_say(void)
{
	warn();
	say();
}

static int klockstat_run(void *options, int argc, char **argv, struct err *err)
{
	struct klockstat *o = options;
	struct lock_live live = { .choice = { .kernel = true, .no_user_stacks = true },
				  .pids = o->pids,
				  .tids = o->tids,
				  .duration_ns = o->duration_ns,
				  .interval_ns = o->interval_ns,
				  .show = show,
				  .context = o,
				  .everybody = argc && !o->pids && !o->tids,
				  .addresses = true };
	int code;

	if (o->per_thread && o->caller)
		return command_usage(err, "-P and -c cannot be combined: rows of threads have no "
					  "caller");
	if (!parse_orders(o->sort, &o->order, &o->hold_order))
		return command_usage(err,
				     "-S %s: orders are acq_max, acq_total, acq_count, hld_max, "
				     "hld_total, hld_count, one of each kind with a comma between",
				     o->sort);
	o->has_holds = live.choice.kernel_hold = !o->waits && kernel_links_possible();
	if (o->has_holds || o->waits)
		live.begin = o->json ? NULL : say;
	else
		live.begin = o->json ? warn : warn_and_say;
	code = lock_live_watch(&live, argc ? argv : NULL, err);
	if (!code && !o->interval_ns)
		code = show(o, live.profile, err);
	return lock_live_done(&live, code, err);
}

const struct command cmd_klockstat = {
	.name = "klockstat",
	.args = "[options] [-- program arguments]",
	.summary = "show waits for mutexes and semaphores of the kernel, and holds",
	.options = klockstat_rows,
	.options_size = sizeof(struct klockstat),
	.defaults = klockstat_defaults,
	.run = klockstat_run,
	.takes_program = true,
};
