/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots by place (see stat_places.h). */
#include "session/stat/stat_places.h"

#include <stdlib.h>
#include <string.h>

#include "source/counter/counter.h"
#include "source/counter/cpu_topology.h"

static struct counts_place make_place(const struct counter_set *set, size_t slot, enum counts_by by)
{
	struct counts_place place = { .cpus = 1 };
	struct cpu_place at;

	if (by == COUNTS_BY_ALL)
		return place;
	if (by == COUNTS_BY_THREAD) {
		place.thread = counter_slot_thread(set, slot);
		counter_thread_comm(place.thread, place.comm);
		return place;
	}
	place.cpu = counter_slot_cpu(set, slot);
	cpu_topology_read("", place.cpu, &at);
	place.socket = at.socket;
	place.die = at.die;
	place.cluster = at.cluster;
	place.cache_level = at.cache_level;
	place.cache = at.cache;
	place.core = at.core;
	place.node = at.node;
	return place;
}

/* The numbers that tell places of that kind apart, the first one most. */
static void make_key(const struct counts_place *place, enum counts_by by, int ret[3])
{
	memset(ret, 0, 3 * sizeof(*ret));
	switch (by) {
	case COUNTS_BY_ALL:
		return;
	case COUNTS_BY_CPU:
		ret[0] = place->cpu;
		return;
	case COUNTS_BY_THREAD:
		ret[0] = place->thread;
		return;
	case COUNTS_BY_NODE:
		ret[0] = place->node;
		return;
	case COUNTS_BY_CORE:
		ret[2] = place->core;
		break;
	case COUNTS_BY_CLUSTER:
		ret[2] = place->cluster;
		break;
	case COUNTS_BY_CACHE:
		ret[2] = place->cache;
		break;
	case COUNTS_BY_DIE:
	case COUNTS_BY_SOCKET:
		break;
	}
	ret[0] = place->socket;
	ret[1] = by == COUNTS_BY_SOCKET ? 0 : place->die;
}

/* The index at which this place is, or belongs. */
static size_t find(const struct stat_places *places, const struct counts_place *place,
		   enum counts_by by, bool *ret_found)
{
	int wanted[3], key[3];
	size_t i;

	make_key(place, by, wanted);
	*ret_found = false;
	for (i = 0; i < places->place.count; i++) {
		int order = 0;

		make_key(&places->place.item[i], by, key);
		for (int k = 0; !order && k < 3; k++)
			order = (key[k] > wanted[k]) - (key[k] < wanted[k]);
		*ret_found = order == 0;
		if (order >= 0)
			break;
	}
	return i;
}

static void insert(struct stat_places *places, size_t at, const struct counts_place *place)
{
	vec_push(&places->place, *place);
	memmove(&places->place.item[at + 1], &places->place.item[at],
		(places->place.count - 1 - at) * sizeof(*place));
	places->place.item[at] = *place;
}

void stat_places_find(struct stat_places *places, const struct counter_set *set, enum counts_by by)
{
	struct counts_place *of = mem_zalloc((set->slots + 1) * sizeof(*of));
	bool found;

	places->place.count = places->of_slot.count = 0;
	for (size_t slot = 0; slot < set->slots; slot++) {
		size_t at;

		of[slot] = make_place(set, slot, by);
		at = find(places, &of[slot], by, &found);
		if (found)
			places->place.item[at].cpus++;
		else
			insert(places, at, &of[slot]);
	}
	for (size_t slot = 0; slot < set->slots; slot++)
		vec_push(&places->of_slot, find(places, &of[slot], by, &found));
	free(of);
}

void stat_places_done(struct stat_places *places)
{
	vec_done(&places->place);
	vec_done(&places->of_slot);
}
