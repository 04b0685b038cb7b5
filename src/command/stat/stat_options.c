/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of cupel stat (see stat_options.h). Names and meanings are perf stat's. */
#include "command/stat/stat_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "profile/counts/paired_ratio.h"
#include "session/stat/stat_metrics.h"

#define COMPARE_RUNS 20

#define FIELD(name)  OPT(stat_command_options, name)
#define SOURCE(name) FIELD(stat.source.name)

static int add_selector(struct stat_command_options *options, bool filter, const char *value)
{
	struct record_selector item = { .filter = filter, .text = value };

	vec_push(&options->stat.source.selector, item);
	return 0;
}

static int set_event(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	return add_selector(field, false, value);
}

static int set_metrics(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	for (const char *p = value;; p++) {
		size_t len = strcspn(p, ",");
		struct record_selector item = { .filter = false };
		const struct stat_metric *metric;
		char name[64];

		(void)snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), p);
		metric = stat_metric_find(name, err);
		if (!metric)
			return -EINVAL;
		item.text = metric->events;
		item.figure = metric->name;
		vec_push(&((struct stat_command_options *)field)->stat.source.selector, item);
		p += len;
		if (!*p)
			return 0;
	}
}

static int set_repeat(void *field, const char *value, bool negated, struct err *err)
{
	struct stat_command_options *options = field;

	(void)negated;
	options->repeat_given = true;
	return option_parse_number(OPT_UINT, value, &options->stat.repeat, err);
}

static int set_filter(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	return add_selector(field, true, value);
}

static int set_each_cgroup(void *field, const char *value, bool negated, struct err *err)
{
	struct stat_options *stat = field;

	(void)negated;
	(void)err;
	stat->source.cgroups = value;
	stat->each_cgroup = true;
	return 0;
}

static int set_delay(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t ms;

	(void)negated;
	*(int64_t *)field = -1;
	if (strcmp(value, "-1") == 0)
		return 0;
	if (!option_parse_plain(value, &ms) || ms > INT32_MAX)
		return option_bad_value(err, value, "milliseconds, or -1");
	*(int64_t *)field = (int64_t)ms;
	return 0;
}

/* "\t" as it is typed, as in perf. */
int stat_set_separator(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	*(const char **)field = strcmp(value, "\\t") == 0 ? "\t" : value;
	return 0;
}

static int set_big_num(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = negated; /* field is no_big_num */
	return 0;
}

static int set_scale(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = negated; /* field is as_counted */
	return 0;
}

static int set_merge(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = negated; /* field is apart */
	return 0;
}

static int set_by(void *field, enum counts_by by, bool negated)
{
	*(enum counts_by *)field = negated ? COUNTS_BY_ALL : by;
	return 0;
}

/* One for each kind of place, as rows have no other argument. */
#define SET_BY(name, by)                                                                     \
	static int set_by_##name(void *at, const char *value, bool negated, struct err *err) \
	{                                                                                    \
		(void)value;                                                                 \
		(void)err;                                                                   \
		return set_by(at, by, negated);                                              \
	}

SET_BY(cpu, COUNTS_BY_CPU)
SET_BY(core, COUNTS_BY_CORE)
SET_BY(cluster, COUNTS_BY_CLUSTER)
SET_BY(cache, COUNTS_BY_CACHE)
SET_BY(die, COUNTS_BY_DIE)
SET_BY(socket, COUNTS_BY_SOCKET)
SET_BY(node, COUNTS_BY_NODE)
SET_BY(thread, COUNTS_BY_THREAD)

const struct option_def stat_place_rows[] = {
	{ "no-aggr", 'A', OPT_CALL, NULL, 0, "counts of each CPU", set_by_cpu },
	{ "per-core", 0, OPT_CALL, NULL, 0, "counts of each core", set_by_core },
	{ "per-cluster", 0, OPT_CALL, NULL, 0, "counts of each cluster of cores", set_by_cluster },
	{ "per-cache", 0, OPT_CALL, NULL, 0, "counts of each last-level cache", set_by_cache },
	{ "per-die", 0, OPT_CALL, NULL, 0, "counts of each die", set_by_die },
	{ "per-socket", 0, OPT_CALL, NULL, 0, "counts of each socket", set_by_socket },
	{ "per-node", 0, OPT_CALL, NULL, 0, "counts of each memory node", set_by_node },
	{ "per-thread", 0, OPT_CALL, NULL, 0, "counts of each thread (-p, -t, -a)", set_by_thread },
	{ .type = OPT_END },
};

const struct option_def stat_rows_table[] = {
	{ "Events", 0, OPT_GROUP, NULL, 0, NULL },
	{ "event", 'e', OPT_CALL, "EVENT", 0,
	  "event to count, as in perf list: cycles, page-faults, sched:sched_switch, {a,b}, "
	  "pmu/terms/",
	  set_event },
	{ "pfm-events", 0, OPT_CALL, "EVENT", 0,
	  "the same as -e, which takes vendors' names as well: INST_RETIRED:ANY (libpfm4)",
	  set_event },
	{ "filter", 0, OPT_CALL, "EXPRESSION", 0, "filter for the tracepoint before it",
	  set_filter },
	{ "tracefs", 0, OPT_FLAG, NULL, SOURCE(tracefs),
	  "make probes of -e in tracefs; they are removed at the end" },
	{ "detailed", 'd', OPT_COUNT, NULL, FIELD(stat.detail),
	  "also caches; -dd: TLBs and instruction cache; -ddd: prefetches" },
	{ "metrics", 'M', OPT_CALL, "LIST", 0, "events of these figures: ", set_metrics, NULL,
	  stat_metric_words },
	{ "group", 'g', OPT_FLAG, NULL, SOURCE(group), "all events take their turns together" },
	{ "topdown", 0, OPT_FLAG, NULL, FIELD(stat.topdown),
	  "how the CPU's slots are used: retiring, bad speculation, frontend and backend bound" },
	{ "merge", 0, OPT_CALL, NULL, FIELD(stat.apart),
	  "add up an event that several PMUs outside the cores have (default; --no-merge: apart)",
	  set_merge },
	{ "transaction", 'T', OPT_FLAG, NULL, FIELD(stat.transactions), "hardware transactions" },
	{ "null", 'n', OPT_FLAG, NULL, FIELD(stat.null_run), "count nothing but time" },
	{ "all-user", 0, OPT_FLAG, NULL, SOURCE(all_user), "user space only" },
	{ "all-kernel", 0, OPT_FLAG, NULL, SOURCE(all_kernel), "kernel only" },
	{ "scale", 0, OPT_CALL, NULL, FIELD(stat.as_counted),
	  "scale counts of events that took turns (default; --no-scale: as counted)", set_scale },
	{ "Targets", 0, OPT_GROUP, NULL, 0, NULL },
	{ "all-cpus", 'a', OPT_FLAG, NULL, SOURCE(system_wide), "system-wide" },
	{ "cpu", 'C', OPT_STR, "LIST", SOURCE(cpus), "only these CPUs: 0-3,7" },
	{ "pid", 'p', OPT_STR, "LIST", SOURCE(pids), "these processes with all their threads" },
	{ "tid", 't', OPT_STR, "LIST", SOURCE(tids), "these threads" },
	{ "cgroup", 'G', OPT_CALL, "LIST", SOURCE(cgroups),
	  "with -a: only these cgroups, one in total or one per event", option_set_once },
	{ "for-each-cgroup", 0, OPT_CALL, "LIST", FIELD(stat),
	  "with -a: every event in each of these cgroups", set_each_cgroup },
	{ "no-inherit", 'i', OPT_FLAG, NULL, SOURCE(no_inherit), "do not count children" },
	{ "Time", 0, OPT_GROUP, NULL, 0, NULL },
	{ "repeat", 'r', OPT_CALL, "N", 0,
	  "run the program N times: means and standard errors; 0 = until interrupted", set_repeat },
	{ "interval-print", 'I', OPT_UINT, "MS", FIELD(stat.interval_ms),
	  "print the counts of every interval" },
	{ "interval-count", 0, OPT_UINT, "N", FIELD(stat.interval_count),
	  "print N intervals only" },
	{ "interval-clear", 0, OPT_FLAG, NULL, FIELD(interval_clear),
	  "clear the screen before each interval" },
	{ "timeout", 0, OPT_UINT, "MS", FIELD(stat.timeout_ms),
	  "end the program and print after this time" },
	{ "delay", 'D', OPT_CALL, "MS", FIELD(stat.delay_ms),
	  "start counting after this delay; -1 = on a --control command", set_delay },
	{ "control", 0, OPT_STR, "CHANNEL", FIELD(stat.control),
	  "read commands (enable, disable, stop, ping) from fd:CTL[,ACK] or fifo:CTL[,ACK]" },
	{ "pre", 0, OPT_STR, "COMMAND", FIELD(stat.pre), "shell command before every run" },
	{ "post", 0, OPT_STR, "COMMAND", FIELD(stat.post), "shell command after every run" },
	{ "sync", 'S', OPT_FLAG, NULL, FIELD(stat.sync),
	  "write out the disk cache before every run" },
	{ "Comparison", 0, OPT_GROUP, NULL, 0, NULL },
	{ "compare", 0, OPT_STR, "PROGRAM", FIELD(compare),
	  "run this program and the one that follows in turns, -r times each (default 20), and "
	  "compare them" },
	{ "margin", 0, OPT_DOUBLE, "PERCENT", FIELD(margin_percent),
	  "--compare: differences up to this do not matter (default 5)" },
	{ "Places", 0, OPT_GROUP, NULL, 0, NULL },
	{ .type = OPT_INCLUDE, .include = stat_place_rows, .offset = FIELD(stat.by) },
	{ "percore-show-thread", 0, OPT_FLAG, NULL, FIELD(core_threads),
	  "-A: the sum of a core, of events with the term percore, for each of its CPUs" },
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "output", 'o', OPT_STR, "FILE", FIELD(output), "file (default: standard error)" },
	{ "append", 0, OPT_FLAG, NULL, FIELD(append), "append to that file" },
	{ "log-fd", 0, OPT_UINT, "FD", FIELD(log_fd), "write to this file descriptor" },
	{ "field-separator", 'x', OPT_CALL, "SEPARATOR", FIELD(separator),
	  "CSV with this separator (\\t = tab)", stat_set_separator },
	{ "json-output", 'j', OPT_FLAG, NULL, FIELD(json), "JSON, an object a line" },
	{ "big-num", 'B', OPT_CALL, NULL, FIELD(no_big_num),
	  "group digits: 1,234,567 (default; --no-big-num)", set_big_num },
	{ "metric-only", 0, OPT_FLAG, NULL, FIELD(metric_only),
	  "derived figures only, such as insn per cycle" },
	{ "table", 0, OPT_FLAG, NULL, FIELD(table), "with -r: the time of every run" },
	{ "summary", 0, OPT_FLAG, NULL, FIELD(summary), "after intervals: the sum" },
	{ "no-csv-summary", 0, OPT_FLAG, NULL, FIELD(no_csv_summary),
	  "CSV: the sum is not marked with the word summary" },
	{ "quiet", 'q', OPT_FLAG, NULL, FIELD(quiet), "print nothing" },
	{ "verbose", 'v', OPT_COUNT, NULL, FIELD(verbose),
	  "also print each count with the ns that it was enabled and running" },
	{ .type = OPT_INCLUDE, .include = accepted_stat_rows },
	{ .type = OPT_INCLUDE, .include = refused_stat_rows },
	{ .type = OPT_END },
};

void stat_options_defaults(void *options)
{
	struct stat_command_options *o = options;

	o->stat.repeat = 1;
	o->margin_percent = 5;
}

void stat_options_done(void *options)
{
	vec_done(&((struct stat_command_options *)options)->stat.source.selector);
}

static int check_target(const struct stat_command_options *o, bool program, struct err *err)
{
	const struct source_options *source = &o->stat.source;
	bool tasks = source->pids || source->tids;
	bool everybody = source->system_wide || source->cpus;
	enum counts_by by = o->stat.by;

	if (o->compare)
		return 0;
	if (tasks && everybody)
		return command_usage(err, "-p and -t cannot be combined with -a and -C");
	if (source->cgroups && !everybody)
		return command_usage(err, "-G and --for-each-cgroup need -a or -C");
	if (by == COUNTS_BY_THREAD && !tasks && !source->system_wide && program)
		return command_usage(err, "--per-thread needs -p, -t or -a");
	if (by != COUNTS_BY_ALL && by != COUNTS_BY_THREAD && !everybody)
		return command_usage(err, "counts by CPU need -a or -C");
	if (o->stat.topdown && !everybody)
		return command_usage(err, "--topdown needs -a or -C");
	if (o->stat.repeat != 1 && !program)
		return command_usage(err, "-r needs a program");
	if (!program && !tasks && !everybody && by != COUNTS_BY_THREAD) {
		(void)command_usage(err, "nothing to count");
		(void)err_hint(err, "give a program, -a, -C CPUS, -p PID or -t TID; see: cupel "
				    "stat --help");
		return EXIT_STATUS_USAGE;
	}
	return 0;
}

static int check_compare(struct stat_command_options *o, struct err *err)
{
	const struct source_options *source = &o->stat.source;

	if (source->pids || source->tids || source->system_wide || source->cpus)
		return command_usage(err, "--compare cannot be combined with -p, -t, -a and -C");
	if (o->stat.interval_ms || o->stat.delay_ms || o->stat.control || o->stat.timeout_ms ||
	    o->table)
		return command_usage(err, "--compare cannot be combined with -I, -D, --control, "
					  "--timeout and --table");
	if (o->margin_percent <= 0)
		return command_usage(err, "--margin: expected a percentage above 0");
	if (!o->repeat_given)
		o->stat.repeat = COMPARE_RUNS;
	if (!o->stat.repeat || o->stat.repeat > PAIRED_RATIO_MOST)
		return command_usage(err, "--compare: expected -r from 1 to %d", PAIRED_RATIO_MOST);
	return 0;
}

int stat_options_check(struct stat_command_options *o, bool program, struct err *err)
{
	struct source_options *source = &o->stat.source;

	if (o->compare && check_compare(o, err))
		return EXIT_STATUS_USAGE;
	if (o->json && o->separator)
		return command_usage(err, "-j and -x cannot be combined");
	if (o->output && o->log_fd)
		return command_usage(err, "-o and --log-fd cannot be combined");
	if (o->table && o->stat.repeat == 1)
		return command_usage(err, "--table needs -r");
	if (o->stat.interval_count && !o->stat.interval_ms)
		return command_usage(err, "--interval-count needs -I");
	if (o->stat.detail > STAT_DETAIL_MAX)
		o->stat.detail = STAT_DETAIL_MAX;
	if (check_target(o, program, err))
		return EXIT_STATUS_USAGE;
	if (o->stat.by == COUNTS_BY_THREAD && !source->pids && !source->tids) {
		source->all_threads = true;
		source->system_wide = false;
	}
	return 0;
}
