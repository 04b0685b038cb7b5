/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits with stacks (see wait_tool.h): recorded as -e off-cpu does, but added up in the kernel all
 * of them, for single ones are not shown. */
#include "command/tool/wait_tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/record/record_options.h"
#include "event/ledger_account.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_live.h"
#include "session/record/recorder.h"
#include "view/latency/latency_map.h"

#define MAP_COLUMNS 300
#define WAITS	    ((1u << LEDGER_ACCOUNTS) - (1u << LEDGER_LOCK)) /* blocked and idle */

const struct wait_tool_subject offcputime = { WAITS_BY_SLEEPER, "off-CPU time", "off-cpu" };
const struct wait_tool_subject wakeuptime = { WAITS_BY_WAKER, "blocked time", "off-cpu,wakeup" };
const struct wait_tool_subject offwaketime = { WAITS_BY_BOTH, "blocked time", "off-cpu,wakeup" };

static int set_state(void *field, const char *value, bool negated, struct err *err)
{
	struct wait_tool_state *state = field;
	uint64_t mask;

	(void)negated;
	if (option_parse_number(OPT_UINT, value, &mask, err))
		return err->code;
	*state = (struct wait_tool_state){ true, (uint32_t)mask };
	return 0;
}

#define FIELD(name) OPT(wait_tool_options, name)

const struct option_def wait_tool_selection_rows[] = {
	{ "Threads", 0, OPT_GROUP, NULL, 0, NULL },
	{ .type = OPT_INCLUDE, .offset = FIELD(threads), .include = tool_thread_rows },
	{ "user-threads-only", 'u', OPT_FLAG, NULL, FIELD(user_threads),
	  "user threads only (no kernel threads)" },
	{ "useronly", 0, OPT_FLAG, NULL, FIELD(user_threads), NULL },
	{ "kernel-threads-only", 'k', OPT_FLAG, NULL, FIELD(kernel_threads),
	  "kernel threads only" },
	{ "Waits", 0, OPT_GROUP, NULL, 0, NULL },
	{ "min-block-time", 'm', OPT_UINT, "US", FIELD(min_us),
	  "only waits of at least this many microseconds (default 1)" },
	{ "max-block-time", 'M', OPT_UINT, "US", FIELD(max_us),
	  "only waits of at most this many microseconds" },
	{ "state", 0, OPT_CALL, "MASK", FIELD(state),
	  "only waits in these thread states, as bits: 1 = interruptible, "
	  "2 = uninterruptible; 0 = preempted",
	  set_state },
	{ 0 },
};

const struct option_def wait_tool_output_rows[] = {
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "user-stacks-only", 'U', OPT_FLAG, NULL, FIELD(user_stacks), "user part of stacks only" },
	{ "kernel-stacks-only", 'K', OPT_FLAG, NULL, FIELD(kernel_stacks),
	  "kernel part of stacks only" },
	{ "folded", 'f', OPT_FLAG, NULL, FIELD(view.folded), "print folded stacks, one per line" },
	{ "delimited", 'd', OPT_FLAG, NULL, FIELD(view.delimited),
	  "print a delimiter between the kernel and user parts of stacks" },
	{ "json", 0, OPT_FLAG, NULL, FIELD(json), "print JSON, times in nanoseconds" },
	{ "inline", 0, OPT_FLAG, NULL, FIELD(inlines),
	  "show inlined functions (default; --no-inline leaves them out)" },
	{ "output", 'o', OPT_OUTPUT, "FILE", FIELD(output), "write to FILE" },
	{ "heatmap", 0, OPT_OUTPUT, "FILE", FIELD(heat_map),
	  "write a heat map of wait times over time to FILE (.svg or .html); records each wait" },
	{ .type = OPT_INCLUDE, .include = accepted_wait_rows },
	{ 0 },
};

void wait_tool_defaults(struct wait_tool_options *options)
{
	options->min_us = 1;
	options->inlines = true;
}

static int check(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
		 struct err *err)
{
	if (o->user_stacks && o->kernel_stacks)
		return command_usage(err, "-U and -K cannot be combined");
	if (o->user_threads && o->kernel_threads)
		return command_usage(err, "-u and -k cannot be combined");
	if (o->view.folded && o->json)
		return command_usage(err, "-f and --json cannot be combined");
	if (o->max_us && o->max_us < o->min_us)
		return command_usage(err, "-M must not be less than -m");
	if (o->kernel_threads && o->user_stacks && subject->by == WAITS_BY_SLEEPER)
		return command_usage(
			err, "-k and -U cannot be combined: kernel threads have no user stacks");
	return tool_threads_check(&o->threads, err);
}

int wait_tool_choose(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
		     struct recording_off_cpu *ret, struct err *err)
{
	bool preempted = o->state.given && !o->state.mask;

	/* As BCC does: a wait is over when the thread has a CPU again. Of wakers, when it is woken.
	 */
	ret->until_running = subject->by != WAITS_BY_WAKER;
	ret->accounts = preempted ? 1u << LEDGER_PREEMPTED : WAITS;
	if (!o->state.given && subject->by == WAITS_BY_SLEEPER)
		ret->accounts |= 1u << LEDGER_PREEMPTED;
	ret->task_states = o->state.mask;
	ret->thresh_given = true;
	ret->thresh_ns = o->heat_map ? 0 : UINT64_MAX;
	ret->min_ns = o->min_us * 1000;
	ret->max_ns = o->max_us ? o->max_us * 1000 + 999 : 0;
	ret->no_user_threads = o->kernel_threads;
	ret->no_kernel_threads = o->user_threads;
	return tool_cgroup(o->threads.cgroup, &ret->cgroup_id, err);
}

/* "PID 12", "all threads" */
static void put_whose(const struct wait_tool_options *o, bool program, struct buf *out)
{
	const struct tool_threads *threads = &o->threads;

	if (threads->pids || threads->tids)
		(void)buf_printf(out, "%s %s", threads->pids ? "PID" : "TID",
				 threads->pids ? threads->pids : threads->tids);
	else
		(void)buf_puts(out, program		? "the program"
				    : o->user_threads	? "user threads"
				    : o->kernel_threads ? "kernel threads"
							: "all threads");
}

static void announce(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
		     const struct recording_options *record, bool program)
{
	struct err ignored = { 0 };
	struct buf out = { 0 };

	(void)buf_printf(&out, "Tracing %s (us) of ", subject->what);
	put_whose(o, program, &out);
	(void)buf_printf(&out, " by %s%s stack%s",
			 o->user_stacks	    ? "user"
			 : o->kernel_stacks ? "kernel"
					    : "user + kernel",
			 subject->by == WAITS_BY_BOTH ? " off-CPU and waker" : "",
			 subject->by == WAITS_BY_BOTH ? "s" : "");
	if (record->duration_ns)
		(void)buf_printf(&out, " for %g secs.\n", (double)record->duration_ns / 1e9);
	else
		(void)buf_puts(&out, program ? ".\n" : "... Hit Ctrl-C to end.\n");
	(void)command_end_output(0, NULL, &out, &ignored); /* a failure shows again at the end */
}

static int draw(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
		const struct profile *profile, struct err *err)
{
	const struct latency_map_options view = { .title = subject->what,
						  .thing = "waits",
						  .unit_ns = 1000 };
	struct latency_map map = { .start_ns = profile->meta.first_ns };
	int code;

	/* A few hundred columns, each of a millisecond at least. */
	map.column_ns =
		(profile->meta.last_ns - map.start_ns) / MAP_COLUMNS / 1000000 * 1000000 + 1000000;
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		if (waits_has(profile, sample, o->threads.comm))
			latency_map_add(&map, sample->time_ns,
					latency_map_row(sample->weight / 1000), 1);
	}
	code = tool_write_map(o->heat_map, &map, &view, err);
	latency_map_done(&map);
	return code;
}

static int print(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
		 const struct profile *profile, struct err *err)
{
	struct waits_selection selection = { subject->by, o->threads.comm };
	struct wait_stacks_options view = o->view;
	struct buf out = { 0 };
	struct waits waits;

	view.what = subject->what;
	waits_collect(profile, &selection, &waits);
	if (!o->json && !view.folded)
		(void)buf_putc(&out, '\n');
	if (o->json)
		wait_stacks_json(profile, &waits, &view, &out);
	else
		wait_stacks_text(profile, &waits, &view, &out);
	waits_done(&waits);
	return command_end_output(0, o->output, &out, err);
}

/* Takes the live object. */
static int show(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
		struct load_live *live, struct err *err)
{
	struct profile *profile;
	int code = load_live_finish(live, &profile, err);

	if (code)
		return code;
	code = print(o, subject, profile, err);
	if (!code && o->heat_map)
		code = draw(o, subject, profile, err);
	profile_free(profile);
	return code;
}

/* An empty result is valid: no wait was that long. */
static int show_nothing(const struct wait_tool_options *o, const struct wait_tool_subject *subject,
			const struct recording_result *result, struct err *err)
{
	struct profile *profile = profile_new(0);
	int code = print(o, subject, profile, err);

	profile_free(profile);
	command_warn("%s: no matching wait in %.1f ms", subject->what,
		     (double)result->duration_ns / 1e6);
	return code;
}

static void warn(const struct recording_result *result)
{
	unsigned long long lost = result->lost_samples + result->lost_records;

	command_print_notes(result->notes);
	if (lost)
		command_warn("%llu wait%s lost and missing below", lost, lost == 1 ? "" : "s");
}

static int record_and_show(const struct wait_tool_options *o,
			   const struct wait_tool_subject *subject,
			   struct recording_options *record, char **program, struct err *err)
{
	const struct load_options load = {
		.symbol = { .inlines = o->inlines, .demangle = true, .symfs = "" },
		.detail = RESOLVE_NAMES,
		.keep = PROFILE_KEEP_TIME
	};
	struct recording_result result;
	struct load_live *live;
	int status, code;

	if (load_live_start(&load, &live, err))
		return -1;
	record->output_queue = load_live_queue(live);
	code = session_record(record, program, &result, err);
	if (!code)
		warn(&result);
	if (!code && result.samples) {
		code = show(o, subject, live, err);
	} else {
		(void)load_live_finish(live, NULL, NULL);
		code = code ? code : show_nothing(o, subject, &result, err);
	}
	status = command_program_status(code, result.launched, result.exit_status, err);
	recording_result_done(&result);
	return status;
}

static int parse_words(struct option_words words, struct recording_options *record,
		       char ***ret_program, struct err *err)
{
	*ret_program = NULL;
	if (words.argc && strcmp(words.argv[0], "--") == 0) {
		if (words.argc == 1)
			return command_usage(err, "missing program after --");
		*ret_program = words.argv + 1;
		return 0;
	}
	if (words.argc > 1)
		return command_usage(err, "unexpected argument '%s'; put the program after --",
				     words.argv[1]);
	if (words.argc &&
	    option_parse_number(OPT_DURATION, words.argv[0], &record->duration_ns, err))
		return EXIT_STATUS_USAGE;
	if (words.argc && !record->duration_ns)
		return command_usage(err, "expected a duration above 0");
	return 0;
}

int wait_tool_run(const struct wait_tool_options *options, const struct wait_tool_subject *subject,
		  struct option_words words, struct err *err)
{
	struct recording_options record = { .source = { .pids = options->threads.pids,
							.tids = options->threads.tids,
							.user_callchains = options->user_stacks,
							.kernel_callchains =
								options->kernel_stacks } };
	const struct record_selector selector = { .text = subject->event };
	char **program;
	int code = check(options, subject, err);

	if (!code)
		code = parse_words(words, &record, &program, err);
	if (code)
		return code;
	if (wait_tool_choose(options, subject, &record.source.off_cpu, err))
		return -1;
	record.source.system_wide = !program && !record.source.pids && !record.source.tids;
	vec_push(&record.source.selector, selector);
	if (recording_options_check(&record, program != NULL, err)) {
		code = EXIT_STATUS_USAGE;
	} else {
		if (!options->view.folded && !options->json && !options->output)
			announce(options, subject, &record, program != NULL);
		code = record_and_show(options, subject, &record, program, err);
	}
	recording_options_done(&record);
	return code;
}
