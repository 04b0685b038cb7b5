/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns on the CPU and their sums (see sched_times.h). Mean and deviation by Welford's method. */
#include "profile/sched/sched_times.h"

#include <math.h>
#include <string.h>

#define MAX_CPUS 65536

struct sched_times_row *sched_times_of(struct sched_times *times, const struct sched_task *task)
{
	struct sched_times_row *row;

	while (times->row.count <= task->index) {
		row = vec_add(&times->row);
		memset(row, 0, sizeof(*row));
	}
	row = &times->row.item[task->index];
	row->task = task;
	return row;
}

/* CPU numbers come from the file. */
static uint32_t cpu_index(uint32_t cpu)
{
	return cpu < MAX_CPUS ? cpu : MAX_CPUS;
}

static struct sched_idle *idle_of(struct sched_times *times, uint32_t cpu)
{
	while (times->idle.count <= cpu_index(cpu)) {
		struct sched_idle *idle = vec_add(&times->idle);

		memset(idle, 0, sizeof(*idle));
	}
	return &times->idle.item[cpu_index(cpu)];
}

static uint64_t *switched_of(struct sched_times *times, uint32_t cpu)
{
	while (times->switched_ns.count <= cpu_index(cpu))
		vec_push(&times->switched_ns, 0);
	return &times->switched_ns.item[cpu_index(cpu)];
}

struct sched_times_row *sched_times_leaver(struct sched_times *times,
					   const struct sched_event *event)
{
	struct sched_times_row *row;

	if (!sched_is_idle(event->current))
		return sched_times_of(times, event->current);
	row = &idle_of(times, event->cpu)->row;
	row->task = event->current;
	return row;
}

static void add_run(struct sched_times_row *row, uint64_t run_ns)
{
	double distance = (double)run_ns - row->mean_run;

	row->turns++;
	row->mean_run += distance / (double)row->turns;
	row->square_run += distance * ((double)run_ns - row->mean_run);
	if (row->turns == 1 || run_ns < row->min_run)
		row->min_run = run_ns;
	if (run_ns > row->max_run)
		row->max_run = run_ns;
}

/* The thread's activity from leaving the CPU until it gets it back. */
static void add_wait(struct sched_turn *turn, const struct sched_times_row *row, uint64_t got_ns)
{
	uint64_t waited = got_ns - row->left_ns;

	if (row->left_state == 'R')
		turn->preempted = waited;
	else if (row->left_state == 'D')
		turn->disk = waited;
	else
		turn->sleep = waited;
}

static void end_turn(struct sched_times_row *row, uint64_t now_ns, uint64_t got_ns)
{
	struct sched_turn turn = { 0 };

	if (got_ns) {
		turn.run = now_ns - got_ns;
		if (row->woken_ns && row->woken_ns <= got_ns)
			turn.delay = got_ns - row->woken_ns;
		if (row->left_ns && row->left_ns <= got_ns)
			add_wait(&turn, row, got_ns);
	}
	add_run(row, turn.run);
	row->last = turn;
	row->total.run += turn.run;
	row->total.delay += turn.delay;
	row->total.sleep += turn.sleep;
	row->total.disk += turn.disk;
	row->total.preempted += turn.preempted;
}

/* Idle time belongs to the thread that left the CPU to the idle task. */
static void charge_idle(struct sched_times *times, uint32_t cpu, uint64_t now_ns, uint64_t got_ns)
{
	struct sched_idle *idle = idle_of(times, cpu);
	struct sched_times_row *row;

	if (!idle->before)
		return;
	row = &times->row.item[idle->before - 1];
	end_turn(row, now_ns, got_ns);
	memset(&row->last, 0, sizeof(row->last));
	idle->before = 0;
}

/* The part of a turn that lies in the window; false when none does. */
static bool clip(const struct sched_window *window, uint64_t *got_ns, uint64_t *now_ns)
{
	if (*got_ns && *got_ns < window->start_ns)
		*got_ns = window->start_ns;
	if (*now_ns < window->start_ns || (window->end_ns && *got_ns > window->end_ns))
		return false;
	if (window->end_ns && *now_ns > window->end_ns)
		*now_ns = window->end_ns;
	if (*got_ns > *now_ns)
		*got_ns = *now_ns;
	return true;
}

static void count_turn(struct sched_times *times, const struct sched_event *event, uint64_t now_ns,
		       uint64_t got_ns)
{
	bool idle = sched_is_idle(event->current);

	if (idle || !times->idle_only)
		end_turn(sched_times_leaver(times, event), now_ns, got_ns);
	if (idle && times->idle_only)
		charge_idle(times, event->cpu, now_ns, got_ns);
}

bool sched_times_switch(struct sched_times *times, const struct sched_event *event, bool counted,
			uint64_t *ret_ns)
{
	uint64_t *switched = switched_of(times, event->cpu);
	uint64_t now_ns = event->time_ns, got_ns = *switched;
	bool inside = clip(&times->window, &got_ns, &now_ns);
	bool idle = sched_is_idle(event->current);
	struct sched_times_row *row;

	if (inside && counted)
		count_turn(times, event, now_ns, got_ns);
	if (inside && !times->first_ns)
		times->first_ns = now_ns;
	if (inside)
		times->last_ns = now_ns;
	row = sched_times_leaver(times, event);
	row->left_ns = event->time_ns;
	row->left_state = event->leave.state;
	/* A preempted thread is ready to run from the moment it loses the CPU. */
	row->woken_ns = event->leave.state == 'R' && !idle ? event->time_ns : 0;
	if (times->idle_only && !idle && sched_is_idle(event->leave.next))
		idle_of(times, event->cpu)->before = event->current->index + 1;
	*switched = event->time_ns;
	*ret_ns = now_ns;
	return inside && counted;
}

void sched_times_wakeup(struct sched_times *times, const struct sched_event *event)
{
	struct sched_times_row *row = sched_times_of(times, event->wakeup.task);

	if (!row->woken_ns)
		row->woken_ns = event->time_ns;
}

double sched_times_deviation(const struct sched_times_row *row)
{
	double count = (double)row->turns;

	if (row->turns < 2 || row->mean_run <= 0)
		return 0;
	return 100 * sqrt(row->square_run / (count - 1) / count) / row->mean_run;
}

void sched_times_done(struct sched_times *times)
{
	vec_done(&times->row);
	vec_done(&times->idle);
	vec_done(&times->switched_ns);
}
