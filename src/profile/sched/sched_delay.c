/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Delays per thread (see sched_delay.h). A thread met for the first time counts as runnable since
 * that moment. A wakeup of a thread that has not left its CPU yet means nothing; only when a single
 * CPU is looked at, where departures may not have been seen, every wakeup counts. */
#include "profile/sched/sched_delay.h"

#include <string.h>

#include "base/map.h"

enum phase {
	PHASE_NEW, /* not met yet */
	PHASE_ASLEEP,
	PHASE_WAITING,
	PHASE_RUNNING,
};

/* Apart, as it is rare and large. */
static __attribute__((noinline)) struct sched_delay_row *new_row(struct sched_delays *delays,
								 const struct sched_task *task,
								 enum phase phase, uint64_t now_ns)
{
	while (delays->row.count <= task->index)
		memset(vec_add(&delays->row), 0, sizeof(struct sched_delay_row));
	delays->row.item[task->index] = (struct sched_delay_row){
		.task = task, .merged = 1, .since_ns = now_ns, .phase = phase
	};
	return &delays->row.item[task->index];
}

static inline struct sched_delay_row *row_of(struct sched_delays *delays,
					     const struct sched_task *task, enum phase phase,
					     uint64_t now_ns)
{
	if (task->index < delays->row.count && delays->row.item[task->index].phase != PHASE_NEW)
		return &delays->row.item[task->index];
	return new_row(delays, task, phase, now_ns);
}

static bool is_in_window(const struct sched_delays *delays, uint64_t time_ns)
{
	return time_ns >= delays->start_ns && time_ns <= delays->end_ns;
}

static void add_delay(struct sched_delays *delays, struct sched_delay_row *row, uint64_t now_ns)
{
	uint64_t delay_ns = now_ns - row->since_ns;
	int bucket = delay_ns ? 63 - __builtin_clzll(delay_ns) : 0;

	row->total_ns += delay_ns;
	row->count++;
	if (delay_ns > row->max_ns) {
		row->max_ns = delay_ns;
		row->max_start_ns = row->since_ns;
		row->max_end_ns = now_ns;
	}
	if (!sched_is_idle(row->task))
		delays->histogram[bucket < SCHED_DELAY_BUCKETS ? bucket
							       : SCHED_DELAY_BUCKETS - 1]++;
}

static void take_switch(struct sched_delays *delays, const struct sched_event *event)
{
	bool runnable = event->leave.state == 'R';
	enum phase phase = runnable ? PHASE_WAITING : PHASE_ASLEEP;
	struct sched_delay_row *row = row_of(delays, event->current, phase, event->time_ns);

	row->phase = (uint8_t)phase;
	row->since_ns = event->time_ns;
	row = row_of(delays, event->leave.next, PHASE_WAITING, event->time_ns);
	if (row->phase == PHASE_WAITING && event->time_ns >= row->since_ns &&
	    is_in_window(delays, event->time_ns))
		add_delay(delays, row, event->time_ns);
	row->phase = PHASE_RUNNING;
}

static void take_wakeup(struct sched_delays *delays, const struct sched_event *event)
{
	struct sched_delay_row *row =
		row_of(delays, event->wakeup.task, PHASE_ASLEEP, event->time_ns);

	if ((delays->cpu < 0 && row->phase != PHASE_ASLEEP) || row->since_ns > event->time_ns)
		return;
	row->phase = PHASE_WAITING;
	row->since_ns = event->time_ns;
}

static void take_migration(struct sched_delays *delays, const struct sched_event *event)
{
	struct sched_delay_row *row;

	if (delays->cpu < 0)
		return;
	row = row_of(delays, event->migrate.task, PHASE_WAITING, event->time_ns);
	row->since_ns = event->time_ns;
}

static void take_runtime(struct sched_delays *delays, const struct sched_event *event)
{
	struct sched_delay_row *row =
		row_of(delays, event->runtime.task, PHASE_WAITING, event->time_ns);

	if (is_in_window(delays, event->time_ns))
		row->runtime_ns += event->runtime.ns;
}

static void take(struct sched_sink *sink, const struct sched_event *event)
{
	struct sched_delays *delays = (struct sched_delays *)sink;

	if (event->kind == SCHED_LOST || (delays->cpu >= 0 && event->cpu != (uint32_t)delays->cpu))
		return;
	switch (event->kind) {
	case SCHED_SWITCH:
		take_switch(delays, event);
		break;
	case SCHED_WAKEUP:
		take_wakeup(delays, event);
		break;
	case SCHED_MIGRATE:
		take_migration(delays, event);
		break;
	default:
		take_runtime(delays, event);
		break;
	}
}

void sched_delays_init(struct sched_delays *delays, int32_t cpu)
{
	memset(delays, 0, sizeof(*delays));
	delays->sink.event = take;
	delays->cpu = cpu;
	delays->end_ns = UINT64_MAX;
}

static void merge(struct sched_delay_row *into, const struct sched_delay_row *row)
{
	into->merged++;
	into->runtime_ns += row->runtime_ns;
	into->count += row->count;
	into->total_ns += row->total_ns;
	if (into->max_ns >= row->max_ns)
		return;
	into->max_ns = row->max_ns;
	into->max_start_ns = row->max_start_ns;
	into->max_end_ns = row->max_end_ns;
}

/* Merges the rows of threads with the same name. */
static void merge_names(struct sched_delays *delays)
{
	struct map by_name = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < delays->row.count; i++) {
		struct sched_delay_row *row = &delays->row.item[i];
		bool added;
		uint64_t *place;

		if (!row->task)
			continue;
		place = map_add(&by_name, hash_bytes(row->task->comm, strlen(row->task->comm)),
				&added);
		if (added) {
			*place = kept;
			delays->row.item[kept++] = *row;
		} else {
			merge(&delays->row.item[*place], row);
		}
	}
	delays->row.count = kept;
	map_done(&by_name);
}

static uint64_t key_value(const struct sched_delay_row *row, enum sched_delay_key key)
{
	switch (key) {
	case SCHED_DELAY_AVERAGE:
		return row->total_ns / row->count;
	case SCHED_DELAY_MAX:
		return row->max_ns;
	case SCHED_DELAY_COUNT:
		return row->count;
	case SCHED_DELAY_RUNTIME:
		return row->runtime_ns;
	default:
		return row->task->tid;
	}
}

static int compare(const void *a, const void *b, void *context)
{
	const struct sched_delay_order *order = context;
	const struct sched_delay_row *left = a, *right = b;

	for (const enum sched_delay_key *key = order->key; *key; key++) {
		uint64_t l = key_value(left, *key), r = key_value(right, *key);

		if (l != r)
			return l < r ? 1 : -1;
	}
	return left->task->index < right->task->index ? -1 : 1;
}

void sched_delays_finish(struct sched_delays *delays, const struct sched_delay_order *order)
{
	size_t kept = 0;

	if (!order->per_thread)
		merge_names(delays);
	for (size_t i = 0; i < delays->row.count; i++) {
		const struct sched_delay_row *row = &delays->row.item[i];

		if (!row->task || !row->count || sched_is_idle(row->task))
			continue;
		delays->runtime_ns += row->runtime_ns;
		delays->count += row->count;
		delays->row.item[kept++] = *row;
	}
	delays->row.count = kept;
	if (kept)
		qsort_r(delays->row.item, kept, sizeof(*delays->row.item), compare,
			(void *)(uintptr_t)order);
}

void sched_delays_done(struct sched_delays *delays)
{
	vec_done(&delays->row);
}
