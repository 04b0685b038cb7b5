/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fields of the scheduler's tracepoints lie in a recording's samples: looked up by name
 * once per event, by offset once per sample. */
#ifndef SESSION_SCHED_PLAN_H
#define SESSION_SCHED_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"
#include "format/trace/trace_field.h"

#define SCHED_FIELDS_MAX 8

struct event_desc;
struct perf_data;
struct trace_print;

enum sched_tracepoint {
	TRACEPOINT_OTHER,
	TRACEPOINT_SWITCH,
	TRACEPOINT_WAKING,
	TRACEPOINT_WAKEUP,
	TRACEPOINT_WAKEUP_NEW,
	TRACEPOINT_MIGRATE,
	TRACEPOINT_RUNTIME,
};

/* ORDER: as in the table of sched_plan.c */
enum {
	SWITCH_PREV,
	SWITCH_NEXT,
	SWITCH_STATE,
	SWITCH_PREV_PRIO,
	SWITCH_NEXT_PRIO,
	SWITCH_PREV_COMM,
	SWITCH_NEXT_COMM
};
enum { TASK_TID, TASK_COMM };
enum { MIGRATE_TID, MIGRATE_FROM, MIGRATE_TO, MIGRATE_COMM };
enum { RUNTIME_TID, RUNTIME_NS, RUNTIME_COMM };

/* How the samples of one event are read. */
struct sched_plan {
	enum sched_tracepoint is;
	bool unwanted; /* not of the scheduler, or a wakeup whose beginning (sched_waking) is there
			*/
	/* The numbers are there, host-endian and of 4 or (bits of `wide`) 8 bytes, in the first
	 * `least` bytes: as good as always. */
	bool simple;
	uint8_t numbers, wide; /* ORDER: fields begin with the numbers */
	uint32_t least;
	struct trace_field field[SCHED_FIELDS_MAX];
	bool has[SCHED_FIELDS_MAX];
};

/* Zero-initialise but for `data`. */
struct sched_plans {
	const struct perf_data *data;
	struct trace_print *formats;
	VEC(struct sched_plan) plan; /* by event_desc.index */
	bool priorities;	     /* are wanted, too */
	bool has_switches, has_waking;
};

/* Makes the plans of all events announced so far; in a pipe that happens on the way. */
void sched_plans_make(struct sched_plans *plans);

static inline const struct sched_plan *sched_plan_of(struct sched_plans *plans, uint32_t event)
{
	if (event >= plans->plan.count)
		sched_plans_make(plans);
	return &plans->plan.item[event];
}

void sched_plans_done(struct sched_plans *plans);

/* A sample of one of these events. */
struct sched_sample {
	const struct sched_plan *plan;
	struct trace_payload payload;
	uint64_t time_ns;
	uint32_t cpu, pid, tid;
	int64_t number[SCHED_FIELDS_MAX]; /* 0 when there is no such field */
};

/* The numbers of payloads that are not simple; false without those that are ids of threads. */
bool sched_sample_any_numbers(struct sched_sample *sample);

/* Fills in the numbers. */
static inline bool sched_sample_numbers(struct sched_sample *sample)
{
	const struct sched_plan *plan = sample->plan;

	if (!plan->simple || sample->payload.len < plan->least)
		return sched_sample_any_numbers(sample);
	for (unsigned f = 0; f < plan->numbers; f++) {
		const uint8_t *at = sample->payload.bytes + plan->field[f].offset;
		int32_t half;

		if (plan->wide >> f & 1) {
			memcpy(&sample->number[f], at, sizeof(sample->number[f]));
		} else {
			memcpy(&half, at, sizeof(half));
			sample->number[f] = half;
		}
	}
	return true;
}

bool sched_sample_text(const struct sched_sample *sample, unsigned field, const char **ret,
		       size_t *ret_len);

#endif
