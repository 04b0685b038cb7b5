/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The set of events of a recording: attrs, names, ids and the layout of their records. Layout
 * source: perf_event_open(2) and include/uapi/linux/perf_event.h. Names are in event/name.c. */
#include "event/desc.h"

#include <string.h>

#include "base/buf.h"

#define NEAR_IDS 65536u

/* The next place when the bit is set, else -1. */
static int8_t take(uint64_t sample_type, uint64_t bit, uint8_t *next)
{
	return sample_type & bit ? (int8_t)(*next)++ : -1;
}

static void plan_trailer(struct perf_record_plan *plan, uint64_t type)
{
	uint8_t next = 0;

	plan->trailer_tid = take(type, PERF_SAMPLE_TID, &next);
	plan->trailer_time = take(type, PERF_SAMPLE_TIME, &next);
	plan->trailer_id = take(type, PERF_SAMPLE_ID, &next);
	plan->trailer_stream_id = take(type, PERF_SAMPLE_STREAM_ID, &next);
	plan->trailer_cpu = take(type, PERF_SAMPLE_CPU, &next);
	plan->trailer_identifier = take(type, PERF_SAMPLE_IDENTIFIER, &next);
	plan->trailer_words = next;
}

static void plan_records(struct perf_record_plan *plan, const struct perf_event_attr *attr)
{
	const uint64_t fixed = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	uint64_t type = attr->sample_type;
	uint8_t next = 0;

	plan->identifier = take(type, PERF_SAMPLE_IDENTIFIER, &next);
	plan->ip = take(type, PERF_SAMPLE_IP, &next);
	plan->tid = take(type, PERF_SAMPLE_TID, &next);
	plan->time = take(type, PERF_SAMPLE_TIME, &next);
	plan->addr = take(type, PERF_SAMPLE_ADDR, &next);
	plan->id = take(type, PERF_SAMPLE_ID, &next);
	plan->stream_id = take(type, PERF_SAMPLE_STREAM_ID, &next);
	plan->cpu = take(type, PERF_SAMPLE_CPU, &next);
	plan->period = take(type, PERF_SAMPLE_PERIOD, &next);
	plan->fixed_words = next;
	plan->tail = type & ~fixed;
	plan->only_raw = (type & ~fixed) == PERF_SAMPLE_RAW;
	plan->user_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_user);
	plan->intr_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_intr);
	plan_trailer(plan, attr->sample_id_all ? type : 0);
}

void event_set_rename(struct event_set *set, struct event_desc *desc, const char *name)
{
	char *copy = arena_strdup(&set->arena, name);

	text_tidy(copy, strlen(copy));
	desc->name = copy;
	desc->kind = event_kind_of_attr(&desc->attr, desc->name);
	desc->unit = event_kind_unit(desc->kind);
}

struct event_desc *event_set_add(struct event_set *set, const struct perf_event_attr *attr,
				 const char *name)
{
	struct event_desc *desc = arena_new(&set->arena, struct event_desc);
	char made_up[128];

	desc->attr = *attr;
	desc->index = (uint32_t)set->desc.count;
	desc->group_leader = (int32_t)set->desc.count;
	plan_records(&desc->plan, attr);
	event_set_rename(set, desc,
			 name ? name : event_attr_full_name(attr, made_up, sizeof(made_up)));
	if (set->desc.count == 0) {
		set->sample_type = attr->sample_type;
		set->sample_time = desc->plan.time;
		set->sample_id = desc->plan.identifier;
	} else {
		const struct perf_event_attr *first = &set->desc.item[0]->attr;

		set->sample_type &= attr->sample_type;
		if (first->sample_type != attr->sample_type ||
		    first->sample_id_all != attr->sample_id_all)
			set->mixed = true;
		if (set->sample_time != desc->plan.time)
			set->sample_time = -1;
		if (set->sample_id != desc->plan.identifier)
			set->sample_id = -1;
	}
	vec_push(&set->desc, desc);
	return desc;
}

static void note_near(struct event_set *set, uint64_t id, uint32_t index)
{
	if (!set->near.count)
		set->first_id = id;
	if (id < set->first_id || id - set->first_id >= NEAR_IDS)
		return;
	while (set->near.count <= id - set->first_id)
		vec_push(&set->near, 0);
	set->near.item[id - set->first_id] = index + 1;
}

void event_set_add_id(struct event_set *set, struct event_desc *desc, uint64_t id)
{
	bool added;
	uint64_t *place = map_add(&set->by_id, id, &added);

	if (!added)
		return;
	*place = desc->index + 1;
	note_near(set, id, desc->index);
	vec_push(&desc->ids, id);
}

const struct event_desc *event_set_find_far(const struct event_set *set, uint64_t id)
{
	uint64_t index;

	if (!map_get(&set->by_id, id, &index))
		return NULL;
	return set->desc.item[index - 1];
}

void event_set_done(struct event_set *set)
{
	for (size_t i = 0; i < set->desc.count; i++)
		vec_done(&set->desc.item[i]->ids);
	vec_done(&set->desc);
	map_done(&set->by_id);
	vec_done(&set->near);
	arena_done(&set->arena);
	memset(set, 0, sizeof(*set));
}
