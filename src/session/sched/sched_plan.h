/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fields of the scheduler's tracepoints lie in a recording's samples: looked up by name
 * once per event, by offset once per sample. */
#ifndef SESSION_SCHED_PLAN_H
#define SESSION_SCHED_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/trace/trace_field.h"

#define SCHED_FIELDS_MAX 8

struct event_desc;
struct perf_data;
struct perf_record_plan;
struct sched_step_form;

enum sched_tracepoint {
	TRACEPOINT_OTHER,
	TRACEPOINT_SWITCH,
	TRACEPOINT_WAKING,
	TRACEPOINT_WAKEUP,
	TRACEPOINT_WAKEUP_NEW,
	TRACEPOINT_MIGRATE,
	TRACEPOINT_RUNTIME,
	TRACEPOINT_STEP,
	TRACEPOINT_LOCK_BEGIN, /* from here on: waits for locks, see sched_locks.h */
	TRACEPOINT_LOCK_END,
	TRACEPOINT_FUTEX_ENTER,
	TRACEPOINT_FUTEX_EXIT,
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
enum { LOCK_ADDRESS, LOCK_FLAGS };
enum { FUTEX_ADDRESS, FUTEX_OP, FUTEX_VALUE };
/* ORDER: as in the tables of sched_step_form.c */
enum { STEP_NUMBER, STEP_PLACE, STEP_VALUE, STEP_NUMBERS, STEP_NAME = STEP_NUMBERS };

/* Where the words of a digest (sched_digest.h) lie in a sample of the usual shape, in bytes from
 * the start of its record. What an event has no word for is another one under a mask of zero. */
struct sched_words {
	uint16_t least; /* bytes of a record that holds the length of its payload; 0 = none is of
			   that shape, or wanted */
	uint16_t payload_len, cpu, tid, other, first, second, state;
	uint32_t payload_least; /* bytes of a payload that holds all words */
	uint32_t mask, state_mask;
};

/* How the samples of one event are read. */
struct sched_plan {
	enum sched_tracepoint is;
	bool unwanted;	 /* not a scheduler event, or a wakeup with a preceding sched_waking */
	bool counts;	 /* samples carry values of counters: each becomes several events */
	uint8_t numbers; /* ORDER: fields begin with the numbers */
	const struct sched_step_form *step; /* of a TRACEPOINT_STEP */
	struct sched_words words;
	struct trace_field field[SCHED_FIELDS_MAX];
	bool has[SCHED_FIELDS_MAX];
};

/* Finds the words, where all fields are known already. `record` is how the event's records look. */
void sched_plan_words(struct sched_plan *plan, const struct perf_record_plan *record);

/* Zero-initialise. */
struct sched_plans {
	VEC(struct sched_plan) plan; /* by event_desc.index */
	bool steps;		     /* set before: what happens besides is wanted */
	bool locks;		     /* likewise: waits for locks */
	bool has_switches, has_waking;
};

/* Makes the plans of all events announced so far. */
void sched_plans_make(struct sched_plans *plans, const struct perf_data *data);
void sched_plans_done(struct sched_plans *plans);

/* A sample of one of these events. */
struct sched_sample {
	const struct sched_plan *plan;
	struct trace_payload payload;
	uint32_t cpu, tid;
	int64_t number[SCHED_FIELDS_MAX]; /* 0 when there is no such field */
};

/* Fills in the numbers; returns false if thread ids are missing, or what locks are known by. */
bool sched_sample_numbers(struct sched_sample *sample);

/* The bits of prev_state as its tracepoint names them since Linux 4.14; the highest one means that
 * the thread was preempted, which is R too. */
static inline char sched_state_letter(int64_t state)
{
	return "SDTtXZPIR"[__builtin_ctz(((unsigned)state & 0xff) | 0x100)];
}

bool sched_sample_text(const struct sched_plan *plan, struct trace_payload payload, unsigned field,
		       const char **ret, size_t *ret_len);

#endif
