/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of heat maps (see heat_map_lanes.h). */
#include "view/heat_map/heat_map_lanes.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/profile.h"

static int compare_cpus(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void find_cpus(const struct profile *profile, struct heat_map_lanes *lanes)
{
	struct map known = { 0 };
	bool added;

	for (size_t i = 0; i < profile->samples.count; i++) {
		uint32_t cpu = profile->samples.item[i].cpu;

		(void)map_add(&known, cpu, &added);
		if (added)
			vec_push(&lanes->cpus, cpu);
	}
	map_done(&known);
	if (lanes->cpus.count)
		qsort(lanes->cpus.item, lanes->cpus.count, sizeof(uint32_t), compare_cpus);
}

void heat_map_lanes_find(const struct profile *profile, struct heat_map_lanes *ret)
{
	*ret = (struct heat_map_lanes){ 0 };
	flame_threads_find(profile, &ret->threads);
	find_cpus(profile, ret);
}

uint32_t heat_map_lanes_cpu(const struct heat_map_lanes *lanes, const struct profile_sample *sample)
{
	uint32_t low = 0, high = (uint32_t)lanes->cpus.count;

	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;

		if (lanes->cpus.item[middle] <= sample->cpu)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void put_cpus(const struct heat_map_lanes *lanes, struct buf *ret)
{
	for (size_t i = 0; lanes->cpus.count > 1 && i < lanes->cpus.count; i++) {
		uint32_t cpu = lanes->cpus.item[i];

		if (cpu == PROFILE_NO_CPU)
			(void)buf_puts(ret, ",\"unknown CPU\"");
		else
			(void)buf_printf(ret, "%s\"CPU %u\"", i ? "," : "", cpu);
	}
}

static void put_thread(const struct profile *profile, uint32_t id, struct buf *ret)
{
	const struct profile_thread *thread = &profile->threads.item[id];
	struct buf name = { 0 };

	(void)buf_printf(&name, "%s (%u", profile_string(profile, thread->comm), thread->pid);
	if (thread->tid != thread->pid && thread->tid != PROFILE_NO_ID)
		(void)buf_printf(&name, "/%u", thread->tid);
	(void)buf_putc(&name, ')');
	(void)buf_put_json(ret, name.data);
	buf_done(&name);
}

static void put_threads(const struct profile *profile, const struct flame_threads *threads,
			struct buf *ret)
{
	if (flame_threads_count(threads) < 2)
		return;
	for (size_t i = 0; i < threads->list.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		put_thread(profile, threads->list.item[i], ret);
	}
	if (threads->others)
		(void)buf_printf(ret, ",\"%zu other threads\"", threads->others);
}

void heat_map_lanes_put_json(const struct profile *profile, const struct heat_map_lanes *lanes,
			     struct buf *ret)
{
	(void)buf_puts(ret, "{\"cpu\":[");
	put_cpus(lanes, ret);
	(void)buf_puts(ret, "],\"thread\":[");
	put_threads(profile, &lanes->threads, ret);
	(void)buf_puts(ret, "]}");
}

void heat_map_lanes_done(struct heat_map_lanes *lanes)
{
	flame_threads_done(&lanes->threads);
	vec_done(&lanes->cpus);
}
