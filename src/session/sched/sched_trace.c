/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduler tracepoints into sched events (see sched_trace.h). A thread owns its id from a fork to
 * the next fork with the same id: its last switch comes after its exit record and belongs to it.
 * Wakeups count at their beginning (sched_waking); sched_wakeup, which follows on the CPU of the
 * woken thread, is used only for recordings without it.
 *
 * Samples are decoded in place in the file, each into a digest (sched_digest.h), on the reader's
 * thread; another thread interprets them in time order. Samples with required call chains, and
 * those that do not fit into a digest, arrive as events. */
#include "session/sched/sched_trace.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/perf_record.h"
#include "format/perf_data/perf_data.h"
#include "proc/proc.h"
#include "session/replay.h"
#include "session/sched/sched_digest.h"
#include "session/sched/sched_locks.h"
#include "session/sched/sched_plan.h"
#include "session/sched/sched_step_form.h"

#define NEAR_TIDS 65536u

struct sched_trace {
	struct replay_handler handler; /* first */
	struct perf_data *data;
	const struct event_set *events; /* of it */
	/* Of events known before reading, for both threads; of those announced on the way. */
	struct sched_plans plans, late_plans;
	uint64_t malformed; /* samples met by the reader */
	uint64_t steps;
	struct arena arena;
	struct map by_tid; /* tid → struct sched_task *; of small ones in near[], which is faster */
	struct sched_task **near;
	uint32_t task_count;
	VEC(uint32_t) running; /* by CPU: tid + 1 of the running thread; 0: unknown */
	struct sched_faults faults;
	/* While reading: */
	const struct sched_options *options;
	struct sched_sink *sink;
	struct buf chain;
	struct sched_locks *locks; /* NULL = not wanted */
	char next_comm[SCHED_COMM_MAX];
};

/* Where a fact is from. */
struct sighting {
	uint64_t time_ns;
	struct replay *replay;
	const struct perf_event_header
		*record;	       /* of a digest, to be looked at again for the rest: */
	const struct sched_plan *plan; /* NULL = that has not been done */
	struct trace_payload payload;
	uint32_t pid;
};

static const struct sched_plan *plan_of(struct sched_trace *trace, uint32_t event)
{
	if (event < trace->plans.plan.count)
		return &trace->plans.plan.item[event];
	if (event >= trace->late_plans.plan.count)
		sched_plans_make(&trace->late_plans, trace->data);
	return &trace->late_plans.plan.item[event];
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

static uint32_t half_of(const struct perf_event_header *record, int8_t word, size_t half)
{
	uint32_t value = UINT32_MAX;

	if (word >= 0)
		memcpy(&value, (const uint32_t *)(record + 1) + 2 * word + half, sizeof(value));
	return value;
}

/* What is not in the digest. The record was found good when that was made. */
static void look_again(struct sched_trace *trace, struct sighting *seen)
{
	const struct event_desc *desc = perf_record_sample_desc(trace->events, seen->record);

	seen->plan = plan_of(trace, desc->index);
	seen->pid = half_of(seen->record, desc->plan.tid, 0);
	(void)perf_record_payload(desc, seen->record, &seen->payload.bytes, &seen->payload.len);
}

static bool text_of(struct sched_trace *trace, struct sighting *seen, unsigned field,
		    const char **ret, size_t *ret_len)
{
	if (!seen->plan)
		look_again(trace, seen);
	return sched_sample_text(seen->plan, seen->payload, field, ret, ret_len);
}

static void name_task(struct sched_trace *trace, struct sched_task *task, struct sighting *seen,
		      unsigned comm)
{
	const char *name = "?";
	size_t len = 1;

	if (!task->tid) {
		name = "swapper";
		len = strlen(name);
	} else if (!text_of(trace, seen, comm, &name, &len) || !len) {
		name = "?";
		len = 1;
	}
	set_name(trace, task, name, len);
}

/* A task as an event mentions it: its name is a last resort. */
static inline struct sched_task *task_in(struct sched_trace *trace, struct sighting *seen,
					 uint32_t tid, unsigned comm)
{
	struct sched_task *task = task_of(trace, tid);

	if (!task->comm)
		name_task(trace, task, seen, comm);
	return task;
}

/* Functions of the scheduler itself do not show the reason of the call. */
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

static const char *next_comm(struct sched_trace *trace, struct sighting *seen,
			     const struct sched_task *task)
{
	const char *name;
	size_t len;

	if (!text_of(trace, seen, SWITCH_NEXT_COMM, &name, &len))
		return "?";
	if (task->comm && strncmp(task->comm, name, len) == 0 && !task->comm[len])
		return task->comm;
	len = len < SCHED_COMM_MAX ? len : SCHED_COMM_MAX - 1;
	memcpy(trace->next_comm, name, len);
	trace->next_comm[len] = '\0';
	text_tidy(trace->next_comm, len);
	return trace->next_comm;
}

static inline void take_switch(struct sched_trace *trace, const struct sched_fact *fact,
			       struct sighting *seen, struct sched_event *ret)
{
	ret->kind = SCHED_SWITCH;
	ret->current = task_in(trace, seen, fact->tid, SWITCH_PREV_COMM);
	ret->leave.next = task_in(trace, seen, fact->other, SWITCH_NEXT_COMM);
	ret->leave.next_comm = trace->options->next_names ? next_comm(trace, seen, ret->leave.next)
							  : ret->leave.next->comm;
	ret->leave.state = fact->state;
	ret->leave.prev_priority = fact->prev_priority;
	ret->leave.next_priority = fact->next_priority;
	ret->leave.lock =
		trace->locks && fact->state != 'R' && !sched_is_idle(ret->current)
			? sched_locks_text(trace->locks, ret->current, replay_procs(seen->replay))
			: NULL;
	note_switch(trace, ret);
}

static inline void take_other(struct sched_trace *trace, const struct sched_fact *fact,
			      struct sighting *seen, struct sched_event *ret)
{
	switch (fact->is) {
	case TRACEPOINT_RUNTIME:
		ret->kind = SCHED_RUNTIME;
		ret->runtime.task = task_in(trace, seen, fact->other, RUNTIME_COMM);
		ret->runtime.ns = fact->runtime_ns;
		break;
	case TRACEPOINT_MIGRATE:
		ret->kind = SCHED_MIGRATE;
		ret->migrate.task = task_in(trace, seen, fact->other, MIGRATE_COMM);
		ret->migrate.from_cpu = fact->from_cpu;
		ret->migrate.to_cpu = fact->to_cpu;
		break;
	default:
		ret->kind = SCHED_WAKEUP;
		ret->wakeup.task = task_in(trace, seen, fact->other, TASK_COMM);
		break;
	}
}

static void name_interrupted(struct sched_trace *trace, struct sighting *seen,
			     struct sched_task *task)
{
	const char *comm = "swapper";

	if (!seen->plan)
		look_again(trace, seen);
	if (task->tid)
		comm = replay_thread(seen->replay, seen->pid, task->tid)->comm;
	set_name(trace, task, comm, strlen(comm));
}

/* The thread that the event interrupted. */
static inline struct sched_task *interrupted(struct sched_trace *trace, struct sighting *seen,
					     uint32_t tid)
{
	struct sched_task *task = task_of(trace, tid == UINT32_MAX ? 0 : tid);

	if (!task->comm)
		name_interrupted(trace, seen, task);
	return task;
}

/* `stack` is the sample with its call chain; NULL: not needed. */
static inline void take(struct sched_trace *trace, const struct sched_fact *fact,
			struct sighting *seen, const struct replay_sample *stack)
{
	struct sched_event event;

	trace->faults.events++;
	event.cpu = fact->cpu;
	event.time_ns = seen->time_ns;
	if (fact->is == TRACEPOINT_SWITCH) {
		take_switch(trace, fact, seen, &event);
		event.leave.chain =
			stack && !sched_is_idle(event.current) ? chain_text(trace, stack) : NULL;
	} else {
		event.current = interrupted(trace, seen, fact->tid);
		take_other(trace, fact, seen, &event);
	}
	trace->sink->event(trace->sink, &event);
}

static inline void pause_view(const struct sched_options *options)
{
	if (options->pause)
		options->pause(options->context);
}

/* A step of something besides threads' states. */
static void take_step(struct sched_trace *trace, const struct sched_sample *taken,
		      struct sighting *seen)
{
	struct sched_event event = { .kind = SCHED_STEP,
				     .cpu = taken->cpu,
				     .time_ns = seen->time_ns };
	const char *name = NULL;
	size_t len = 0;

	trace->steps++;
	event.current = interrupted(trace, seen, taken->tid);
	(void)sched_sample_text(taken->plan, taken->payload, STEP_NAME, &name, &len);
	sched_step_make(taken->plan->step, taken->number, name, len, &event.step);
	trace->sink->event(trace->sink, &event);
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct sched_trace *trace = (struct sched_trace *)handler;
	const struct event *event = sample->event;
	struct sched_sample taken = { .payload = { event->sample.raw, event->sample.raw_len },
				      .cpu = event->cpu,
				      .tid = event->tid };
	struct sighting seen = { .time_ns = event->time_ns,
				 .replay = sample->replay,
				 .payload = taken.payload,
				 .pid = event->pid };
	struct sched_fact fact;

	(void)err;
	if (!event->desc)
		return 0;
	taken.plan = seen.plan = plan_of(trace, event->desc->index);
	if (taken.plan->unwanted)
		return 0;
	if (!sched_sample_numbers(&taken)) {
		trace->faults.events++;
		trace->faults.malformed++;
		return 0;
	}
	if (taken.plan->is == TRACEPOINT_STEP) {
		take_step(trace, &taken, &seen);
		return 0;
	}
	if (taken.plan->is >= TRACEPOINT_LOCK_BEGIN) {
		sched_locks_take(trace->locks, &taken, interrupted(trace, &seen, taken.tid),
				 event->pid);
		return 0;
	}
	sched_fact_of_sample(&taken, &fact);
	take(trace, &fact, &seen, trace->options->max_stack ? sample : NULL);
	pause_view(trace->options);
	return 0;
}

/* The place in the event set of a sample's event, by its id as most files have them; UINT32_MAX =
 * to be asked for. */
static inline uint32_t event_close_to(const struct event_set *set,
				      const struct perf_event_header *record)
{
	const uint64_t *body = (const uint64_t *)(record + 1);
	uint64_t near;

	if (set->sample_id < 0 || set->desc.count == 1 ||
	    record->size < sizeof(*record) + (size_t)(set->sample_id + 1) * sizeof(*body))
		return UINT32_MAX;
	near = body[set->sample_id] - set->first_id;
	return near < set->near.count ? set->near.item[near] - 1 : UINT32_MAX;
}

/* A sample that there is no digest of, for one reason or another. */
static __attribute__((noinline)) bool take_odd_one(struct sched_trace *trace,
						   const struct perf_event_header *record)
{
	const struct event_desc *desc = perf_record_sample_desc(trace->events, record);
	const struct sched_plan *plan;
	struct trace_payload payload;

	if (!desc || desc->index >= trace->plans.plan.count)
		return true;
	plan = &trace->plans.plan.item[desc->index];
	if (plan->counts || plan->unwanted)
		return plan->counts;
	if (perf_record_payload(desc, record, &payload.bytes, &payload.len))
		return true;
	trace->malformed++;
	return false;
}

static bool make_digest(struct replay_handler *handler, struct timed_record *item)
{
	struct sched_trace *trace = (struct sched_trace *)handler;
	const struct perf_event_header *record = (const struct perf_event_header *)item->record;
	uint32_t event = event_close_to(trace->events, record);

	if (event < trace->plans.plan.count &&
	    sched_digest_read(&trace->plans.plan.item[event], record, item->digest))
		return true;
	item->digest[0] = item->digest[1] = 0;
	return take_odd_one(trace, record);
}

/* The loop that most of the time is spent in. */
static int take_digests(struct replay_handler *handler, struct replay *replay,
			struct timed_records *records, struct err *err)
{
	struct sched_trace *trace = (struct sched_trace *)handler;
	struct sighting seen = { .replay = replay };
	struct sched_fact fact;
	size_t i;

	(void)err;
	for (i = 0; i < records->count; i++) {
		const struct timed_record *item = &records->item[i];

		if (!timed_record_has_digest(item))
			break;

		seen.time_ns = item->time_ns;
		seen.record = (const struct perf_event_header *)item->record;
		seen.plan = NULL;
		sched_fact_of_digest(item->digest, &fact);
		take(trace, &fact, &seen, NULL);
		pause_view(trace->options);
	}
	records->count = i;
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
		if (trace->locks && event->tid == event->pid)
			sched_locks_renew(trace->locks, event->pid);
		break;
	case EVENT_COMM:
		task = task_of(trace, event->tid);
		task->pid = event->pid;
		set_name(trace, task, event->comm.name, strlen(event->comm.name));
		task->renamed = true; /* if only to what it was called before */
		if (trace->locks && event->comm.exec)
			sched_locks_renew(trace->locks, event->pid);
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
		if (trace->locks)
			sched_locks_forget(trace->locks);
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
	trace->events = perf_data_events(data);
	trace->near = mem_zalloc(NEAR_TIDS * sizeof(struct sched_task *));
	return trace;
}

void sched_trace_free(struct sched_trace *trace)
{
	if (!trace)
		return;
	sched_plans_done(&trace->plans);
	sched_plans_done(&trace->late_plans);
	vec_done(&trace->running);
	map_done(&trace->by_tid);
	free(trace->near);
	sched_locks_free(trace->locks);
	arena_done(&trace->arena);
	buf_done(&trace->chain);
	free(trace);
}

bool sched_trace_has_switches(const struct sched_trace *trace)
{
	const struct sched_faults *faults = &trace->faults;

	return (trace->plans.has_switches || trace->late_plans.has_switches) &&
	       (faults->events || faults->malformed);
}

bool sched_trace_has_steps(const struct sched_trace *trace)
{
	return trace->steps > 0;
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
	int code;

	trace->options = options;
	trace->sink = sink;
	trace->plans.steps = trace->late_plans.steps = options->steps;
	trace->plans.locks = trace->late_plans.locks = options->locks;
	if (options->locks)
		trace->locks = sched_locks_new(options->symbol.symfs);
	sched_plans_make(&trace->plans, trace->data);
	trace->handler.make_digest = stacks ? NULL : make_digest;
	trace->handler.take_digests = stacks ? NULL : take_digests;
	code = session_replay(trace->data, &replay, &trace->handler, err);
	trace->faults.malformed += trace->malformed;
	return code;
}

const struct sched_faults *sched_trace_faults(const struct sched_trace *trace)
{
	return &trace->faults;
}
