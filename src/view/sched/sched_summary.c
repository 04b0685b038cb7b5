/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of the scheduler's history per thread and per CPU, as perf sched timehist -s prints them.
 * Threads come in order of their ids, where perf has the order of its hash table. */
#include <inttypes.h>

#include "base/buf.h"
#include "view/sched/sched_history.h"
#include "view/sched/sched_time_text.h"

#define TASK_WIDTH 30
#define RULE_WIDTH 117

struct totals {
	uint64_t tasks, turns, run_ns;
};

static void put_columns(struct buf *ret, const char *before, uint64_t ns, int width)
{
	(void)buf_puts(ret, before);
	sched_put_ms(ret, ns, width);
}

static void put_run_columns(const struct sched_times_row *row, struct buf *ret)
{
	put_columns(ret, " ", row->total.run, 8);
	put_columns(ret, " ", row->min_run, 6);
	put_columns(ret, "  ", (uint64_t)row->mean_run, 6);
	put_columns(ret, "  ", row->max_run, 6);
	(void)buf_printf(ret, "   %5.2f   %5" PRIu64 "\n", sched_times_deviation(row),
			 row->migrations);
}

static void put_wait_columns(const struct sched_times_row *row, struct buf *ret)
{
	put_columns(ret, " ", row->total.run, 8);
	put_columns(ret, " ", row->total.sleep, 6);
	put_columns(ret, "  ", row->total.disk, 6);
	put_columns(ret, "  ", row->total.preempted, 6);
	put_columns(ret, "  ", row->total.delay, 6);
	(void)buf_puts(ret, " \n");
}

static void put_row(const struct sched_history *history, const struct sched_times_row *row,
		    struct buf *ret)
{
	struct buf name = { 0 };

	sched_put_task(&name, row->task);
	(void)buf_printf(ret, "%*s   %5" PRId32 "  %9" PRIu64, TASK_WIDTH, name.data,
			 row->task->ppid, row->turns);
	buf_done(&name);
	if (history->options->state)
		put_wait_columns(row, ret);
	else
		put_run_columns(row, ret);
}

static int by_tid(const void *a, const void *b)
{
	const struct sched_times_row *const *l = a, *const *r = b;
	const struct sched_task *left = (*l)->task, *right = (*r)->task;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return left->index < right->index ? -1 : 1;
}

static void put_tasks(const struct sched_history *history, bool exited, struct totals *totals,
		      struct buf *ret)
{
	VEC(const struct sched_times_row *) list = { 0 };

	for (size_t i = 0; i < history->times.row.count; i++) {
		const struct sched_times_row *row = &history->times.row.item[i];

		if (row->task && row->turns && row->task->exited == exited)
			vec_push(&list, row);
	}
	if (list.count)
		qsort(list.item, list.count, sizeof(*list.item), by_tid);
	for (size_t i = 0; i < list.count; i++) {
		put_row(history, list.item[i], ret);
		totals->tasks++;
		totals->turns += list.item[i]->turns;
		totals->run_ns += list.item[i]->total.run;
	}
	if (!list.count)
		(void)buf_puts(ret,
			       exited ? "<no terminated tasks>\n" : "<no still running tasks>\n");
	vec_done(&list);
}

static void put_idle(const struct sched_history *history, uint64_t window_ns, struct totals *totals,
		     struct buf *ret)
{
	(void)buf_puts(ret, "\nIdle stats:\n");
	for (uint32_t cpu = 0; cpu < history->options->cpu_count; cpu++) {
		const struct sched_times_row *row =
			cpu < history->times.idle.count ? &history->times.idle.item[cpu].row : NULL;
		bool switched = cpu < history->times.switched_ns.count &&
				history->times.switched_ns.item[cpu];

		if (!row || !row->turns) {
			(void)buf_printf(ret, "    CPU %2" PRIu32 " %s\n", cpu,
					 switched ? "never seen to leave the idle task"
						  : "idle entire time window");
			continue;
		}
		totals->turns += row->turns;
		(void)buf_printf(ret, "    CPU %2" PRIu32 " idle for ", cpu);
		sched_put_ms(ret, row->total.run, 6);
		(void)buf_printf(ret, "  msec  (%6.2f%%)\n",
				 window_ns ? 100.0 * (double)row->total.run / (double)window_ns
					   : 0);
	}
}

static void put_heading(const struct sched_history *history, struct buf *ret)
{
	bool waits = history->options->state;

	if (history->times.idle_only)
		(void)buf_printf(ret,
				 "\nIdle-time summary\n%*s  parent  sched-out    idle-time   "
				 "min-idle    avg-idle    max-idle  stddev  migrations\n",
				 TASK_WIDTH, "comm");
	else if (waits)
		(void)buf_printf(ret,
				 "\nWait-time summary\n%*s  parent   sched-in     run-time      "
				 "sleep      iowait     preempt       delay\n",
				 TASK_WIDTH, "comm");
	else
		(void)buf_printf(ret,
				 "\nRuntime summary\n%*s  parent   sched-in     run-time    "
				 "min-run     avg-run     max-run  stddev  migrations\n",
				 TASK_WIDTH, "comm");
	(void)buf_printf(ret,
			 "%*s            (count)       (msec)     (msec)      (msec)      (msec)"
			 "       %s\n",
			 TASK_WIDTH, "", waits ? "(msec)" : "%");
	(void)buf_pad(ret, '-', RULE_WIDTH);
	(void)buf_putc(ret, '\n');
}

void sched_summary(const struct sched_history *history, struct buf *ret)
{
	uint64_t window_ns = history->times.last_ns - history->times.first_ns;
	struct totals totals = { 0 };

	put_heading(history, ret);
	put_tasks(history, false, &totals, ret);
	(void)buf_puts(ret, "\nTerminated tasks:\n");
	put_tasks(history, true, &totals, ret);
	/* What other threads did meanwhile is not known then, so idle time is not either. */
	if (history->skipped && !history->times.idle_only)
		return;
	put_idle(history, window_ns, &totals, ret);
	(void)buf_printf(ret,
			 "\n    Total number of unique tasks: %" PRIu64
			 "\nTotal number of context switches: %" PRIu64
			 "\n           Total run time (msec): ",
			 totals.tasks, totals.turns);
	sched_put_ms(ret, totals.run_ns, 2);
	(void)buf_puts(ret, " \n    Total scheduling time (msec): ");
	sched_put_ms(ret, window_ns, 2);
	(void)buf_printf(ret, "  (x %" PRIu32 ")\n", history->options->cpu_count);
}
