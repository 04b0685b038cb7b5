/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's tracepoints and their fields (see sched_plan.h).
 * Source of the names: events/sched/NAME/format in tracefs. */
#include "session/sched/sched_plan.h"

#include <string.h>

#include "event/desc.h"
#include "format/perf_data.h"
#include "format/trace/trace_print.h"

struct tracepoint_fields {
	const char *name;
	uint8_t ids; /* so many of the numbers are threads, without which a sample says nothing */
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
};

/* See struct sched_plan. */
static bool is_simple(struct sched_plan *plan)
{
	for (unsigned f = 0; f < plan->numbers; f++) {
		const struct trace_field *field = &plan->field[f];

		if (!plan->has[f] || field->swapped || (field->size != 4 && field->size != 8) ||
		    field->offset > UINT16_MAX)
			return false;
		if (field->size == 8)
			plan->wide |= (uint8_t)(1 << f);
		if (plan->least < field->offset + field->size)
			plan->least = field->offset + field->size;
	}
	return true;
}

static void plan_event(struct sched_plans *plans, const struct event_desc *desc,
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
			plan->has[f] = trace_print_field(plans->formats, desc, known->field[f],
							 &plan->field[f]);
	}
	if (plan->is == TRACEPOINT_SWITCH && !plans->priorities)
		plan->numbers = SWITCH_PREV_PRIO;
	plan->simple = is_simple(plan);
	plans->has_switches |= plan->is == TRACEPOINT_SWITCH;
	plans->has_waking |= plan->is == TRACEPOINT_WAKING;
}

void sched_plans_make(struct sched_plans *plans)
{
	const struct event_set *set = perf_data_events(plans->data);

	trace_print_free(plans->formats);
	plans->formats = trace_print_new(plans->data);
	plans->plan.count = 0;
	for (size_t i = 0; i < set->desc.count; i++)
		plan_event(plans, set->desc.item[i], vec_add(&plans->plan));
	for (size_t i = 0; i < plans->plan.count; i++) {
		struct sched_plan *plan = &plans->plan.item[i];

		plan->unwanted = plan->is == TRACEPOINT_OTHER ||
				 (plan->is == TRACEPOINT_WAKEUP && plans->has_waking);
	}
}

void sched_plans_done(struct sched_plans *plans)
{
	trace_print_free(plans->formats);
	vec_done(&plans->plan);
}

bool sched_sample_any_numbers(struct sched_sample *sample)
{
	const struct sched_plan *plan = sample->plan;
	bool whole = true;

	for (unsigned f = 0; f < plan->numbers; f++) {
		sample->number[f] = 0;
		if (!plan->has[f] ||
		    !trace_field_number(&plan->field[f], sample->payload, &sample->number[f]))
			whole &= f >= tracepoints[plan->is].ids;
	}
	return whole;
}

bool sched_sample_text(const struct sched_sample *sample, unsigned field, const char **ret,
		       size_t *ret_len)
{
	return sample->plan->has[field] &&
	       trace_field_text(&sample->plan->field[field], sample->payload, ret, ret_len);
}
