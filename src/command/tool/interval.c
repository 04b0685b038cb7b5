/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of the scheduler's intervals (see interval.h). */
#include "command/tool/interval.h"

#include <string.h>

#include "base/err.h"
#include "event/event.h"
#include "source/id_list.h"
#include "view/ledger/interval_histogram.h"

#define FIELD(name) OPT(interval_options, name)

const struct option_def interval_rows[] = {
	{ .type = OPT_INCLUDE, .include = tool_thread_rows },
	{ "milliseconds", 'm', OPT_FLAG, NULL, FIELD(milliseconds),
	  "count in milliseconds instead of microseconds" },
	{ "nanoseconds", 'N', OPT_FLAG, NULL, FIELD(nanoseconds), "count in nanoseconds" },
	{ "pids", 'P', OPT_FLAG, NULL, FIELD(processes), "one distribution per process" },
	{ "tids", 'L', OPT_FLAG, NULL, FIELD(threads), "one distribution per thread" },
	{ "comms", 0, OPT_FLAG, NULL, FIELD(names), "one distribution per thread name" },
	{ .type = OPT_INCLUDE, .include = tool_count_rows },
	{ 0 },
};

struct interval_run {
	struct tool_run run; /* first */
	struct interval_view view;
	struct id_list tids; /* empty = all */
	/* What threads had that have ended; what those have that live; all at the last look, and
	 * what came since the look before. */
	struct interval_histograms ended, living, all, fresh;
};

static enum interval_group group_of(const struct interval_options *o)
{
	return o->threads      ? INTERVAL_THREAD
	       : o->processes  ? INTERVAL_PROCESS
	       : o->names      ? INTERVAL_NAME
	       : o->namespaces ? INTERVAL_PID_NAMESPACE
			       : INTERVAL_ALL;
}

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	struct interval_run *self = (struct interval_run *)run;
	const struct interval_options *o = run->options;
	struct ledger_choice *ledger = &run->watch.options.ledger;

	(void)words;
	ledger->idle = o->idle && run->watch.options.system_wide;
	ledger->histogram_unit_ns = o->milliseconds ? 1000000 : o->nanoseconds ? 1 : 1000;
	run->map_view.unit_ns = ledger->histogram_unit_ns;
	run->map_view.title = self->view.what = o->what;
	self->view.unit = o->milliseconds ? "msecs" : o->nanoseconds ? "nsecs" : "usecs";
	self->view.unit_ns = o->totals ? ledger->histogram_unit_ns : 0;
	self->ended.group = group_of(o);
	self->living.group = self->all.group = self->fresh.group = self->ended.group;
	return id_list_parse(o->tool.threads.tids, "thread", &self->tids, err);
}

static void put_head(const struct tool_run *run, struct buf *out)
{
	const struct interval_options *o = run->options;

	(void)buf_printf(out, "Tracing %s... Hit Ctrl-C to end.\n", o->what);
}

static bool is_chosen(const struct interval_run *self, const struct ledger_thread *thread)
{
	const char *comm = self->run.watch.options.comm;
	bool listed = !self->tids.count;

	for (size_t i = 0; i < self->tids.count; i++)
		listed |= (uint32_t)self->tids.item[i] == thread->tid;
	return listed && (!comm || strncmp(comm, thread->comm, sizeof(thread->comm)) == 0);
}

static void take(struct tool_run *run, const struct event *event)
{
	struct interval_run *self = (struct interval_run *)run;
	const struct interval_options *o = run->options;
	const struct ledger_thread *thread = event->ledger_thread;

	if (event->type == EVENT_LEDGER_THREAD && is_chosen(self, thread))
		interval_histograms_add(thread->end_ns ? &self->ended : &self->living, thread,
					o->interval);
}

static void look(struct tool_run *run)
{
	struct interval_run *self = (struct interval_run *)run;
	struct interval_histograms before = self->all;

	interval_histograms_done(&self->fresh);
	self->all = self->fresh = (struct interval_histograms){ .group = before.group };
	interval_histograms_merge(&self->all, &self->ended);
	interval_histograms_merge(&self->all, &self->living);
	interval_histograms_merge(&self->fresh, &self->all);
	interval_histograms_subtract(&self->fresh, &before);
	interval_histograms_done(&self->living);
	interval_histograms_done(&before);
	self->living = (struct interval_histograms){ .group = before.group };
}

static void draw(struct tool_run *run, uint64_t time_ns)
{
	interval_histograms_map(&((struct interval_run *)run)->fresh, time_ns, &run->map);
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct interval_run *self = (const struct interval_run *)run;
	const struct interval_options *o = run->options;

	(o->tool.json ? interval_histograms_json : interval_histograms_text)(
		run->interval.prints ? &self->fresh : &self->all, &self->view, out);
}

static void done(struct tool_run *run)
{
	struct interval_run *self = (struct interval_run *)run;

	vec_done(&self->tids);
	interval_histograms_done(&self->ended);
	interval_histograms_done(&self->living);
	interval_histograms_done(&self->all);
	interval_histograms_done(&self->fresh);
}

const struct tool interval_tool = {
	.source = "ledger",
	.state_size = sizeof(struct interval_run),
	.map = { .thing = "intervals" },
	.map_column_ns = 250000000,
	.set_up = set_up,
	.put_head = put_head,
	.take = take,
	.look = look,
	.draw = draw,
	.print = print,
	.done = done,
};
