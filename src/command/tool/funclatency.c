/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel funclatency: how long functions take, as a distribution. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "bpf/probe_times.h"
#include "bpf/slow_calls.h"
#include "command/command.h"
#include "command/tool/funclatency.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/record/recorder.h"
#include "view/probe/slowest_calls.h"

#define WORDS (sizeof(struct probe_times) / sizeof(uint64_t))

#define FIELD(name) OPT(funclatency_options, name)

static const struct option_def funclatency_rows[] = {
	{ "milliseconds", 'm', OPT_FLAG, NULL, FIELD(milliseconds), "times in milliseconds" },
	{ "microseconds", 'u', OPT_FLAG, NULL, FIELD(microseconds), "times in microseconds" },
	{ "function", 'F', OPT_FLAG, NULL, FIELD(by_function), "one distribution per function" },
	{ "linear", 0, OPT_STR, "FROM:STEP", FIELD(steps),
	  "steps of equal size, not powers of two: 62 of them" },
	{ "slowest", 0, OPT_UINT, "N", FIELD(slowest),
	  "show the whole stacks of the N slowest calls (at most 16)" },
	{ "by", 0, OPT_STR, "EXPRESSION", FIELD(by),
	  "one distribution for each value of an argument: length, arg1, 's->kind'" },
	{ .type = OPT_INCLUDE, .include = probe_tool_rows },
	{ 0 },
};

struct call_latency_view funclatency_view(const struct funclatency_options *o,
					  const struct probe_times_choice *times)
{
	return (struct call_latency_view){ .unit = o->milliseconds   ? "msecs"
						   : o->microseconds ? "usecs"
								     : "nsecs",
					   .unit_ns = times->unit_ns,
					   .from = times->from,
					   .step = times->step };
}

static int parse_steps(const char *text, struct probe_times_choice *ret, struct err *err)
{
	char end;

	if (sscanf(text, "%" SCNu64 ":%" SCNu64 "%c", &ret->from, &ret->step, &end) != 2 ||
	    !ret->step || ret->from > UINT32_MAX || ret->step > UINT32_MAX)
		return command_usage(err, "--linear: expected FROM:STEP, as 0:100");
	return 0;
}

int funclatency_choose(const struct funclatency_options *o, struct probe_times_choice *times,
		       struct err *err)
{
	if (o->milliseconds && o->microseconds)
		return command_usage(err, "-m and -u cannot be combined");
	times->by_function = o->by_function;
	times->unit_ns = o->milliseconds ? 1000000 : o->microseconds ? 1000 : 1;
	return o->steps ? parse_steps(o->steps, times, err) : 0;
}

static int check_places(const struct probe_set *set, struct err *err)
{
	if (set->choice.tracepoints.count || set->others)
		return command_usage(err, "only whole functions have a duration");
	return 0;
}

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	struct probe_tool_run *self = (struct probe_tool_run *)run;
	int code = funclatency_choose(run->options, &self->set.choice.times, err);

	self->returns = self->kernel = true;
	if (!code)
		code = probe_tool_set_up(run, words, err);
	return code ? code : check_places(&self->set, err);
}

/* words: a struct probe_times for each number, of so many. more: of struct call_latency_view. */
static void put_times(const struct funclatency_options *o, const struct probe_choice *choice,
		      const uint64_t *words, const char *more, struct buf *out)
{
	struct call_latency_view view = funclatency_view(o, &choice->times);
	size_t count = o->by_function ? choice->names.count : 1;
	struct call_latency *times = mem_zalloc((count + 1) * sizeof(*times));

	for (size_t i = 0; i < count; i++)
		times[i] = (struct call_latency){
			.name = o->by_function ? choice->names.item[i] : NULL,
			.calls = words[i * WORDS],
			.returned = words[i * WORDS + 1],
			.total_ns = words[i * WORDS + 2],
			.slot = words + i * WORDS + 3,
		};
	view.more = more;
	(o->probe.tool.json ? call_latency_json : call_latency_text)(times, count, &view, out);
	free(times);
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct probe_tool_run *self = (const struct probe_tool_run *)run;
	const uint64_t *words = run->interval.prints ? run->fresh : run->all;

	if (run->cells)
		put_times(run->options, &self->set.choice, words, NULL, out);
}

/* With --slowest the recorder runs, as for stackcount; its source leaves the sums here. */
struct slowest {
	const struct funclatency_options *options;
	struct probe_set set;
	const char *typed;
	struct recording_options record;
	char **program;
};

static int set_up_slowest(struct slowest *self, struct option_words words, struct err *err)
{
	const struct funclatency_options *o = self->options;
	const struct tool_options *tool = &o->probe.tool;
	const struct probe_set_options how = { .pid = probe_tool_pid(tool),
					       .at_start = o->probe.at_start,
					       .returns = true,
					       .times = true };
	struct source_options *source = &self->record.source;
	struct probe_choice *choice = &self->set.choice;
	struct option_words probes;
	int code = funclatency_choose(o, &choice->times, err);

	if (!code && (o->probe.interval_ns || o->slowest > SLOW_CALLS_MAX))
		return command_usage(err, "--slowest: at most %u calls, and without -i",
				     SLOW_CALLS_MAX);
	if (!code)
		code = probe_tool_words(words, &tool->threads, &probes, &self->program, err);
	if (!code)
		code = probe_tool_find(&self->set, probes, &how, &self->typed, err);
	if (!code)
		code = check_places(&self->set, err);
	if (code)
		return code;
	choice->times.slowest = (uint32_t)o->slowest;
	choice->times.ret_sums = mem_zalloc((choice->names.count + 1) * sizeof(struct probe_times));
	*source = (struct source_options){ .pids = tool->threads.pids,
					   .tids = tool->threads.tids,
					   .comm = tool->threads.comm,
					   .probes = choice };
	source->system_wide = !self->program && !source->pids && !source->tids;
	self->record.duration_ns = tool->duration_ns;
	self->record.no_context = self->record.no_build_id = self->record.quiet = true;
	probe_tool_notes(&self->set, o->probe.verbose);
	if (probe_tool_user(o->probe.user, &source->uid_plus_one, err))
		return -1;
	return tool_cgroup(tool->threads.cgroup, &source->cgroup_id, err);
}

static int show_slowest(const struct slowest *self, const struct profile *profile, struct err *err)
{
	const struct funclatency_options *o = self->options;
	const struct probe_choice *choice = &self->set.choice;
	const struct call_latency_view view = funclatency_view(o, &choice->times);
	struct buf out = { 0 }, more = { 0 };

	if (o->probe.tool.json)
		slowest_calls_json(profile, o->slowest, &more);
	else
		(void)buf_putc(&out, '\n');
	put_times(o, choice, choice->times.ret_sums, more.data, &out);
	if (!o->probe.tool.json)
		slowest_calls_text(profile, o->slowest, &view, &out);
	buf_done(&more);
	return command_end_output(0, NULL, &out, err);
}

static void announce(const struct slowest *self)
{
	struct err ignored = { 0 };
	struct buf out = { 0 };

	if (self->options->probe.tool.json)
		return;
	probe_tool_announce(&self->set, self->typed, &out);
	(void)command_end_output(0, NULL, &out, &ignored); /* a failure shows again at the end */
}

static int record_slowest(struct slowest *self, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = true, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME,
	};
	struct profile *profile = NULL;
	struct recording_result result;
	struct load_live *live;
	int status, code, loaded;

	if (load_live_start(&load, &live, err))
		return -1;
	announce(self);
	self->record.output_queue = load_live_queue(live);
	code = session_record(&self->record, self->program, &result, err);
	loaded = load_live_finish(live, code || !result.samples ? NULL : &profile, err);
	command_print_notes(result.notes);
	if (result.lost_samples)
		command_warn("%" PRIu64 " calls or stacks were lost", result.lost_samples);
	if (!code)
		code = loaded;
	if (!code) {
		profile = profile ? profile : profile_new(0); /* no calls */
		code = show_slowest(self, profile, err);
	}
	profile_free(profile);
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	return status;
}

static const struct tool funclatency = {
	.source = "probe_times",
	.state_size = sizeof(struct probe_tool_run),
	.own_words = true,
	.map = { .thing = "calls" },
	.set_up = set_up,
	.put_head = probe_tool_head,
	.print = print,
	.done = probe_tool_done,
};

static int funclatency_main(const struct tool *tool, const struct funclatency_options *options,
			    struct option_words words, struct err *err)
{
	struct slowest self = { .options = options };
	int code;

	if (options->by && options->slowest)
		return command_usage(err, "--by and --slowest cannot be combined");
	if (!options->slowest)
		return tool_main(options->by ? &funclatency_by : tool, options, words, err);
	code = tool_threads_check(&options->probe.tool.threads, err);
	if (!code)
		code = set_up_slowest(&self, words, err);
	if (!code)
		code = record_slowest(&self, err);
	free(self.set.choice.times.ret_sums);
	probe_set_done(&self.set);
	return code;
}

TOOL_COMMAND(funclatency, funclatency_main, &funclatency,
	     .args = "[options] FUNCTION... [-- program arguments]",
	     .summary = "show the distribution of the time that functions take",
	     .options = funclatency_rows, .options_size = sizeof(struct funclatency_options),
	     .keeps_dashes = true);
