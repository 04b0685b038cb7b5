/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the scheduler's history (see sched_history.h). */
#include "view/sched/sched_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "view/sched/sched_time_text.h"

#define TASK_WIDTH 30

static void put_padded_task(struct buf *ret, const struct sched_task *task)
{
	size_t start = ret->len;

	sched_put_task(ret, task);
	if (ret->len - start < TASK_WIDTH)
		(void)buf_pad(ret, ' ', TASK_WIDTH - (ret->len - start));
}

static bool is_wanted(struct sched_history *history, const struct sched_task *task,
		      int32_t priority)
{
	const struct sched_history_options *o = history->options;

	if (!o->wanted || o->wanted(o->context, task, priority))
		return true;
	history->skipped = true;
	return false;
}

static void put_start(const struct sched_history *history, const struct sched_event *event,
		      uint64_t time_ns)
{
	sched_put_time(history->out, time_ns, 15);
	(void)buf_putc(history->out, ' ');
	sched_put_cpu(history->out, event->cpu);
	(void)buf_putc(history->out, ' ');
}

/* One column per CPU with a mark in that of the event. */
static void put_visual(const struct sched_history *history, uint32_t cpu, char mark)
{
	if (!history->options->cpu_visual)
		return;
	(void)buf_putc(history->out, ' ');
	for (uint32_t i = 0; i < history->options->cpu_count; i++)
		(void)buf_putc(history->out, i == cpu ? mark : ' ');
	(void)buf_putc(history->out, ' ');
}

static void put_turn(const struct sched_history *history, const struct sched_event *event,
		     const struct sched_turn *turn)
{
	const struct sched_history_options *o = history->options;

	put_padded_task(history->out, event->current);
	(void)buf_putc(history->out, ' ');
	if (o->priority)
		(void)buf_printf(history->out, " %-8" PRId32 " ", event->leave.prev_priority);
	sched_put_ms(history->out, turn->sleep + turn->disk + turn->preempted, 6);
	sched_put_ms(history->out, turn->delay, 7);
	sched_put_ms(history->out, turn->run, 7);
	(void)buf_putc(history->out, ' ');
	if (o->state)
		(void)buf_printf(history->out, " %5c ",
				 sched_is_idle(event->current) ? 'I' : event->leave.state);
}

static void put_next(const struct sched_history *history, const struct sched_event *event)
{
	char text[TASK_WIDTH];

	if (!history->options->next)
		return;
	(void)snprintf(text, sizeof(text), "next: %s[%" PRIu32 "]", event->leave.next_comm,
		       event->leave.next->tid);
	(void)buf_printf(history->out, " %-*s", TASK_WIDTH, text);
}

static void take_switch(struct sched_history *history, const struct sched_event *event)
{
	const struct sched_history_options *o = history->options;
	bool wanted = is_wanted(history, event->current, event->leave.prev_priority);
	uint64_t now_ns;

	if (history->times.idle_only && !sched_is_idle(event->current) &&
	    !sched_is_idle(event->leave.next)) {
		wanted = false;
		history->skipped = true;
	}
	if (!sched_times_switch(&history->times, event, wanted, &now_ns) || o->summary_only ||
	    (history->times.idle_only && !sched_is_idle(event->current)))
		return;
	put_start(history, event, now_ns);
	put_visual(history, event->cpu, sched_is_idle(event->current) ? 'i' : 's');
	(void)buf_putc(history->out, ' ');
	put_turn(history, event, &sched_times_leaver(&history->times, event)->last);
	put_next(history, event);
	if (o->wakeups && !o->next)
		(void)buf_pad(history->out, ' ', TASK_WIDTH + 2);
	if (o->chains && event->leave.chain)
		(void)buf_printf(history->out, "   %s", event->leave.chain);
	if (o->chains && event->leave.lock)
		(void)buf_printf(history->out, "   %s", event->leave.lock);
	(void)buf_putc(history->out, '\n');
}

static bool in_window(const struct sched_history *history, uint64_t time_ns)
{
	const struct sched_window *window = &history->times.window;

	return time_ns >= window->start_ns && (!window->end_ns || time_ns <= window->end_ns);
}

/* A line about another thread than the one on the CPU. */
static void put_other(struct sched_history *history, const struct sched_event *event,
		      const char *what, const struct sched_task *task)
{
	put_start(history, event, event->time_ns);
	put_visual(history, event->cpu, event->kind == SCHED_MIGRATE ? 'm' : ' ');
	(void)buf_putc(history->out, ' ');
	put_padded_task(history->out, event->current);
	(void)buf_printf(history->out,
			 " %s  %9s  %9s  %9s %s: ", history->options->priority ? "          " : "",
			 "", "", "", what);
	sched_put_task(history->out, task);
}

static void take_wakeup(struct sched_history *history, const struct sched_event *event)
{
	const struct sched_history_options *o = history->options;

	sched_times_wakeup(&history->times, event);
	if (!o->wakeups || o->summary_only || history->times.idle_only ||
	    !in_window(history, event->time_ns) ||
	    (!is_wanted(history, event->current, -1) &&
	     !is_wanted(history, event->wakeup.task, -1)))
		return;
	put_other(history, event, "awakened", event->wakeup.task);
	(void)buf_putc(history->out, '\n');
}

static void take_migration(struct sched_history *history, const struct sched_event *event)
{
	const struct sched_history_options *o = history->options;

	sched_times_of(&history->times, event->migrate.task)->migrations++;
	if (!o->migrations || o->summary_only || history->times.idle_only ||
	    !in_window(history, event->time_ns) ||
	    (!is_wanted(history, event->current, -1) &&
	     !is_wanted(history, event->migrate.task, -1)))
		return;
	put_other(history, event, "migrated", event->migrate.task);
	(void)buf_printf(history->out, " cpu %" PRId32 " => %" PRId32 "\n", event->migrate.from_cpu,
			 event->migrate.to_cpu);
}

static void take(struct sched_sink *sink, const struct sched_event *event)
{
	struct sched_history *history = (struct sched_history *)sink;

	if (event->kind == SCHED_SWITCH) {
		take_switch(history, event);
	} else if (event->kind == SCHED_WAKEUP) {
		take_wakeup(history, event);
	} else if (event->kind == SCHED_MIGRATE) {
		take_migration(history, event);
	} else if (event->kind == SCHED_LOST && !history->options->summary_only) {
		sched_put_time(history->out, event->time_ns, 15);
		(void)buf_printf(history->out, " lost %" PRIu64 " events on cpu %" PRIu32 "\n",
				 event->lost, event->cpu);
	}
}

/* A heading has the columns of the lines below it. */
struct heading {
	const char *time, *cpu, *task, *priority, *wait, *delay, *run, *state;
};

static void put_heading(const struct sched_history *history, const struct heading *heading,
			char visual)
{
	const struct sched_history_options *o = history->options;
	struct buf *out = history->out;

	(void)buf_printf(out, "%15s %-6s ", heading->time, heading->cpu);
	if (o->cpu_visual) {
		(void)buf_putc(out, ' ');
		for (uint32_t i = 0; i < o->cpu_count; i++)
			(void)buf_putc(out, visual == '0' ? "0123456789abcdef"[i % 16] : visual);
		(void)buf_putc(out, ' ');
	}
	(void)buf_printf(out, " %-*s", TASK_WIDTH, heading->task);
	if (o->priority)
		(void)buf_printf(out, "  %-8s", heading->priority);
	(void)buf_printf(out, "  %9s  %9s  %9s", heading->wait, heading->delay, heading->run);
	if (o->state)
		(void)buf_printf(out, "  %5s", heading->state);
	(void)buf_putc(out, '\n');
}

void sched_history_start(struct sched_history *history, const struct sched_history_options *options,
			 struct buf *out)
{
	static const struct heading names = { "time",	   "   cpu",	"task name", "prio",
					      "wait time", "sch delay", "run time",  "state" };
	static const struct heading units = { "",	"",	  "[tid/pid]", "",
					      "(msec)", "(msec)", "(msec)",    "" };
	static const struct heading rules = {
		"---------------", "------",	"------------------------------",
		"--------",	   "---------", "---------",
		"---------",	   "-----"
	};

	memset(history, 0, sizeof(*history));
	history->sink.event = take;
	history->options = options;
	history->out = out;
	if (options->summary_only)
		return;
	put_heading(history, &names, '0');
	put_heading(history, &units, ' ');
	put_heading(history, &rules, '-');
}

void sched_history_finish(struct sched_history *history)
{
	if (history->options->summary || history->options->summary_only)
		sched_summary(history, history->out);
}

void sched_history_done(struct sched_history *history)
{
	sched_times_done(&history->times);
}
