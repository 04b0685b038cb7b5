/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel stackcount: how often functions are called, static probes and tracepoints passed, by whole
 * stack. They are counted in the kernel; the recorder, its unwinder and its symbols do the rest. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/picture_options.h"
#include "command/picture_write.h"
#include "command/record/record_options.h"
#include "command/tool/probe_tool.h"
#include "profile/profile.h"
#include "session/live.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/record/recorder.h"
#include "session/run.h"
#include "view/probe/counted_stacks.h"

#define DEFAULT_PICTURE "flame.svg"
#define SWEEP_MS	250 /* sums of a stack must not outlive its name */

struct stackcount_options {
	struct probe_tool_options probe; /* first */
	bool by_process, user_stacks, kernel_stacks, delimited, folded, flame, inlines;
	const char *output;
};

struct stackcount {
	const struct stackcount_options *options;
	struct probe_set set;
	const char *typed;
	struct recording_options record;
	char **program;
	/* With -i. */
	struct live *live;
	struct run_timer timer;
	struct run *run; /* NULL = it is over */
};

#define FIELD(name) OPT(stackcount_options, name)

static const struct option_def stackcount_rows[] = {
	{ "duration", 'D', OPT_DURATION, "TIME", FIELD(probe.tool.duration_ns),
	  "stop after this time (10s, 500ms)" },
	{ "interval", 'i', OPT_DURATION, "TIME", FIELD(probe.interval_ns),
	  "print at this interval (1, 500ms), not at the end alone" },
	{ "timestamp", 'T', OPT_FLAG, NULL, FIELD(probe.tool.timestamp),
	  "print the time of day at each interval" },
	{ .type = OPT_INCLUDE, .include = tool_thread_rows },
	{ "uid", 0, OPT_STR, "USER", FIELD(probe.user), "only threads of this user" },
	{ "verbose", 'v', OPT_FLAG, NULL, FIELD(probe.verbose),
	  "print where each probe is, and what the instruction there costs" },
	{ "at-start", 0, OPT_FLAG, NULL, FIELD(probe.at_start),
	  "probe the first instruction of functions, not the cheapest one" },
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "perpid", 'P', OPT_FLAG, NULL, FIELD(by_process),
	  "stacks of each process by themselves" },
	{ "user-stacks-only", 'U', OPT_FLAG, NULL, FIELD(user_stacks), "user part of stacks only" },
	{ "kernel-stacks-only", 'K', OPT_FLAG, NULL, FIELD(kernel_stacks),
	  "kernel part of stacks only" },
	{ "delimited", 'd', OPT_FLAG, NULL, FIELD(delimited),
	  "print a delimiter between the kernel and user parts of stacks" },
	{ "folded", 'f', OPT_FLAG, NULL, FIELD(folded), "print folded stacks, one per line" },
	{ "flame", 0, OPT_FLAG, NULL, FIELD(flame),
	  "draw a flame graph into the file of -o (.svg or .html; default flame.svg)" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(probe.tool.json),
	  "print JSON, one object per interval" },
	{ "inline", 0, OPT_FLAG, NULL, FIELD(inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ "output", 'o', OPT_OUTPUT, "FILE", FIELD(output), "write to FILE" },
	{ .type = OPT_END },
};

static void defaults(void *options)
{
	((struct stackcount_options *)options)->inlines = true;
}

static int check(const struct stackcount_options *o, struct err *err)
{
	if (o->user_stacks && o->kernel_stacks)
		return command_usage(err, "-U and -K cannot be combined");
	if (o->folded + o->flame + o->probe.tool.json > 1)
		return command_usage(err, "only one of -f, --flame and --json may be given");
	if (o->probe.interval_ns && (o->flame || o->output))
		return command_usage(err, "-i cannot be combined with --flame and -o");
	return tool_threads_check(&o->probe.tool.threads, err);
}

static int choose(struct stackcount *self, struct option_words words, struct err *err)
{
	const struct stackcount_options *o = self->options;
	const struct tool_options *tool = &o->probe.tool;
	const struct probe_set_options how = { .pid = probe_tool_pid(tool),
					       .at_start = o->probe.at_start,
					       .kernel = true };
	struct source_options *source = &self->record.source;
	struct option_words probes;
	int code = probe_tool_words(words, &tool->threads, &probes, &self->program, err);

	if (!code)
		code = probe_tool_find(&self->set, probes, &how, &self->typed, err);
	if (code)
		return code;
	if (o->kernel_stacks && self->set.choice.places.count)
		return command_usage(err, "-K is for tracepoints and functions of the kernel: "
					  "a call in a program has no kernel stack");
	*source = (struct source_options){ .pids = tool->threads.pids,
					   .tids = tool->threads.tids,
					   .comm = tool->threads.comm,
					   .user_callchains = o->user_stacks,
					   .kernel_callchains = o->kernel_stacks,
					   .sweep_ms = SWEEP_MS,
					   .probes = &self->set.choice };
	source->system_wide = !self->program && !source->pids && !source->tids;
	self->record.duration_ns = tool->duration_ns;
	self->record.no_context = self->record.no_build_id = self->record.quiet = true;
	if (recording_options_check(&self->record, self->program != NULL, err))
		return EXIT_STATUS_USAGE;
	probe_tool_notes(&self->set, o->probe.verbose);
	if (probe_tool_user(o->probe.user, &source->uid_plus_one, err))
		return -1;
	return tool_cgroup(tool->threads.cgroup, &source->cgroup_id, err);
}

static void announce(const struct stackcount *self)
{
	const struct stackcount_options *o = self->options;
	struct err ignored = { 0 };
	struct buf out = { 0 };

	if (o->folded || o->probe.tool.json || o->output || o->flame)
		return;
	probe_tool_announce(&self->set, self->typed, &out);
	(void)buf_putc(&out, '\n');
	(void)command_end_output(0, NULL, &out, &ignored); /* a failure shows again at the end */
}

/* The kernel's sums are calls, and all of them. */
static void count_calls(struct profile *profile)
{
	for (size_t i = 0; i < profile->samples.count; i++)
		profile->samples.item[i].count = profile->samples.item[i].weight;
	for (size_t i = 0; i < profile->events.count; i++) {
		profile->events.item[i].samples = profile->events.item[i].weight;
		profile->events.item[i].exact = true;
	}
}

static int draw(const struct stackcount *self, struct profile *profile, struct err *err)
{
	const struct stackcount_options *o = self->options;
	struct buf title = { 0 };
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT,
					       .countname = "calls" };
	int code;

	count_calls(profile);
	(void)buf_puts(&title, "Calls of ");
	(void)buf_put_tidy(&title, self->typed);
	options.title = title.data;
	code = picture_write_flame(profile, &options, o->output ? o->output : DEFAULT_PICTURE, err);
	buf_done(&title);
	return code;
}

static int show(const struct stackcount *self, struct profile *profile, uint64_t lost,
		struct err *err)
{
	const struct stackcount_options *o = self->options;
	const struct counted_stacks_options view = { o->by_process, o->delimited, lost };
	uint64_t hits, whole;
	struct buf out = { 0 };

	counted_stacks_sum(profile, &hits, &whole);
	if (whole < hits)
		command_warn("%" PRIu64 " of %" PRIu64 " calls have stacks that end early; "
			     "--json shows why",
			     hits - whole, hits);
	if (lost)
		command_warn("%" PRIu64 " calls lost and missing below", lost);
	if (o->flame)
		return draw(self, profile, err);
	if (o->probe.interval_ns && !o->probe.tool.json && !o->folded)
		tool_put_head(o->probe.tool.timestamp, &out);
	(o->probe.tool.json ? counted_stacks_json
	 : o->folded	    ? counted_stacks_folded
			    : counted_stacks_text)(profile, &view, &out);
	return command_end_output(0, o->output, &out, err);
}

/* At an interval, of what came since the one before. */
static int show_interval(void *context, struct err *err)
{
	struct stackcount *self = context;
	int code = self->run ? live_settle(self->live, self->run, err) : 0;
	struct profile *profile = live_take(self->live);

	if (code) {
		profile_free(profile);
		return code;
	}
	counted_stacks_trim(profile);
	code = show(self, profile, profile->meta.lost_samples, err);
	profile_free(profile);
	return code;
}

static int attend(void *context, struct run *run, struct err *err)
{
	struct stackcount *self = context;

	(void)err;
	self->run = run;
	self->timer = (struct run_timer){ .interval_ns = self->options->probe.interval_ns,
					  .due = show_interval,
					  .context = self };
	run_add_timer(run, &self->timer);
	return 0;
}

static int record_by_interval(struct stackcount *self, struct recording_result *result,
			      struct err *err)
{
	const struct live_options live = {
		.symbol = { .inlines = self->options->inlines, .demangle = true, .symfs = "" },
		.stacks = true,
		.inlined = self->options->inlines,
	};
	int code = live_start(&live, &self->live, err);

	if (code)
		return code;
	self->record.attend = attend;
	self->record.attend_context = self;
	code = live_record(self->live, &self->record, self->program, result, err);
	self->run = NULL;
	if (!code)
		code = show_interval(self, err);
	live_free(self->live);
	return code;
}

static int record_all(struct stackcount *self, struct recording_result *result, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = self->options->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
	};
	struct profile *profile = NULL;
	struct load_live *live;
	int code = load_live_start(&load, &live, err), loaded;

	if (code)
		return code;
	self->record.output_queue = load_live_queue(live);
	code = session_record(&self->record, self->program, result, err);
	loaded = load_live_finish(live, code || !result->samples ? NULL : &profile, err);
	if (!code)
		code = loaded;
	if (!code) {
		profile = profile ? profile : profile_new(0); /* no calls */
		counted_stacks_trim(profile);
		code = show(self, profile, result->lost_samples + result->lost_records, err);
	}
	profile_free(profile);
	return code;
}

static int record_and_show(struct stackcount *self, struct err *err)
{
	struct recording_result result = { 0 };
	int code = self->options->probe.interval_ns ? record_by_interval(self, &result, err)
						    : record_all(self, &result, err);
	int status;

	command_print_notes(result.notes);
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	return status;
}

static int stackcount_main(const void *unused, const struct stackcount_options *options,
			   struct option_words words, struct err *err)
{
	struct stackcount self = { .options = options };
	int code = check(options, err);

	(void)unused;
	if (!code && options->flame && picture_check_name(options->output, err))
		code = EXIT_STATUS_USAGE;
	if (!code && options->flame)
		code = command_check_output(options->output ? options->output : DEFAULT_PICTURE,
					    err)
			       ? -1
			       : 0;
	if (!code)
		code = choose(&self, words, err);
	if (!code) {
		announce(&self);
		code = record_and_show(&self, err);
	}
	probe_set_done(&self.set);
	return code;
}

TOOL_COMMAND(stackcount, stackcount_main, NULL, .args = "[options] PROBE... [-- program arguments]",
	     .summary = "count calls of functions and other events by whole stack",
	     .options = stackcount_rows, .options_size = sizeof(struct stackcount_options),
	     .defaults = defaults, .keeps_dashes = true);
