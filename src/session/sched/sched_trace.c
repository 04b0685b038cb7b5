/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduler tracepoints into sched events (see sched_trace.h). A thread is who has its id between a
 * fork and the next fork that gives the id away: its last switch comes after its exit record and
 * belongs to it. Wakeups are counted where they begin (sched_waking); sched_wakeup, which follows
 * on the CPU of the woken thread, is used only by recordings without it. */
#include "session/sched/sched_trace.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/record.h"
#include "format/perf_data.h"
#include "proc/proc.h"
#include "session/replay.h"
#include "session/sched/sched_plan.h"

#define NEAR_TIDS 65536u

struct sched_trace {
	struct replay_handler handler; /* first */
	struct perf_data *data;
	struct sched_plans plans;
	struct arena arena;
	struct map by_tid; /* tid → struct sched_task *; of small ones in near[], which is faster */
	struct sched_task **near;
	uint32_t task_count;
	VEC(uint32_t) running; /* by CPU: tid + 1 of who was switched to; 0 = not known */
	struct sched_faults faults;
	/* While reading: */
	const struct sched_options *options;
	struct sched_sink *sink;
	struct buf chain;
	char next_comm[SCHED_COMM_MAX];
};

static struct sched_task *new_task(struct sched_trace *trace, uint32_t pid, uint32_t tid)
{
	struct sched_task *task = arena_new(&trace->arena, struct sched_task);

	*task = (struct sched_task){
		.index = trace->task_count++, .pid = pid, .tid = tid, .ppid = -1
	};
	if (tid < NEAR_TIDS)
		trace->near[tid] = task;
	else
		map_set(&trace->by_tid, tid, (uintptr_t)task);
	return task;
}

static inline struct sched_task *task_of(struct sched_trace *trace, uint32_t tid)
{
	uint64_t found;

	if (tid < NEAR_TIDS && trace->near[tid])
		return trace->near[tid];
	if (tid >= NEAR_TIDS && map_get(&trace->by_tid, tid, &found))
		return (struct sched_task *)(uintptr_t)found;
	return new_task(trace, tid ? UINT32_MAX : 0, tid);
}

static void set_name(struct sched_trace *trace, struct sched_task *task, const char *name,
		     size_t len)
{
	char *copy;

	if (task->comm && strlen(task->comm) == len && memcmp(task->comm, name, len) == 0)
		return;
	copy = arena_strndup(&trace->arena, name, len);
	text_tidy(copy, len);
	task->renamed = task->comm != NULL;
	task->comm = copy;
}

static void name_task(struct sched_trace *trace, struct sched_task *task,
		      const struct sched_sample *sample, unsigned comm)
{
	const char *name = "?";
	size_t len = 1;

	if (!task->tid) {
		name = "swapper";
		len = strlen(name);
	} else if (!sched_sample_text(sample, comm, &name, &len) || !len) {
		name = "?";
		len = 1;
	}
	set_name(trace, task, name, len);
}

/* A task as an event mentions it: its name is a last resort. */
static inline struct sched_task *
task_in(struct sched_trace *trace, const struct sched_sample *sample, unsigned tid, unsigned comm)
{
	struct sched_task *task = task_of(trace, (uint32_t)sample->number[tid]);

	if (!task->comm)
		name_task(trace, task, sample, comm);
	return task;
}

/* The bits of prev_state as its tracepoint names them since Linux 4.14; the highest one means that
 * the thread was preempted, which is R too. */
static char state_letter(int64_t state)
{
	static const char letters[] = "SDTtXZPI";
	uint64_t bits = (uint64_t)state & 0xff;

	return bits ? letters[__builtin_ctzll(bits)] : 'R';
}

/* Functions of the scheduler itself say nothing about why it was called. */
static bool is_scheduler(const char *name)
{
	return strcmp(name, "schedule") == 0 || strcmp(name, "__schedule") == 0 ||
	       strcmp(name, "preempt_schedule") == 0;
}

static void put_frame(const struct symbol *symbol, struct buf *ret)
{
	const char *name = symbol ? symbol->frame[0].name : "[unknown]";

	if (is_scheduler(name))
		return;
	if (ret->len)
		(void)buf_puts(ret, " <- ");
	(void)buf_put_tidy(ret, name);
}

static const char *chain_text(struct sched_trace *trace, const struct replay_sample *sample)
{
	uint32_t left = trace->options->max_stack + 2; /* the scheduler's own come on top */

	if (!trace->options->max_stack || !sample->has_chain)
		return NULL;
	buf_clear(&trace->chain);
	for (size_t i = 0; i < sample->count && left; i++, left--)
		put_frame(sample->frame[i].symbol, &trace->chain);
	return trace->chain.len ? trace->chain.data : "";
}

static void note_switch(struct sched_trace *trace, const struct sched_event *event)
{
	uint32_t cpu = event->cpu < 65536 ? event->cpu : 65536, *running;

	while (trace->running.count <= cpu)
		vec_push(&trace->running, 0);
	running = &trace->running.item[cpu];
	trace->faults.switches++;
	trace->faults.mismatched += *running && *running != event->current->tid + 1;
	*running = event->leave.next->tid + 1;
}

static const char *next_comm(struct sched_trace *trace, const struct sched_sample *sample,
			     const struct sched_task *task)
{
	const char *name;
	size_t len;

	if (!sched_sample_text(sample, SWITCH_NEXT_COMM, &name, &len))
		return "?";
	if (task->comm && strncmp(task->comm, name, len) == 0 && !task->comm[len])
		return task->comm;
	len = len < SCHED_COMM_MAX ? len : SCHED_COMM_MAX - 1;
	memcpy(trace->next_comm, name, len);
	trace->next_comm[len] = '\0';
	text_tidy(trace->next_comm, len);
	return trace->next_comm;
}

static void decode_switch(struct sched_trace *trace, const struct sched_sample *sample,
			  struct sched_event *ret)
{
	ret->kind = SCHED_SWITCH;
	ret->current = task_in(trace, sample, SWITCH_PREV, SWITCH_PREV_COMM);
	ret->leave.next = task_in(trace, sample, SWITCH_NEXT, SWITCH_NEXT_COMM);
	ret->leave.next_comm = trace->options->next_names
				       ? next_comm(trace, sample, ret->leave.next)
				       : ret->leave.next->comm;
	ret->leave.state = state_letter(sample->number[SWITCH_STATE]);
	ret->leave.prev_priority = (int32_t)sample->number[SWITCH_PREV_PRIO];
	ret->leave.next_priority = (int32_t)sample->number[SWITCH_NEXT_PRIO];
	note_switch(trace, ret);
}

static void decode_task(struct sched_trace *trace, const struct sched_sample *sample,
			struct sched_event *ret)
{
	switch (sample->plan->is) {
	case TRACEPOINT_RUNTIME:
		ret->kind = SCHED_RUNTIME;
		ret->runtime.task = task_in(trace, sample, RUNTIME_TID, RUNTIME_COMM);
		ret->runtime.ns = (uint64_t)sample->number[RUNTIME_NS];
		break;
	case TRACEPOINT_MIGRATE:
		ret->kind = SCHED_MIGRATE;
		ret->migrate.task = task_in(trace, sample, MIGRATE_TID, MIGRATE_COMM);
		ret->migrate.from_cpu = (int32_t)sample->number[MIGRATE_FROM];
		ret->migrate.to_cpu = (int32_t)sample->number[MIGRATE_TO];
		break;
	default:
		ret->kind = SCHED_WAKEUP;
		ret->wakeup.task = task_in(trace, sample, TASK_TID, TASK_COMM);
		break;
	}
}

/* Whom the event interrupted. */
static struct sched_task *interrupted(struct sched_trace *trace, struct replay *replay,
				      const struct sched_sample *sample)
{
	struct sched_task *task = task_of(trace, sample->tid == UINT32_MAX ? 0 : sample->tid);

	if (!task->comm) {
		const char *comm = task->tid ? replay_thread(replay, sample->pid, sample->tid)->comm
					     : "swapper";

		set_name(trace, task, comm, strlen(comm));
	}
	return task;
}

/* `stack` is the sample with its call chain; NULL = none is wanted. */
static void take(struct sched_trace *trace, struct replay *replay, struct sched_sample *sample,
		 const struct replay_sample *stack)
{
	struct sched_event decoded;

	trace->faults.events++;
	if (!sched_sample_numbers(sample)) {
		trace->faults.malformed++;
		return;
	}
	decoded.cpu = sample->cpu;
	decoded.time_ns = sample->time_ns;
	if (sample->plan->is == TRACEPOINT_SWITCH) {
		decode_switch(trace, sample, &decoded);
		decoded.leave.chain =
			stack && !sched_is_idle(decoded.current) ? chain_text(trace, stack) : NULL;
	} else {
		decoded.current = interrupted(trace, replay, sample);
		decode_task(trace, sample, &decoded);
	}
	trace->sink->event(trace->sink, &decoded);
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct sched_trace *trace = (struct sched_trace *)handler;
	const struct event *event = sample->event;
	struct sched_sample taken = {
		.payload = { event->sample.raw, event->sample.raw_len },
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.pid = event->pid,
		.tid = event->tid,
	};

	(void)err;
	if (!event->desc)
		return 0;
	taken.plan = sched_plan_of(&trace->plans, event->desc->index);
	if (!taken.plan->unwanted)
		take(trace, sample->replay, &taken, sample);
	return 0;
}

/* The record is known to be long enough. */
static void take_fixed(const struct sample_record *sample, struct sched_sample *ret)
{
	const uint64_t *word = (const uint64_t *)(sample->record + 1);
	const struct record_plan *plan = &sample->desc->plan;
	uint32_t half[2];

	ret->pid = ret->tid = ret->cpu = UINT32_MAX;
	if (plan->tid >= 0) {
		memcpy(half, &word[plan->tid], sizeof(half));
		ret->pid = half[0];
		ret->tid = half[1];
	}
	ret->time_ns = plan->time >= 0 ? word[plan->time] : 0;
	if (plan->cpu >= 0) {
		memcpy(half, &word[plan->cpu], sizeof(half));
		ret->cpu = half[0];
	}
}

static void take_record(struct sched_trace *trace, struct replay *replay,
			const struct sample_record *sample)
{
	struct sched_sample taken;

	memset(taken.number, 0, sizeof(taken.number));
	taken.plan = sched_plan_of(&trace->plans, sample->desc->index);
	if (taken.plan->unwanted)
		return;
	if (!record_payload(sample->desc, sample->record, &taken.payload.bytes,
			    &taken.payload.len)) {
		trace->faults.malformed++;
		return;
	}
	take_fixed(sample, &taken);
	take(trace, replay, &taken, NULL);
}

/* The loop that most of the time is spent in: one function. */
static __attribute__((flatten)) int on_raw(struct replay_handler *handler, struct replay *replay,
					   const struct sample_records *samples, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < samples->count; i++)
		take_record((struct sched_trace *)handler, replay, &samples->item[i]);
	return 0;
}

static void on_fork(struct sched_trace *trace, const struct event *event,
		    const struct thread *thread)
{
	struct sched_task *task = new_task(trace, event->pid, event->tid);

	/* A thread's parent is its process. */
	task->ppid = (int32_t)(event->pid == event->task.ppid ? event->pid : event->task.ppid);
	set_name(trace, task, thread->comm, strlen(thread->comm));
}

static int on_other(struct replay_handler *handler, const struct event *event,
		    const struct thread *thread, struct err *err)
{
	struct sched_trace *trace = (struct sched_trace *)handler;
	struct sched_event lost = { .kind = SCHED_LOST,
				    .cpu = event->cpu,
				    .time_ns = event->time_ns };
	struct sched_task *task;

	(void)err;
	switch (event->type) {
	case EVENT_FORK:
		on_fork(trace, event, thread);
		break;
	case EVENT_COMM:
		task = task_of(trace, event->tid);
		task->pid = event->pid;
		set_name(trace, task, event->comm.name, strlen(event->comm.name));
		task->renamed = true; /* if only to what it was called before */
		break;
	case EVENT_EXIT:
		task_of(trace, event->tid)->exited = true;
		break;
	case EVENT_LOST:
	case EVENT_LOST_SAMPLES:
		lost.lost = event->lost.count;
		trace->faults.lost += event->lost.count;
		trace->faults.lost_at++;
		trace->sink->event(trace->sink, &lost);
		break;
	default:
		break;
	}
	return 0;
}

struct sched_trace *sched_trace_new(struct perf_data *data)
{
	struct sched_trace *trace = mem_zalloc(sizeof(*trace));

	trace->plans.data = data;
	trace->handler.sample = on_sample;
	trace->handler.other = on_other;
	trace->data = data;
	trace->near = mem_zalloc(NEAR_TIDS * sizeof(struct sched_task *));
	return trace;
}

void sched_trace_free(struct sched_trace *trace)
{
	if (!trace)
		return;
	sched_plans_done(&trace->plans);
	vec_done(&trace->running);
	map_done(&trace->by_tid);
	free(trace->near);
	arena_done(&trace->arena);
	buf_done(&trace->chain);
	free(trace);
}

bool sched_trace_has_switches(const struct sched_trace *trace)
{
	return trace->plans.has_switches;
}

/* Samples need no decoding, let alone unwinding, when none has a stack. */
static bool has_stacks(const struct sched_trace *trace)
{
	const uint64_t stacks = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	const struct event_set *set = perf_data_events(trace->data);

	for (size_t i = 0; i < set->desc.count; i++)
		if (set->desc.item[i]->attr.sample_type & stacks)
			return true;
	return perf_data_header(trace->data)->pipe; /* more may be announced */
}

int sched_trace_read(struct sched_trace *trace, const struct sched_options *options,
		     struct sched_sink *sink, struct err *err)
{
	bool stacks = options->max_stack && has_stacks(trace);
	struct replay_options replay = { .symbol = options->symbol,
					 .no_symbols = !stacks,
					 .no_frames = !stacks,
					 .background = true,
					 .progress = options->progress };

	trace->options = options;
	trace->plans.priorities = options->priorities;
	trace->sink = sink;
	trace->handler.raw = stacks ? NULL : on_raw;
	return session_replay(trace->data, &replay, &trace->handler, err);
}

const struct sched_faults *sched_trace_faults(const struct sched_trace *trace)
{
	return &trace->faults;
}
