/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel collapse: any profile → folded stacks, with the options of stackcollapse-perf.pl. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/par.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "format/folded/fold_stacks.h"
#include "format/folded/folded.h"
#include "profile/call_tree.h"
#include "profile/redact.h"
#include "profile/waits/wait_chains.h"
#include "session/load/load.h"
#include "session/load/load_wait_chains.h"
#include "session/recording.h"
#include "view/text_report/text_report.h"

enum inline_choice { INLINE_SHOWN, INLINE_MARKED, INLINE_OFF };

struct collapse_options {
	const char *input;
	struct fold_options fold;
	bool all, perl_names, whole_names, keep_unfinished;
	enum inline_choice inlines;
	bool demangle, debuginfod;
	const char *symfs, *kallsyms, *vmlinux;
	const char *comms, *time;
	bool off_cpu, waker, wakers;
	struct option_list skip_after;
	bool merge_recursion, offsets, modules;
	const char *find, *output;
	uint64_t threads;
	bool quiet;
	struct redaction *redaction;
};

static int set_inline(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(enum inline_choice *)field = negated ? INLINE_OFF : INLINE_MARKED;
	return 0;
}

#define FOLD(field) OPT(collapse_options, fold.field)

static const struct option_def collapse_rows[] = {
	{ "Root frame", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "pid", 0, OPT_FLAG, NULL, FOLD(pid), "COMMAND-PID as the root frame", NULL, NULL },
	{ "tid", 0, OPT_FLAG, NULL, FOLD(tid), "COMMAND-PID/TID as the root frame", NULL, NULL },
	{ "no-comm", 0, OPT_FLAG, NULL, FOLD(no_comm), "no root frame for the command", NULL,
	  NULL },
	{ "Frames", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "kernel", 0, OPT_FLAG, NULL, FOLD(kernel), "mark kernel functions with _[k]", NULL,
	  NULL },
	{ "jit", 0, OPT_FLAG, NULL, FOLD(jit), "mark run-time compiled (JIT) functions with _[j]",
	  NULL, NULL },
	{ "all", 0, OPT_FLAG, NULL, OPT(collapse_options, all), "--kernel and --jit", NULL, NULL },
	{ "inline", 0, OPT_CALL, NULL, OPT(collapse_options, inlines),
	  "mark inlined functions with _[i]; with --no-inline, recordings are not searched for "
	  "them",
	  set_inline, NULL },
	{ "addrs", 0, OPT_FLAG, NULL, FOLD(addrs), "add the address where the function is unknown",
	  NULL, NULL },
	{ "srcline", 0, OPT_FLAG, NULL, FOLD(srcline), "add :FILE:LINE where known", NULL, NULL },
	{ "context", 0, OPT_FLAG, NULL, FOLD(context), "the same as --srcline", NULL, NULL },
	{ "skip-after", 0, OPT_LIST, "FUNCTION", OPT(collapse_options, skip_after),
	  "start stacks at FUNCTION, without its callers; may be repeated", NULL, NULL },
	{ "merge-recursion", 0, OPT_FLAG, NULL, OPT(collapse_options, merge_recursion),
	  "merge direct recursion into one frame", NULL, NULL },
	{ "includeoffset", 0, OPT_FLAG, NULL, OPT(collapse_options, offsets),
	  "DTrace stacks: keep +0xOFFSET", NULL, NULL },
	{ "modules", 0, OPT_FLAG, NULL, OPT(collapse_options, modules),
	  "sample and VTune reports: put module` before function names (default; --no-modules)",
	  NULL, NULL },
	{ "perl-names", 0, OPT_FLAG, NULL, OPT(collapse_options, perl_names),
	  "cut names exactly where stackcollapse-perf.pl does", NULL, NULL },
	{ "whole-names", 0, OPT_FLAG, NULL, OPT(collapse_options, whole_names),
	  "keep arguments and quotes in names", NULL, NULL },
	{ "Samples", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE,
	  .offset = OPT(collapse_options, redaction),
	  .include = redact_option_rows },
	{ "event-filter", 0, OPT_STR, "EVENT", FOLD(event), "only this event, not the first one",
	  NULL, NULL },
	{ "all-events", 0, OPT_FLAG, NULL, FOLD(all_events), "add up all events", NULL, NULL },
	{ "keep-unfinished", 0, OPT_FLAG, NULL, OPT(collapse_options, keep_unfinished),
	  "perf script text: keep a last stack without a blank line after it", NULL, NULL },
	{ "comms", 0, OPT_STR, "LIST", OPT(collapse_options, comms),
	  "recordings: only these commands", NULL, NULL },
	{ "time", 0, OPT_STR, "RANGE", OPT(collapse_options, time),
	  "recordings: only this time range: \"1.5,2.5\" in seconds, \"10%/2\", \"0%-20%\"", NULL,
	  NULL },
	{ "off-cpu", 0, OPT_FLAG, NULL, OPT(collapse_options, off_cpu),
	  "perf script text: off-CPU time, from sched_switch to sched_switch or from sched_stat_* "
	  "events",
	  NULL, NULL },
	{ "wake-stack", 0, OPT_FLAG, NULL, OPT(collapse_options, waker),
	  "with --off-cpu, or for recordings of -e off-cpu,wakeup: append the waker's stack, root "
	  "last, and its command",
	  NULL, NULL },
	{ "wake-chain", 0, OPT_FLAG, NULL, OPT(collapse_options, wakers),
	  "like --wake-stack, and append the waker's own wakers, as far as they are known", NULL,
	  NULL },
	{ "Input", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "input", 'i', OPT_STR, "FILE", OPT(collapse_options, input),
	  "profile to read, as the words do", NULL, NULL },
	{ "Symbols of recordings", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "demangle", 0, OPT_FLAG, NULL, OPT(collapse_options, demangle),
	  "demangle names (default; --no-demangle shows them raw)", NULL, NULL },
	{ "debuginfod", 0, OPT_FLAG, NULL, OPT(collapse_options, debuginfod),
	  "ask debuginfod servers for missing debug information", NULL, NULL },
	{ "symfs", 0, OPT_STR, "DIR", OPT(collapse_options, symfs),
	  "look for files under this directory", NULL, NULL },
	{ "kallsyms", 0, OPT_STR, "FILE", OPT(collapse_options, kallsyms),
	  "kernel symbols (default /proc/kallsyms)", NULL, NULL },
	{ "vmlinux", 0, OPT_STR, "FILE", OPT(collapse_options, vmlinux),
	  "kernel image with symbols", NULL, NULL },
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL, NULL, NULL },
	{ "header", 0, OPT_FLAG, NULL, FOLD(header),
	  "first write a comment that says what the weights are, for cupel diff", NULL, NULL },
	{ "find", 0, OPT_STR, "REGEX", OPT(collapse_options, find),
	  "print the share of each event with a matching function or command, no stacks", NULL,
	  NULL },
	{ "output", 'o', OPT_OUTPUT, "FILE", OPT(collapse_options, output),
	  "write to FILE instead of standard output", NULL, NULL },
	{ "nthreads", 'n', OPT_UINT, "N", OPT(collapse_options, threads),
	  "use at most N CPUs (default all)", NULL, NULL },
	{ "quiet", 'q', OPT_FLAG, NULL, OPT(collapse_options, quiet), "print errors only", NULL,
	  NULL },
	{ .type = OPT_INCLUDE, .include = accepted_collapse_rows },
	{ 0 },
};

/* stackcollapse-perf.pl omits such a stack without a message. A stack that is the only one stays.
 */
static void leave_out_unfinished(struct profile *profile, bool quiet)
{
	const struct profile_sample *last = &profile->meta.unfinished;

	if (profile->samples.count == 1 && profile->samples.item[0].count == last->count)
		return;
	for (size_t i = 0; last->count && i < profile->samples.count; i++) {
		struct profile_sample *s = &profile->samples.item[i];

		if (s->stack.v != last->stack.v || s->thread.v != last->thread.v ||
		    s->event != last->event || s->count < last->count)
			continue;
		s->count -= last->count;
		s->weight -= last->weight;
		if (quiet)
			return;
		command_warn("the text ends inside the last stack; stack dropped "
			     "(--keep-unfinished keeps it)");
		return;
	}
}

static void warn_other_events(const struct profile *profile, const struct fold_options *fold)
{
	AUTO_FREE bool *picked = mem_zalloc(profile->events.count + 1);
	unsigned long long samples = 0;
	size_t others = 0, count = profile_pick_events(profile, fold->event, picked);

	for (size_t i = 0; count && i < profile->events.count; i++)
		if (!picked[i] && profile->events.item[i].samples) {
			samples += profile->events.item[i].samples;
			others++;
		}
	if (others && !fold->event)
		command_warn("%llu sample%s of %zu other event%s not shown (--event-filter "
			     "selects an event, --all-events adds them up)",
			     samples, samples == 1 ? "" : "s", others, others > 1 ? "s" : "");
}

static void cut_stacks(const struct collapse_options *options, struct profile *profile)
{
	struct fold_cuts cuts = { .skip_after = options->skip_after.item,
				  .skip_after_count = options->skip_after.count,
				  .merge_recursion = options->merge_recursion };

	fold_stacks(profile, &options->fold, &cuts);
}

struct waits_loaded {
	struct profile *profile;
	const char *event; /* to show */
};

/* Includes wakers on request: those of a text are added while reading, those of a recording form a
 * separate event. */
static int load_waits(const struct collapse_options *options, const char *path,
		      const struct load_options *load, struct waits_loaded *ret, struct err *err)
{
	const struct wait_chains_options chains = { .levels = options->wakers ? 0 : 1,
						    .with_tids = load->read.waker_tids };
	struct wait_chains_loaded loaded;
	int code;

	ret->event = options->fold.event;
	if (!options->waker && !options->wakers)
		return session_load(path, load, &ret->profile, err);
	code = session_load_wait_chains(path, load, &chains, &loaded, err);
	if (code)
		return code;
	if (loaded.wakeups)
		ret->event = WAIT_CHAINS_EVENT;
	ret->profile = loaded.profile;
	return 0;
}

static int find(const struct collapse_options *options, const struct fold_options *fold,
		const struct profile *profile, struct buf *ret, struct err *err)
{
	const struct text_report_query query = { .regex = options->find, .event = fold->event };

	return text_report_find(profile, &query, ret, err);
}

static int collapse_one(const struct collapse_options *options, const char *path, struct buf *ret,
			struct err *err)
{
	struct load_options load = {
		.symbol = { .inlines = options->inlines != INLINE_OFF,
			    .lines = options->fold.srcline || options->fold.context,
			    .demangle = options->demangle,
			    .debuginfod = options->debuginfod,
			    .symfs = options->symfs ? options->symfs : "",
			    .kallsyms_path = options->kallsyms,
			    .vmlinux_path = options->vmlinux },
		.detail = options->fold.addrs || options->fold.srcline || options->fold.context
				  ? RESOLVE_ADDRESSES
				  : RESOLVE_NAMES,
		.read = { .wakers = options->wakers  ? FORMAT_WAKERS_ALL
				    : options->waker ? FORMAT_WAKERS_ONE
						     : FORMAT_WAKERS_NONE,
			  .waker_tids = options->fold.pid || options->fold.tid,
			  .offsets = options->offsets,
			  .no_modules = !options->modules },
		.off_cpu = options->off_cpu,
		.merge_threads = !options->fold.pid && !options->fold.tid,
		.comms = options->comms,
		.time = options->time,
		.redaction = options->redaction,
	};
	struct fold_options fold = options->fold;
	struct waits_loaded loaded;
	struct profile *profile;
	int r = load_waits(options, path, &load, &loaded, err);

	if (r)
		return r;
	fold.event = loaded.event;
	profile = loaded.profile;
	if (!options->keep_unfinished)
		leave_out_unfinished(profile, options->quiet);
	if (options->fold.no_comm) /* else such samples would have no line */
		profile_name_empty_stacks(profile);
	if (options->skip_after.count || options->merge_recursion)
		cut_stacks(options, profile);
	if (!fold.all_events && !options->find && !options->quiet)
		warn_other_events(profile, &fold);
	if (!options->quiet)
		input_warn_missing(path, profile);
	r = options->find ? find(options, &fold, profile, ret, err)
			  : folded_write(profile, &fold, ret, err);
	profile_free(profile);
	return r;
}

/* Several inputs are folded one by one and added up as folded text. */
static int merge(struct buf *text, struct err *err)
{
	static const struct fold_options as_it_is = { .names = FOLD_NAMES_WHOLE };
	struct profile *profile = profile_new(0);
	int r;

	folded_parse(text->data ? text->data : "", text->len, profile);
	buf_clear(text);
	r = folded_write(profile, &as_it_is, text, err);
	profile_free(profile);
	return r;
}

static int collapse_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct collapse_options *options = poptions;
	struct buf text = { 0 };
	int r = 0;

	if (options->perl_names && options->whole_names)
		return command_usage(err, "--perl-names and --whole-names cannot be combined");
	par_limit((size_t)options->threads);
	options->fold.names = options->perl_names    ? FOLD_NAMES_PERL
			      : options->whole_names ? FOLD_NAMES_WHOLE
						     : FOLD_NAMES_TIDY;
	options->fold.inlined = options->inlines == INLINE_MARKED;
	options->fold.kernel |= options->all;
	options->fold.jit |= options->all;
	if (options->input)
		r = collapse_one(options, options->input, &text, err);
	else if (argc == 0)
		r = collapse_one(options, command_default_input(), &text, err);
	for (int i = 0; r == 0 && i < argc; i++)
		r = collapse_one(options, argv[i], &text, err);
	if (r == 0 && argc + (options->input != NULL) > 1 && !options->find &&
	    !options->fold.header)
		r = merge(&text, err);
	return command_end_output(r, options->output, &text, err) ? -1 : EXIT_STATUS_OK;
}

static void collapse_defaults(void *options)
{
	((struct collapse_options *)options)->demangle = true;
	((struct collapse_options *)options)->modules = true;
}

static void collapse_done(void *options)
{
	redaction_free(((struct collapse_options *)options)->redaction);
}

const struct command cmd_collapse = {
	.name = "collapse",
	.args = "[options] [INPUT...]",
	.summary = "fold the stacks of a profile into one line each",
	.options = collapse_rows,
	.options_size = sizeof(struct collapse_options),
	.defaults = collapse_defaults,
	.run = collapse_run,
	.done = collapse_done,
	.reads = true,
	.names_outputs = true,
};
