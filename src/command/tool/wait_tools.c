/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel offcputime, wakeuptime and offwaketime: the same waits, added up in three ways. They are
 * recorded as -e off-cpu does, but all added up in the kernel, for single ones are not shown. */
#include "command/tool/wait_tools.h"

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "event/ledger_account.h"
#include "profile/waits/waits.h"
#include "session/record/recording_options.h"
#include "view/wait_stacks.h"

#define WAITS ((1u << LEDGER_ACCOUNTS) - (1u << LEDGER_LOCK)) /* blocked and idle */

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

static const struct option_def rows[] = {
	{ "Threads", 0, OPT_GROUP, NULL, 0, NULL },
	{ .type = OPT_INCLUDE, .offset = FIELD(stacks.threads), .include = tool_thread_rows },
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
	{ .type = OPT_INCLUDE, .include = stack_tool_rows },
	{ .type = OPT_INCLUDE, .include = accepted_wait_rows },
	{ 0 },
};

static void defaults(void *options)
{
	stack_tool_defaults(options);
	((struct wait_tool_options *)options)->min_us = 1;
}

static enum waits_by waits_by(const struct stack_tool *tool)
{
	return tool == &offcputime   ? WAITS_BY_SLEEPER
	       : tool == &wakeuptime ? WAITS_BY_WAKER
				     : WAITS_BY_BOTH;
}

int wait_tool_choose(const struct stack_tool *tool, const struct wait_tool_options *o,
		     struct recording_off_cpu *ret, struct err *err)
{
	bool preempted = o->state.given && !o->state.mask;
	enum waits_by by = waits_by(tool);

	/* As BCC does: a wait is over when the thread has a CPU again. Of wakers, when it is woken.
	 */
	ret->until_running = by != WAITS_BY_WAKER;
	ret->accounts = preempted ? 1u << LEDGER_PREEMPTED : WAITS;
	if (!o->state.given && by == WAITS_BY_SLEEPER)
		ret->accounts |= 1u << LEDGER_PREEMPTED;
	ret->task_states = o->state.mask;
	ret->thresh_given = true;
	ret->thresh_ns = o->stacks.heat_map ? 0 : UINT64_MAX;
	ret->min_ns = o->min_us * 1000;
	ret->max_ns = o->max_us ? o->max_us * 1000 + 999 : 0;
	ret->no_user_threads = o->kernel_threads;
	ret->no_kernel_threads = o->user_threads;
	return tool_cgroup(o->stacks.threads.cgroup, &ret->cgroup_id, err);
}

static int set_up(const struct stack_tool *tool, const void *options,
		  struct recording_options *record, struct err *err)
{
	const struct wait_tool_options *o = options;

	if (o->user_threads && o->kernel_threads)
		return command_usage(err, "-u and -k cannot be combined");
	if (o->max_us && o->max_us < o->min_us)
		return command_usage(err, "-M must not be less than -m");
	if (o->kernel_threads && o->stacks.user_stacks && tool == &offcputime)
		return command_usage(
			err, "-k and -U cannot be combined: kernel threads have no user stacks");
	return wait_tool_choose(tool, o, &record->source.off_cpu, err) ? -1 : 0;
}

static void put_subject(const struct stack_tool *tool, const void *options, bool program,
			struct buf *out)
{
	const struct wait_tool_options *o = options;
	const struct tool_threads *threads = &o->stacks.threads;
	bool both = tool == &offwaketime;

	if (threads->pids || threads->tids)
		(void)buf_printf(out, "%s %s", threads->pids ? "PID" : "TID",
				 threads->pids ? threads->pids : threads->tids);
	else
		(void)buf_puts(out, program		? "the program"
				    : o->user_threads	? "user threads"
				    : o->kernel_threads ? "kernel threads"
							: "all threads");
	(void)buf_printf(out, " by %s%s stack%s",
			 o->stacks.user_stacks	   ? "user"
			 : o->stacks.kernel_stacks ? "kernel"
						   : "user + kernel",
			 both ? " off-CPU and waker" : "", both ? "s" : "");
}

static void print(const struct stack_tool *tool, const void *options, const struct profile *profile,
		  struct buf *out)
{
	const struct stack_tool_options *o = options;
	const struct waits_selection selection = { waits_by(tool), o->threads.comm };
	const struct wait_stacks_options view = { o->folded, o->delimited, tool->what };
	struct waits waits;

	waits_collect(profile, &selection, &waits);
	(o->json ? wait_stacks_json : wait_stacks_text)(profile, &waits, &view, out);
	waits_done(&waits);
}

static bool draws(const void *options, const struct profile *profile,
		  const struct profile_sample *sample)
{
	return waits_has(profile, sample,
			 ((const struct stack_tool_options *)options)->threads.comm);
}

#define WAIT_TOOL(title, recorded, shown, says)                                              \
	const struct stack_tool title = { .event = recorded,                                 \
					  .what = shown,                                     \
					  .thing = "waits",                                  \
					  .set_up = set_up,                                  \
					  .put_subject = put_subject,                        \
					  .print = print,                                    \
					  .draws = draws };                                  \
	TOOL_COMMAND(title, stack_tool_main, &title,                                         \
		     .args = "[options] [duration | -- program arguments]", .summary = says, \
		     .options = rows, .options_size = sizeof(struct wait_tool_options),      \
		     .defaults = defaults, .keeps_dashes = true)

WAIT_TOOL(offcputime, "off-cpu", "off-CPU time", "sum off-CPU time by stack");
WAIT_TOOL(wakeuptime, "off-cpu,wakeup", "blocked time", "sum blocked time by the waker's stack");
WAIT_TOOL(offwaketime, "off-cpu,wakeup", "blocked time",
	  "sum blocked time by the thread's stack and the waker's stack");
