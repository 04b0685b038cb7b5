/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's tracepoints and their fields (see sched_plan.h).
 * Source of the names: events/sched/NAME/format in tracefs. */
#include "session/sched/sched_plan.h"

#include <string.h>

#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_print.h"
#include "session/sched/sched_step_form.h"

struct tracepoint_fields {
	const char *name;
	uint8_t ids; /* without so many of the numbers, mostly threads, a sample says nothing */
	uint8_t numbers;
	const char *field[SCHED_FIELDS_MAX]; /* first the numbers, then names */
};

static const struct tracepoint_fields tracepoints[] = {
	[TRACEPOINT_SWITCH] = { "sched:sched_switch",
				2,
				5,
				{ "prev_pid", "next_pid", "prev_state", "prev_prio", "next_prio",
				  "prev_comm", "next_comm" } },
	[TRACEPOINT_WAKING] = { "sched:sched_waking", 1, 1, { "pid", "comm" } },
	[TRACEPOINT_WAKEUP] = { "sched:sched_wakeup", 1, 1, { "pid", "comm" } },
	[TRACEPOINT_WAKEUP_NEW] = { "sched:sched_wakeup_new", 1, 1, { "pid", "comm" } },
	[TRACEPOINT_MIGRATE] = { "sched:sched_migrate_task",
				 1,
				 3,
				 { "pid", "orig_cpu", "dest_cpu", "comm" } },
	[TRACEPOINT_RUNTIME] = { "sched:sched_stat_runtime", 1, 2, { "pid", "runtime", "comm" } },
	[TRACEPOINT_STEP] = { NULL, 0, 0, { NULL } }, /* has tables of its own */
	[TRACEPOINT_LOCK_BEGIN] = { "lock:contention_begin", 2, 2, { "lock_addr", "flags" } },
	[TRACEPOINT_LOCK_END] = { "lock:contention_end", 1, 1, { "lock_addr" } },
	[TRACEPOINT_FUTEX_ENTER] = { "syscalls:sys_enter_futex", 3, 3, { "uaddr", "op", "val" } },
	[TRACEPOINT_FUTEX_EXIT] = { "syscalls:sys_exit_futex", 0, 0, { NULL } },
};

/* The field lies there in full, as a number of that size. Gives where, from the payload's start. */
static bool find_word(struct sched_plan *plan, unsigned f, unsigned size, uint16_t *ret)
{
	const struct trace_field *field = &plan->field[f];

	if (!plan->has[f] || field->swapped || field->size != size ||
	    field->offset > UINT16_MAX / 2)
		return false;
	if (plan->words.payload_least < field->offset + size)
		plan->words.payload_least = field->offset + size;
	*ret = (uint16_t)field->offset;
	return true;
}

/* Words in the payload, from its start. */
static bool find_words(struct sched_plan *plan)
{
	struct sched_words *words = &plan->words;

	switch (plan->is) {
	case TRACEPOINT_SWITCH:
		words->mask = UINT32_MAX;
		words->state_mask = UINT32_MAX;
		return find_word(plan, SWITCH_PREV, 4, &words->tid) &&
		       find_word(plan, SWITCH_NEXT, 4, &words->other) &&
		       find_word(plan, SWITCH_PREV_PRIO, 4, &words->first) &&
		       find_word(plan, SWITCH_NEXT_PRIO, 4, &words->second) &&
		       (find_word(plan, SWITCH_STATE, 8, &words->state) ||
			find_word(plan, SWITCH_STATE, 4, &words->state));
	case TRACEPOINT_MIGRATE:
		words->mask = UINT32_MAX;
		return find_word(plan, MIGRATE_TID, 4, &words->other) &&
		       find_word(plan, MIGRATE_FROM, 4, &words->first) &&
		       find_word(plan, MIGRATE_TO, 4, &words->second);
	case TRACEPOINT_RUNTIME:
		words->mask = UINT32_MAX;
		if (!find_word(plan, RUNTIME_NS, 8, &words->first))
			return false;
		words->second = (uint16_t)(words->first + 4);
		return find_word(plan, RUNTIME_TID, 4, &words->other);
	case TRACEPOINT_OTHER:
	case TRACEPOINT_STEP:
	case TRACEPOINT_LOCK_BEGIN:
	case TRACEPOINT_LOCK_END:
	case TRACEPOINT_FUTEX_ENTER:
	case TRACEPOINT_FUTEX_EXIT:
		return false;
	default:
		return find_word(plan, TASK_TID, 4, &words->other);
	}
}

/* Halves of numbers are taken as they lie on a little-endian machine. */
void sched_plan_words(struct sched_plan *plan, const struct perf_record_plan *record)
{
	const size_t header = sizeof(struct perf_event_header), word = sizeof(uint64_t);
	struct sched_words *words = &plan->words;
	uint16_t len_at = (uint16_t)(header + record->fixed_words * word);
	uint16_t *in_payload[] = { &words->other, &words->first, &words->second, &words->state };

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !record->only_raw || record->tid < 0 ||
	    record->cpu < 0 || !find_words(plan))
		return;
	words->payload_len = len_at;
	words->least = (uint16_t)(len_at + sizeof(uint32_t));
	words->cpu = (uint16_t)(header + (size_t)record->cpu * word);
	if (plan->is == TRACEPOINT_SWITCH)
		words->tid += words->least;
	else
		words->tid = (uint16_t)(header + (size_t)record->tid * word + sizeof(uint32_t));
	for (size_t i = 0; i < sizeof(in_payload) / sizeof(*in_payload); i++)
		*in_payload[i] += words->least;
}

/* Something that happens besides. Without all of its numbers it is left out. */
static void plan_step(const struct event_desc *desc, struct trace_print *formats,
		      struct sched_plan *plan)
{
	const struct sched_step_form *form = sched_step_form_find(desc->name);

	if (!form)
		return;
	plan->is = TRACEPOINT_STEP;
	plan->step = form;
	plan->numbers = STEP_NUMBERS;
	for (size_t f = 0; f <= STEP_NAME; f++)
		plan->has[f] = form->field[f] &&
			       trace_print_field(formats, desc, form->field[f], &plan->field[f]);
	for (size_t f = 0; f < STEP_NUMBERS; f++)
		if (form->field[f] && !plan->has[f])
			plan->is = TRACEPOINT_OTHER;
}

static void plan_event(const struct event_desc *desc, struct trace_print *formats,
		       struct sched_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(*tracepoints); i++) {
		const struct tracepoint_fields *known = &tracepoints[i];

		if (!known->name || strcmp(desc->name, known->name) != 0)
			continue;
		plan->is = (enum sched_tracepoint)i;
		plan->numbers = known->numbers;
		for (size_t f = 0; f < SCHED_FIELDS_MAX && known->field[f]; f++)
			plan->has[f] =
				trace_print_field(formats, desc, known->field[f], &plan->field[f]);
	}
	if (plan->is == TRACEPOINT_OTHER)
		plan_step(desc, formats, plan);
	plan->counts = desc->attr.sample_type & PERF_SAMPLE_READ;
	sched_plan_words(plan, &desc->plan);
}

void sched_plans_make(struct sched_plans *plans, const struct perf_data *data)
{
	const struct event_set *set = perf_data_events(data);
	struct trace_print *formats = trace_print_new(data);

	plans->plan.count = 0;
	for (size_t i = 0; i < set->desc.count; i++) {
		struct sched_plan *plan = vec_add(&plans->plan);

		plan_event(set->desc.item[i], formats, plan);
		plans->has_switches |= plan->is == TRACEPOINT_SWITCH;
		plans->has_waking |= plan->is == TRACEPOINT_WAKING;
	}
	trace_print_free(formats);
	for (size_t i = 0; i < plans->plan.count; i++) {
		struct sched_plan *plan = &plans->plan.item[i];

		plan->unwanted = plan->is == TRACEPOINT_OTHER ||
				 (plan->is == TRACEPOINT_WAKEUP && plans->has_waking) ||
				 (plan->is == TRACEPOINT_STEP && !plans->steps) ||
				 (plan->is >= TRACEPOINT_LOCK_BEGIN && !plans->locks);
		if (plan->unwanted || plan->counts)
			plan->words.least = 0;
	}
}

void sched_plans_done(struct sched_plans *plans)
{
	vec_done(&plans->plan);
}

bool sched_sample_numbers(struct sched_sample *sample)
{
	const struct sched_plan *plan = sample->plan;
	bool whole = true;

	for (unsigned f = 0; f < plan->numbers; f++) {
		sample->number[f] = 0;
		if (!plan->has[f] ||
		    !trace_field_number(&plan->field[f], sample->payload, &sample->number[f]))
			whole &= plan->step ? !plan->has[f] : f >= tracepoints[plan->is].ids;
	}
	return whole;
}

bool sched_sample_text(const struct sched_plan *plan, struct trace_payload payload, unsigned field,
		       const char **ret, size_t *ret_len)
{
	return plan->has[field] && trace_field_text(&plan->field[field], payload, ret, ret_len);
}
