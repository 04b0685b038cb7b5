/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads of threads (see sched_workload.h). */
#include "profile/sched/sched_workload.h"

#define MAX_CPUS 65535u

static struct sched_actor *actor_of(struct sched_workload *workload, const struct sched_task *task)
{
	while (workload->actor.count <= task->index)
		vec_push(&workload->actor, (struct sched_actor){ 0 });
	workload->actor.item[task->index].task = task;
	return &workload->actor.item[task->index];
}

/* Adds the running thread's activity since the last call. */
static void add_run(struct sched_workload *workload, const struct sched_event *event)
{
	uint32_t cpu = event->cpu < MAX_CPUS ? event->cpu : MAX_CPUS;
	struct sched_atom run = { .kind = SCHED_ATOM_RUN };
	uint64_t since_ns;

	while (workload->switched_ns.count <= cpu)
		vec_push(&workload->switched_ns, 0);
	since_ns = workload->switched_ns.item[cpu];
	workload->switched_ns.item[cpu] = event->time_ns;
	if (!since_ns || since_ns >= event->time_ns || sched_is_idle(event->current))
		return;
	run.ns = event->time_ns - since_ns;
	vec_push(&actor_of(workload, event->current)->atom, run);
	workload->runs++;
}

/* A sleep without an end in the recording is omitted; otherwise its replay would not end. */
static void forget_sleep(struct sched_actor *actor)
{
	if (actor->sleeping)
		actor->atom.item[actor->sleeping - 1] =
			(struct sched_atom){ .kind = SCHED_ATOM_RUN };
	actor->sleeping = 0;
}

static void on_switch(struct sched_workload *workload, const struct sched_event *event)
{
	struct sched_atom sleep = { .kind = SCHED_ATOM_SLEEP };
	struct sched_actor *actor;

	add_run(workload, event);
	if (sched_is_idle(event->current) || event->leave.state == 'R' ||
	    event->leave.state == 'X' || event->leave.state == 'Z')
		return;
	actor = actor_of(workload, event->current);
	forget_sleep(actor);
	vec_push(&actor->atom, sleep);
	actor->sleeping = actor->atom.count;
	actor->since_ns = event->time_ns;
}

static void on_wakeup(struct sched_workload *workload, const struct sched_event *event)
{
	struct sched_actor *target = actor_of(workload, event->wakeup.task);
	struct sched_atom wake = { .kind = SCHED_ATOM_WAKE, .task = event->wakeup.task->index };
	struct sched_atom *sleep;

	workload->wakeups++;
	if (!target->sleeping) {
		workload->targetless++;
		return;
	}
	sleep = &target->atom.item[target->sleeping - 1];
	target->sleeping = 0;
	if (sched_is_idle(event->current) || event->current == event->wakeup.task) {
		sleep->kind = SCHED_ATOM_PAUSE;
		sleep->ns = event->time_ns - target->since_ns;
		workload->pauses++;
		return;
	}
	workload->sleeps++;
	add_run(workload, event);
	vec_push(&actor_of(workload, event->current)->atom, wake);
}

static void on_event(struct sched_sink *sink, const struct sched_event *event)
{
	struct sched_workload *workload = (struct sched_workload *)sink;

	if (event->kind == SCHED_SWITCH)
		on_switch(workload, event);
	else if (event->kind == SCHED_WAKEUP && !sched_is_idle(event->wakeup.task))
		on_wakeup(workload, event);
}

void sched_workload_init(struct sched_workload *workload)
{
	*workload = (struct sched_workload){ .sink.event = on_event };
}

void sched_workload_finish(struct sched_workload *workload)
{
	for (size_t i = 0; i < workload->actor.count; i++)
		forget_sleep(&workload->actor.item[i]);
}

void sched_workload_done(struct sched_workload *workload)
{
	for (size_t i = 0; i < workload->actor.count; i++)
		vec_done(&workload->actor.item[i].atom);
	vec_done(&workload->actor);
	vec_done(&workload->switched_ns);
}
