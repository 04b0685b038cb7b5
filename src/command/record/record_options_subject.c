/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is sampled: events, targets, stacks, and for how long. */
#include "command/record/record_options_groups.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "command/record/off_cpu_options.h"
#include "command/record/record_options.h"
#include "session/record/recording_options.h"
#include "source/sampling_budget.h"

#define MAX_STACK_BYTES 65528 /* attr.sample_stack_user is below 64 KiB and a multiple of 8 */

#define FIELD(name) OPT(recording_options, name)

static int add_selector(void *field, bool filter, const char *value)
{
	VEC(struct record_selector) *list = field;
	struct record_selector item = { .filter = filter, .text = value };

	vec_push(list, item);
	return 0;
}

static int set_event(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	return add_selector(field, false, value);
}

static int set_filter(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	return add_selector(field, true, value);
}

static int set_budget(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	return sampling_budget_parse(value, field)
		       ? 0
		       : option_bad_value(err, value, "a percentage or none");
}

static int set_frequency(void *field, const char *value, bool negated, struct err *err)
{
	struct record_frequency *frequency = field;

	(void)negated;
	frequency->max = strcmp(value, "max") == 0;
	frequency->hz = 0;
	if (frequency->max)
		return 0;
	if (option_parse_number(OPT_UINT, value, &frequency->hz, err))
		return err->code;
	return frequency->hz ? 0 : option_bad_value(err, value, "a frequency above 0");
}

const struct option_def record_event_rows[] = {
	{ "Events", 0, OPT_GROUP, NULL, 0, NULL },
	{ "event", 'e', OPT_CALL, "EVENT", FIELD(source.selector),
	  "event to sample, as in perf list: cycles, cpu-clock, sched:sched_switch, {a,b}, "
	  "pmu/terms/, or a place in a program: probe:c:malloc, usdt:BINARY:NAME",
	  set_event, NULL },
	{ "pfm-events", 0, OPT_CALL, "EVENT", FIELD(source.selector),
	  "the same as -e, which takes vendors' names as well: INST_RETIRED:ANY (libpfm4)",
	  set_event },
	{ "filter", 0, OPT_CALL, "EXPRESSION", FIELD(source.selector),
	  "filter for the tracepoint before it", set_filter, NULL },
	{ "tracefs", 0, OPT_FLAG, NULL, FIELD(source.tracefs),
	  "make probes of -e in tracefs, for kernels before 6.6 without CAP_SYS_ADMIN; they are "
	  "removed at the end",
	  NULL, NULL },
	{ "group", 0, OPT_FLAG, NULL, FIELD(source.group), "schedule all events as one group" },
	{ "freq", 'F', OPT_CALL, "HZ", FIELD(source.frequency),
	  "samples per second and CPU, or max (default 999; recordings with -a: 99)", set_frequency,
	  NULL },
	{ "count", 'c', OPT_UINT, "N", FIELD(source.period), "sample every Nth event" },
	{ "budget", 0, OPT_CALL, "PERCENT", FIELD(source.budget),
	  "of the machine (-a) or the program that sampling may take, or none (default 1%, 3%)",
	  set_budget, NULL },
	{ "strict-freq", 0, OPT_FLAG, NULL, FIELD(source.strict_frequency),
	  "fail if the kernel does not allow the frequency" },
	{ "all-user", 0, OPT_FLAG, NULL, FIELD(source.all_user), "user space only" },
	{ "all-kernel", 0, OPT_FLAG, NULL, FIELD(source.all_kernel), "kernel only" },
	{ "off-cpu-thresh", 0, OPT_CALL, "MS", FIELD(source.off_cpu),
	  "-e off-cpu: aggregate shorter waits (milliseconds, or 500us; default 1)",
	  off_cpu_set_thresh, NULL },
	{ "off-cpu-states", 0, OPT_CALL, "LIST", FIELD(source.off_cpu),
	  "-e off-cpu: record these waits: blocked (default), idle, runnable, or reasons such as "
	  "disk,lock",
	  off_cpu_set_states, NULL },
	{ "exclude-perf", 0, OPT_FLAG, NULL, FIELD(source.exclude_self),
	  "exclude tracepoint hits of the recorder itself" },
	{ .type = OPT_END },
};

const struct option_def record_target_rows[] = {
	{ "Targets", 0, OPT_GROUP, NULL, 0, NULL },
	{ "all-cpus", 'a', OPT_FLAG, NULL, FIELD(source.system_wide), "system-wide" },
	{ "cpu", 'C', OPT_STR, "LIST", FIELD(source.cpus), "only these CPUs: 0-3,7" },
	{ "pid", 'p', OPT_STR, "LIST", FIELD(source.pids),
	  "these processes with all their threads" },
	{ "tid", 't', OPT_STR, "LIST", FIELD(source.tids), "these threads" },
	{ "uid", 'u', OPT_STR, "USER", FIELD(source.user), "processes of this user" },
	{ "cgroup", 'G', OPT_CALL, "LIST", FIELD(source.cgroups),
	  "with -a: only these cgroups, one in total or one per event", option_set_once },
	{ "no-inherit", 'i', OPT_FLAG, NULL, FIELD(source.no_inherit), "do not follow children" },
	{ "per-thread", 0, OPT_FLAG, NULL, FIELD(source.per_thread),
	  "one ring per thread instead of per CPU; implies --no-inherit" },
	{ .type = OPT_END },
};

static int set_g(void *field, const char *value, bool negated, struct err *err)
{
	struct record_call_graph_option *option = field;

	(void)value;
	(void)err;
	option->given = true;
	if (negated)
		option->mode = RECORDING_CALL_GRAPH_NONE;
	else if (option->mode == RECORDING_CALL_GRAPH_NONE)
		option->mode = RECORDING_CALL_GRAPH_AUTO;
	return 0;
}

int record_set_call_graph(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		enum recording_call_graph mode;
	} modes[] = {
		{ "auto", RECORDING_CALL_GRAPH_AUTO },	 { "none", RECORDING_CALL_GRAPH_NONE },
		{ "no", RECORDING_CALL_GRAPH_NONE },	 { "fp", RECORDING_CALL_GRAPH_FP },
		{ "dwarf", RECORDING_CALL_GRAPH_DWARF }, { "lbr", RECORDING_CALL_GRAPH_LBR },
	};
	struct record_call_graph_option *option = field;
	size_t len = negated ? 0 : strcspn(value, ",");
	size_t found = negated ? 1 : sizeof(modes) / sizeof(modes[0]);
	uint64_t size = 0;

	for (size_t i = 0; !negated && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strlen(modes[i].name) == len && strncmp(modes[i].name, value, len) == 0)
			found = i;
	if (found == sizeof(modes) / sizeof(modes[0]))
		return option_bad_value(err, value, "one of fp, dwarf[,size], lbr, auto, none");
	if (!negated && value[len] && modes[found].mode != RECORDING_CALL_GRAPH_DWARF)
		return option_bad_value(err, value, "a size only with dwarf");
	if (!negated && value[len] &&
	    (!option_parse_plain(value + len + 1, &size) || size == 0 || size > MAX_STACK_BYTES))
		return err_set(err, -EINVAL, "invalid stack size '%s': expected 8 to %d bytes",
			       value + len + 1, MAX_STACK_BYTES);
	option->given = true;
	option->mode = modes[found].mode;
	option->stack_size = (uint32_t)((size + 7) & ~7ull);
	return 0;
}

static int set_max_stack(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t depth;

	(void)negated;
	if (!option_parse_plain(value, &depth) || depth == 0 || depth > UINT16_MAX)
		return option_bad_value(err, value, "a number of frames between 1 and 65535");
	*(uint32_t *)field = (uint32_t)depth;
	return 0;
}

const struct option_def record_stack_rows[] = {
	{ "Stacks", 0, OPT_GROUP, NULL, 0, NULL },
	{ "call-graph", 0, OPT_CALL, "MODE", FIELD(source.call_graph),
	  "unwind method: auto (default), fp, dwarf[,bytes], lbr, none", record_set_call_graph,
	  .choices = "auto fp dwarf lbr none" },
	{ NULL, 'g', OPT_CALL, NULL, FIELD(source.call_graph),
	  "record call graphs (the default): the same as --call-graph auto", set_g, NULL },
	{ "max-stack", 0, OPT_CALL, "N", FIELD(source.max_stack),
	  "maximum number of frames per stack", set_max_stack, NULL },
	{ "user-callchains", 0, OPT_FLAG, NULL, FIELD(source.user_callchains),
	  "user part of stacks only" },
	{ "kernel-callchains", 0, OPT_FLAG, NULL, FIELD(source.kernel_callchains),
	  "kernel part of stacks only" },
	{ "user", 0, OPT_FLAG, NULL, FIELD(source.user_callchains), NULL },
	{ "kernel", 0, OPT_FLAG, NULL, FIELD(source.kernel_callchains), NULL },
	{ .type = OPT_END },
};
