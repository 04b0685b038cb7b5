/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduler tracepoints into sched events (see sched_trace.h). A thread is who has its id between a
 * fork and the next fork that gives the id away: its last switch comes after its exit record and
 * belongs to it. Wakeups are counted where they begin (sched_waking); sched_wakeup, which follows
 * on the CPU of the woken thread, is used only by recordings without it. */
#include "session/sched_trace.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/desc.h"
#include "format/perf_data.h"
#include "format/trace/trace_print.h"
#include "proc/proc.h"
#include "session/replay.h"

#define MAX_FIELDS 8
#define NEAR_TIDS  65536u

enum tracepoint {
	TRACEPOINT_OTHER,
	TRACEPOINT_SWITCH,
	TRACEPOINT_WAKING,
	TRACEPOINT_WAKEUP,
	TRACEPOINT_WAKEUP_NEW,
	TRACEPOINT_MIGRATE,
	TRACEPOINT_RUNTIME,
};

struct tracepoint_fields {
	enum tracepoint is;
	const char *name;
	const char *field[MAX_FIELDS]; /* numbers but for names ending in "comm" */
};

enum {
	SWITCH_PREV,
	SWITCH_NEXT,
	SWITCH_STATE,
	SWITCH_PREV_PRIO,
	SWITCH_NEXT_PRIO,
	SWITCH_PREV_COMM,
	SWITCH_NEXT_COMM
};
enum { TASK_TID, TASK_COMM, TASK_FROM, TASK_TO };
enum { RUNTIME_TID, RUNTIME_COMM, RUNTIME_NS };

static const struct tracepoint_fields tracepoints[] = {
	{ TRACEPOINT_SWITCH,
	  "sched:sched_switch",
	  { "prev_pid", "next_pid", "prev_state", "prev_prio", "next_prio", "prev_comm",
	    "next_comm" } },
	{ TRACEPOINT_WAKING, "sched:sched_waking", { "pid", "comm" } },
	{ TRACEPOINT_WAKEUP, "sched:sched_wakeup", { "pid", "comm" } },
	{ TRACEPOINT_WAKEUP_NEW, "sched:sched_wakeup_new", { "pid", "comm" } },
	{ TRACEPOINT_MIGRATE,
	  "sched:sched_migrate_task",
	  { "pid", "comm", "orig_cpu", "dest_cpu" } },
	{ TRACEPOINT_RUNTIME, "sched:sched_stat_runtime", { "pid", "comm", "runtime" } },
};

/* How the samples of one event are read. */
struct plan {
	enum tracepoint is;
	struct trace_field field[MAX_FIELDS];
	bool has[MAX_FIELDS];
};

struct sched_trace {
	struct replay_handler handler; /* first */
	struct perf_data *data;
	struct trace_print *formats;
	VEC(struct plan) plan; /* by event_desc.index */
	bool has_switches, has_waking;
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

static void plan_event(struct sched_trace *trace, const struct event_desc *desc, struct plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(*tracepoints); i++) {
		const struct tracepoint_fields *known = &tracepoints[i];

		if (strcmp(desc->name, known->name) != 0)
			continue;
		plan->is = known->is;
		for (size_t f = 0; f < MAX_FIELDS && known->field[f]; f++)
			plan->has[f] = trace_print_field(trace->formats, desc, known->field[f],
							 &plan->field[f]);
	}
	if (plan->is == TRACEPOINT_SWITCH)
		trace->has_switches = true;
	trace->has_waking |= plan->is == TRACEPOINT_WAKING;
}

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

static struct sched_task *task_of(struct sched_trace *trace, uint32_t tid)
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

/* A task as an event mentions it: its name is a last resort. */
static struct sched_task *task_in(struct sched_trace *trace, const struct plan *plan,
				  const struct event *event, const unsigned field[2])
{
	struct sched_task *task;
	const char *name = "";
	size_t len = 0;
	int64_t tid;

	if (!plan->has[field[0]] || !trace_field_number(&plan->field[field[0]], event, &tid))
		return NULL;
	task = task_of(trace, (uint32_t)tid);
	if (task->comm)
		return task;
	if (!tid)
		set_name(trace, task, "swapper", strlen("swapper"));
	else if (plan->has[field[1]] &&
		 trace_field_text(&plan->field[field[1]], event, &name, &len) && len)
		set_name(trace, task, name, len);
	else
		set_name(trace, task, "?", 1);
	return task;
}

static int64_t number(const struct plan *plan, const struct event *event, unsigned field)
{
	int64_t value = 0;

	if (plan->has[field])
		(void)trace_field_number(&plan->field[field], event, &value);
	return value;
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
	uint32_t cpu = event->cpu < 65536 ? event->cpu : 65536;

	while (trace->running.count <= cpu)
		vec_push(&trace->running, 0);
	trace->faults.switches++;
	if (trace->running.item[cpu] && trace->running.item[cpu] != event->current->tid + 1)
		trace->faults.mismatched++;
	trace->running.item[cpu] = event->leave.next->tid + 1;
}

static const char *next_comm(struct sched_trace *trace, const struct plan *plan,
			     const struct event *event, const struct sched_task *task)
{
	const char *name;
	size_t len;

	if (!plan->has[SWITCH_NEXT_COMM] ||
	    !trace_field_text(&plan->field[SWITCH_NEXT_COMM], event, &name, &len))
		return "?";
	if (task->comm && strncmp(task->comm, name, len) == 0 && !task->comm[len])
		return task->comm;
	len = len < SCHED_COMM_MAX ? len : SCHED_COMM_MAX - 1;
	memcpy(trace->next_comm, name, len);
	trace->next_comm[len] = '\0';
	text_tidy(trace->next_comm, len);
	return trace->next_comm;
}

static bool decode_switch(struct sched_trace *trace, const struct plan *plan,
			  const struct replay_sample *sample, struct sched_event *ret)
{
	static const unsigned prev[] = { SWITCH_PREV, SWITCH_PREV_COMM };
	static const unsigned next[] = { SWITCH_NEXT, SWITCH_NEXT_COMM };
	const struct event *event = sample->event;

	ret->kind = SCHED_SWITCH;
	ret->current = task_in(trace, plan, event, prev);
	ret->leave.next = task_in(trace, plan, event, next);
	if (!ret->current || !ret->leave.next)
		return false;
	ret->leave.next_comm = next_comm(trace, plan, event, ret->leave.next);
	ret->leave.state = state_letter(number(plan, event, SWITCH_STATE));
	ret->leave.prev_priority = (int32_t)number(plan, event, SWITCH_PREV_PRIO);
	ret->leave.next_priority = (int32_t)number(plan, event, SWITCH_NEXT_PRIO);
	ret->leave.chain = sched_is_idle(ret->current) ? NULL : chain_text(trace, sample);
	note_switch(trace, ret);
	return true;
}

static bool decode_task(struct sched_trace *trace, const struct plan *plan,
			const struct event *event, struct sched_event *ret)
{
	static const unsigned who[] = { TASK_TID, TASK_COMM };
	struct sched_task *task = task_in(trace, plan, event, who);

	if (plan->is == TRACEPOINT_RUNTIME) {
		ret->kind = SCHED_RUNTIME;
		ret->runtime.task = task;
		ret->runtime.ns = (uint64_t)number(plan, event, RUNTIME_NS);
	} else if (plan->is == TRACEPOINT_MIGRATE) {
		ret->kind = SCHED_MIGRATE;
		ret->migrate.task = task;
		ret->migrate.from_cpu = (int32_t)number(plan, event, TASK_FROM);
		ret->migrate.to_cpu = (int32_t)number(plan, event, TASK_TO);
	} else {
		ret->kind = SCHED_WAKEUP;
		ret->wakeup.task = task;
	}
	return task != NULL;
}

/* Events of a pipe are announced on the way, so plans are made when samples need them. */
static const struct plan *plan_of(struct sched_trace *trace, const struct event_desc *desc)
{
	const struct event_set *set = perf_data_events(trace->data);

	if (!desc)
		return NULL;
	if (trace->plan.count < set->desc.count) {
		trace_print_free(trace->formats);
		trace->formats = trace_print_new(trace->data);
		trace->plan.count = 0;
		for (size_t i = 0; i < set->desc.count; i++)
			plan_event(trace, set->desc.item[i], vec_add(&trace->plan));
	}
	return desc->index < trace->plan.count ? &trace->plan.item[desc->index] : NULL;
}

static bool is_wanted(const struct sched_trace *trace, const struct plan *plan)
{
	return plan->is != TRACEPOINT_OTHER &&
	       !(plan->is == TRACEPOINT_WAKEUP && trace->has_waking);
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct sched_trace *trace = (struct sched_trace *)handler;
	const struct event *event = sample->event;
	struct sched_event decoded = { .cpu = event->cpu, .time_ns = event->time_ns };
	const struct plan *plan = plan_of(trace, event->desc);
	bool good;

	(void)err;
	if (!plan || !is_wanted(trace, plan))
		return 0;
	trace->faults.events++;
	if (plan->is == TRACEPOINT_SWITCH) {
		good = decode_switch(trace, plan, sample, &decoded);
	} else {
		decoded.current = task_of(trace, event->tid == UINT32_MAX ? 0 : event->tid);
		if (!decoded.current->comm)
			set_name(trace, decoded.current, sample->thread->comm,
				 strlen(sample->thread->comm));
		good = decode_task(trace, plan, event, &decoded);
	}
	if (good)
		trace->sink->event(trace->sink, &decoded);
	else
		trace->faults.malformed++;
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
	trace_print_free(trace->formats);
	vec_done(&trace->plan);
	vec_done(&trace->running);
	map_done(&trace->by_tid);
	free(trace->near);
	arena_done(&trace->arena);
	buf_done(&trace->chain);
	free(trace);
}

bool sched_trace_has_switches(const struct sched_trace *trace)
{
	return trace->has_switches;
}

int sched_trace_read(struct sched_trace *trace, const struct sched_options *options,
		     struct sched_sink *sink, struct err *err)
{
	struct replay_options replay = { .symbol = options->symbol,
					 .no_symbols = !options->max_stack,
					 .no_frames = !options->max_stack,
					 .progress = options->progress };

	trace->options = options;
	trace->sink = sink;
	return session_replay(trace->data, &replay, &trace->handler, err);
}

const struct sched_faults *sched_trace_faults(const struct sched_trace *trace)
{
	return &trace->faults;
}
