/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_over_time.h. A block adds to the parts of the time in which it begins and ends; of those
 * between it only adds to the difference from the part before, however many they are. */
#include "profile/heap/heap_over_time.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "profile/heap/heap_life.h"
#include "profile/profile.h"

#define PART_NS	   20000000u /* a cell of the finest heat map */
#define MOST_PARTS 1000
#define MOST_CELLS ((size_t)1 << 20) /* of all rows */
#define MS	   1e6

/* Of a stack in a process. */
struct row {
	const struct heap_life *life; /* the first of it */
	double *edge, *step;	      /* by part: byte-ns; bytes from there on */
};

struct over_time {
	struct profile *profile;
	const struct heap_lives *lives;
	uint64_t first_ns, last_ns, part_ns;
	size_t parts;
	struct map row_of;
	VEC(struct row) row;
};

static void find_range(struct over_time *over)
{
	const struct heap_lives *lives = over->lives;
	uint64_t length;

	over->first_ns = UINT64_MAX;
	for (size_t i = 0; i < lives->process.count; i++) {
		const struct heap_process *process = &lives->process.item[i];

		if (process->first_ns < over->first_ns)
			over->first_ns = process->first_ns;
		if (process->last_ns > over->last_ns)
			over->last_ns = process->last_ns;
	}
	length = over->last_ns > over->first_ns ? over->last_ns - over->first_ns : 0;
	over->part_ns = length / MOST_PARTS > PART_NS ? length / MOST_PARTS : PART_NS;
}

static struct row *row_of(struct over_time *over, const struct heap_life *life)
{
	uint64_t key = hash_u64((uint64_t)life->stack.v << 8 | life->stop) ^ life->process;
	bool added;
	uint64_t *place = map_add(&over->row_of, key, &added);

	if (added) {
		*place = over->row.count;
		vec_push(&over->row, ((struct row){ .life = life }));
	}
	return &over->row.item[*place];
}

/* Where many stacks hold memory, parts are longer. */
static void choose_parts(struct over_time *over)
{
	size_t most;

	for (size_t i = 0; i < over->lives->life.count; i++)
		(void)row_of(over, &over->lives->life.item[i]);
	most = over->row.count ? MOST_CELLS / over->row.count : 0;
	most = most ? most : 1;
	over->parts = (size_t)((over->last_ns - over->first_ns) / over->part_ns) + 1;
	if (over->parts > most) {
		over->part_ns = (over->last_ns - over->first_ns) / most + 1;
		over->parts = most;
	}
}

static void add(struct over_time *over, const struct heap_life *life)
{
	struct row *row = row_of(over, life);
	double bytes = life->size * life->blocks;
	uint64_t begin = life->begin_ns - over->first_ns;
	uint64_t end = (life->end_ns ? life->end_ns : over->last_ns) - over->first_ns;
	size_t from = (size_t)(begin / over->part_ns), to = (size_t)(end / over->part_ns);

	if (end < begin || to >= over->parts)
		return;
	if (!row->edge) {
		row->edge = mem_zalloc((over->parts + 1) * sizeof(*row->edge));
		row->step = mem_zalloc((over->parts + 1) * sizeof(*row->step));
	}
	if (from == to) {
		row->edge[from] += bytes * (double)(end - begin);
		return;
	}
	row->edge[from] += bytes * (double)((from + 1) * over->part_ns - begin);
	row->edge[to] += bytes * (double)(end - to * over->part_ns);
	row->step[from + 1] += bytes;
	row->step[to] -= bytes;
}

static thread_id thread_of(const struct profile *profile, uint32_t pid)
{
	thread_id ret = { 0 };

	for (uint32_t i = 0; i < profile->threads.count; i++)
		if (profile->threads.item[i].pid == pid) {
			ret.v = i;
			if (profile->threads.item[i].tid == pid)
				break;
		}
	return ret;
}

static void put(struct over_time *over)
{
	struct profile *profile = over->profile;
	VEC(struct profile_sample) made = { 0 };
	uint16_t event = profile_event(profile, HEAP_OVER_TIME_EVENT, "byte-ms");

	for (size_t i = 0; i < over->row.count; i++) {
		const struct row *row = &over->row.item[i];
		struct profile_sample sample = { .event = event, .count = 1 };
		double live = 0;

		sample.stack = row->life->stack;
		sample.stop = row->life->stop;
		sample.thread =
			thread_of(profile, over->lives->process.item[row->life->process].pid);
		for (size_t part = 0; row->edge && part < over->parts; part++) {
			live += row->step[part];
			sample.weight = (uint64_t)llround(
				fmax(row->edge[part] + live * (double)over->part_ns, 0) / MS);
			sample.time_ns = over->first_ns + part * over->part_ns + over->part_ns / 2;
			if (sample.weight)
				vec_push(&made, sample);
		}
		free(row->edge);
		free(row->step);
	}
	profile_add_all(profile, made.item, made.count);
	vec_done(&made);
}

void heap_add_over_time(struct profile *profile, const struct heap_lives *lives)
{
	struct over_time over = { .profile = profile, .lives = lives };

	find_range(&over);
	if (over.first_ns > over.last_ns)
		return;
	choose_parts(&over);
	for (size_t i = 0; i < lives->life.count; i++)
		add(&over, &lives->life.item[i]);
	put(&over);
	map_done(&over.row_of);
	vec_done(&over.row);
}
