/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel sched timehist: every turn of every thread, and sums. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/sched/sched_input.h"
#include "format/perf_data/perf_data.h"
#include "session/filter.h"
#include "session/sched/sched_trace.h"
#include "view/sched/sched_history.h"

struct timehist_options {
	struct sched_input_options input;
	const char *pids, *tids, *cpus, *priorities, *time;
	bool with_summary, chains, idle_only;
	uint64_t max_stack;
	struct sched_history_options view;
};

static const struct option_def timehist_rows[] = {
	{ "summary", 's', OPT_FLAG, NULL, OPT(timehist_options, view.summary_only),
	  "show only the summary per thread and CPU" },
	{ "with-summary", 'S', OPT_FLAG, NULL, OPT(timehist_options, with_summary),
	  "show the events and the summary" },
	{ "wakeups", 'w', OPT_FLAG, NULL, OPT(timehist_options, view.wakeups), "show wakeups" },
	{ "migrations", 'M', OPT_FLAG, NULL, OPT(timehist_options, view.migrations),
	  "show migrations between CPUs" },
	{ "next", 'n', OPT_FLAG, NULL, OPT(timehist_options, view.next),
	  "show the next thread on the CPU" },
	{ "cpu-visual", 'V', OPT_FLAG, NULL, OPT(timehist_options, view.cpu_visual),
	  "show CPUs as columns" },
	{ "state", 0, OPT_FLAG, NULL, OPT(timehist_options, view.state),
	  "show the thread state at switch-out; in the summary, why threads waited" },
	{ "show-prio", 0, OPT_FLAG, NULL, OPT(timehist_options, view.priority), "show priorities" },
	{ "idle-hist", 'I', OPT_FLAG, NULL, OPT(timehist_options, idle_only),
	  "attribute idle time to the thread that left the CPU" },
	{ "call-graph", 'g', OPT_FLAG, NULL, OPT(timehist_options, chains),
	  "show call chains, and the locks that threads wait for (default)" },
	{ "max-stack", 0, OPT_UINT, "N", OPT(timehist_options, max_stack),
	  "show at most N functions of a call chain (default 5)" },
	{ "Selection", 0, OPT_GROUP, NULL, 0, NULL },
	{ "pid", 'p', OPT_STR, "LIST", OPT(timehist_options, pids), "only these processes" },
	{ "tid", 't', OPT_STR, "LIST", OPT(timehist_options, tids), "only these threads" },
	{ "cpu", 'C', OPT_STR, "LIST", OPT(timehist_options, cpus), "only these CPUs" },
	{ "prio", 0, OPT_STR, "LIST", OPT(timehist_options, priorities), "only these priorities" },
	{ "time", 0, OPT_STR, "RANGE", OPT(timehist_options, time),
	  "only this time range: \"start,stop\" in seconds; time slices are cut at its ends" },
	{ .type = OPT_INCLUDE,
	  .include = sched_input_rows,
	  .offset = OPT(timehist_options, input) },
	{ 0 },
};

/* The lists of the command line; priorities are one list more of numbers. */
struct selection {
	struct filter *threads, *priorities, *cpus, *time;
	struct sched_sink sink; /* drops other CPUs' events */
	struct sched_sink *view;
};

static void timehist_defaults(void *options)
{
	struct timehist_options *o = options;

	o->max_stack = 5;
	o->chains = true;
}

static bool is_wanted(const void *context, const struct sched_task *task, int32_t priority)
{
	const struct selection *selection = context;
	struct filter_subject thread = { .comm = task->comm, .pid = task->pid, .tid = task->tid };
	struct filter_subject number = { .comm = "", .tid = (uint32_t)priority };

	return filter_match(selection->threads, &thread) &&
	       (priority < 0 || filter_match(selection->priorities, &number));
}

static void drop_other_cpus(struct sched_sink *sink, const struct sched_event *event)
{
	const struct selection *selection =
		(const struct selection *)((char *)sink - offsetof(struct selection, sink));
	struct filter_subject subject = { .comm = "", .cpu = event->cpu };

	if (filter_match(selection->cpus, &subject))
		selection->view->event(selection->view, event);
}

static void selection_done(struct selection *selection)
{
	filter_free(selection->threads);
	filter_free(selection->priorities);
	filter_free(selection->cpus);
	filter_free(selection->time);
}

static int select_events(const struct timehist_options *o, const struct perf_data_header *header,
			 struct selection *ret, struct err *err)
{
	struct filter_spec threads = { .pids = o->pids, .tids = o->tids };
	struct filter_spec priorities = { .tids = o->priorities };
	struct filter_spec cpus = { .cpus = o->cpus }, time = { .time = o->time };
	int code = filter_parse(&threads, 0, 0, &ret->threads, err);

	ret->sink.event = drop_other_cpus;
	if (!code)
		code = filter_parse(&priorities, 0, 0, &ret->priorities, err);
	if (!code)
		code = filter_parse(&cpus, 0, 0, &ret->cpus, err);
	if (!code)
		code = filter_parse(&time, header->first_ns, header->last_ns, &ret->time, err);
	return code;
}

static int print_history(const struct timehist_options *o, struct sched_input *input,
			 struct selection *selection, struct err *err)
{
	struct sched_history_options view = o->view;
	struct sched_history history;
	uint64_t end_ns;
	int code;

	view.summary |= o->with_summary;
	view.chains = o->chains;
	view.cpu_count = sched_input_cpus(input);
	if (selection->threads || selection->priorities)
		view.wanted = is_wanted;
	view.context = selection;
	sched_history_start(&history, &view, &input->out);
	history.times.idle_only = o->idle_only;
	filter_window(selection->time, &history.times.window.start_ns, &end_ns);
	history.times.window.end_ns = end_ns == UINT64_MAX ? 0 : end_ns;
	history.skipped = selection->cpus != NULL;
	selection->view = &history.sink;
	input->next_names = view.next;
	input->locks = view.chains && !view.summary_only;
	code = sched_input_read(input, &o->input, &selection->sink,
				!o->chains || view.summary_only ? 0 : (uint32_t)o->max_stack, err);
	if (!code) {
		sched_history_finish(&history);
		code = sched_input_flush(input, err);
	}
	sched_history_done(&history);
	return code;
}

static int show(void *context, struct sched_input *input, struct err *err)
{
	const struct timehist_options *o = context;
	struct selection selection = { 0 };
	int code = select_events(o, perf_data_header(input->data), &selection, err);

	if (!code)
		code = print_history(o, input, &selection, err);
	selection_done(&selection);
	return code;
}

static int timehist_run(void *options, int argc, char **argv, struct err *err)
{
	const struct timehist_options *o = options;

	return sched_input_run(&o->input, (struct option_words){ argc, argv }, show, options, err);
}

const struct command cmd_sched_timehist = {
	.name = "sched timehist",
	.args = "[options] [FILE]",
	.summary = "show every time slice of every thread, and a summary",
	.options = timehist_rows,
	.options_size = sizeof(struct timehist_options),
	.defaults = timehist_defaults,
	.run = timehist_run,
	.reads = true,
	.names_outputs = true,
};
