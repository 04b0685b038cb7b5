/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's small objects or pages (see slab.h), followed by address in the order of time. */
#include "profile/slab.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct object {
	uint32_t row, cpu;  /* of its allocation */
	uint64_t allocated; /* 0 = it is gone */
};

struct slabs {
	const struct profile *profile;
	struct slab *result;
	struct slab_choice choice;
	struct map row_of;    /* key_of_row() → index */
	struct map object_of; /* pointer → index of the latest */
	VEC(struct object) object;
};

enum action {
	ACTION_NONE,
	ACTION_ALLOC,
	ACTION_FREE,
};

static enum action action_of(const struct slabs *slabs, const struct profile_sample *sample)
{
	const struct profile *profile = slabs->profile;
	static const char *const allocs[] = { "kmem:kmalloc", "kmem:kmem_cache_alloc",
					      "kmem:kmalloc_node", "kmem:kmem_cache_alloc_node" };
	const char *name = profile_string(profile, profile->events.item[sample->event].name);

	if (slabs->choice.page_bytes)
		return strcmp(name, "kmem:mm_page_alloc") == 0	? ACTION_ALLOC
		       : strcmp(name, "kmem:mm_page_free") == 0 ? ACTION_FREE
								: ACTION_NONE;
	for (size_t i = 0; i < sizeof(allocs) / sizeof(allocs[0]); i++)
		if (strcmp(name, allocs[i]) == 0)
			return ACTION_ALLOC;
	return strcmp(name, "kmem:kfree") == 0 || strcmp(name, "kmem:kmem_cache_free") == 0
		       ? ACTION_FREE
		       : ACTION_NONE;
}

static uint64_t value(const struct slabs *slabs, const struct profile_sample *sample,
		      enum slab_value which)
{
	uint64_t index = sample->addr + which;

	return index < slabs->profile->values.count ? slabs->profile->values.item[index] : 0;
}

static uint64_t key_of_row(const struct slab_row *row)
{
	uint64_t key = (uint64_t)row->stack.v << 8 | row->stop;

	key = hash_u64(key) ^ ((uint64_t)row->flags.v << 16 | row->order << 8 | row->type);
	return hash_u64(key) ^ row->pointer;
}

static uint32_t row_of(struct slabs *slabs, const struct profile_sample *sample)
{
	struct slab_row row = { .stack = sample->stack, .stop = (enum stack_stop)sample->stop };
	uint64_t *place, type;
	bool added;

	if (slabs->choice.by_object)
		row.pointer = value(slabs, sample, SLAB_POINTER);
	if (slabs->choice.page_bytes) {
		row.order = (uint32_t)value(slabs, sample, SLAB_PAGE_ORDER);
		type = value(slabs, sample, SLAB_PAGE_TYPE);
		row.type = type < SLAB_PAGE_TYPES ? (uint32_t)type : SLAB_PAGE_TYPES - 1;
		row.flags.v = (uint32_t)value(slabs, sample, SLAB_PAGE_FLAGS);
		slabs->result->requests[row.order][row.type]++;
	}
	place = map_add(&slabs->row_of, key_of_row(&row), &added);
	if (added) {
		*place = slabs->result->row.count;
		vec_push(&slabs->result->row, row);
	}
	return (uint32_t)*place;
}

static void change_live(struct slab_sums *sums, const struct object *object, int sign)
{
	sums->live += sign > 0 ? object->allocated : -object->allocated;
	sums->live_hits += (uint64_t)sign;
}

/* Returns the object's bytes; 0 = it is unknown, or was freed before. */
static uint64_t end_object(struct slabs *slabs, uint64_t pointer, uint32_t cpu)
{
	struct slab_sums *sums;
	struct object *object;
	uint64_t index, bytes;

	if (!map_get(&slabs->object_of, pointer, &index))
		return 0;
	object = &slabs->object.item[index];
	bytes = object->allocated;
	if (!bytes)
		return 0;
	sums = &slabs->result->row.item[object->row].sums;
	change_live(sums, object, -1);
	change_live(&slabs->result->total, object, -1);
	if (cpu != object->cpu && cpu != PROFILE_NO_CPU) {
		sums->other_cpu++;
		slabs->result->total.other_cpu++;
	}
	object->allocated = 0;
	return bytes;
}

static void add(struct slab_sums *sums, uint64_t requested, const struct object *object)
{
	sums->hits++;
	sums->requested += requested;
	sums->allocated += object->allocated;
	change_live(sums, object, 1);
}

static void take_alloc(struct slabs *slabs, const struct profile_sample *sample)
{
	uint64_t pointer = value(slabs, sample, SLAB_POINTER);
	uint64_t requested = value(slabs, sample, SLAB_REQUESTED);
	struct object object = { .cpu = sample->cpu,
				 .allocated = value(slabs, sample, SLAB_ALLOCATED) };

	if (!pointer || pointer == UINT64_MAX) /* it failed */
		return;
	if (slabs->choice.page_bytes) {
		uint64_t order = value(slabs, sample, SLAB_PAGE_ORDER);

		if (order >= SLAB_PAGE_ORDERS)
			return;
		requested = object.allocated = slabs->choice.page_bytes << order;
	}
	object.row = row_of(slabs, sample);
	(void)end_object(slabs, pointer, PROFILE_NO_CPU); /* freed unseen: the sample was lost */
	add(&slabs->result->row.item[object.row].sums, requested, &object);
	add(&slabs->result->total, requested, &object);
	map_set(&slabs->object_of, pointer, slabs->object.count);
	vec_push(&slabs->object, object);
}

static void take_free(struct slabs *slabs, const struct profile_sample *sample)
{
	uint64_t pointer = value(slabs, sample, SLAB_POINTER), bytes;

	if (!pointer)
		return;
	bytes = end_object(slabs, pointer, sample->cpu);
	slabs->result->freed += bytes;
	slabs->result->unknown_frees += !bytes;
}

void slab_sum_up(const struct profile *profile, const struct slab_choice *choice, struct slab *ret)
{
	struct slabs slabs = { .profile = profile, .result = ret, .choice = *choice };
	VEC(uint32_t) order = { 0 };

	*ret = (struct slab){ 0 };
	for (uint32_t i = 0; i < profile->samples.count; i++)
		if (action_of(&slabs, &profile->samples.item[i]) != ACTION_NONE)
			vec_push(&order, i);
	profile_order_by_time(profile, order.item, order.count);
	for (size_t i = 0; i < order.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[order.item[i]];

		if (action_of(&slabs, sample) == ACTION_ALLOC)
			take_alloc(&slabs, sample);
		else
			take_free(&slabs, sample);
	}
	vec_done(&order);
	map_done(&slabs.row_of);
	map_done(&slabs.object_of);
	vec_done(&slabs.object);
}

/* MIGRATE_… since Linux 4.4. */
const char *slab_page_type(uint32_t type)
{
	static const char *const names[SLAB_PAGE_TYPES] = { "UNMOVABLE",  "MOVABLE", "RECLAIMABLE",
							    "HIGHATOMIC", "CMA",     "OTHER" };

	return names[type < SLAB_PAGE_TYPES ? type : SLAB_PAGE_TYPES - 1];
}

double slab_fragmentation(const struct slab_sums *sums)
{
	return sums->allocated ? 1 - (double)sums->requested / (double)sums->allocated : 0;
}

static double key_of(const struct slab_sums *sums, enum slab_order order)
{
	switch (order) {
	case SLAB_BY_REQUESTED:
		return (double)sums->requested;
	case SLAB_BY_HITS:
		return (double)sums->hits;
	case SLAB_BY_LIVE:
		return (double)sums->live;
	case SLAB_BY_FRAG:
		return slab_fragmentation(sums);
	case SLAB_BY_PINGPONG:
		return (double)sums->other_cpu;
	default:
		return (double)sums->allocated;
	}
}

static int larger(const void *a, const void *b, void *context)
{
	const struct slab_row *x = a, *y = b;
	enum slab_order order = *(const enum slab_order *)context;
	double first = key_of(&x->sums, order), second = key_of(&y->sums, order);

	if (first > second || first < second)
		return first > second ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

void slab_sort(struct slab *slab, enum slab_order order)
{
	if (slab->row.count)
		qsort_r(slab->row.item, slab->row.count, sizeof(*slab->row.item), larger, &order);
}

void slab_done(struct slab *slab)
{
	vec_done(&slab->row);
}
