/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_life.h. Growth is a mean of equal steps of time: what one leaks comes in every step,
 * what fills a cache comes in some, which may be chance. Steps of a leak are
 * independent of each other; those of blocks that come and go cancel, which makes the interval
 * wider than it need be. */
#include "profile/heap/heap_life.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"

#define STEPS	  16
#define STUDENT_T 2.131450 /* of 95 % with STEPS - 1 degrees of freedom */
#define BEGIN	  0.4	   /* of a process's life: before, caches fill; behind, programs clean up */
#define END	  0.9

/* Of a stack in a process. */
struct series {
	size_t held; /* index */
	uint32_t process;
	double change[STEPS + 2]; /* of live bytes, up to each grid point */
};

struct collector {
	const struct heap_lives *lives;
	struct heap_holders *holders;
	struct map by_stack, by_series;
	VEC(struct series) series;
};

void heap_lives_done(struct heap_lives *lives)
{
	vec_done(&lives->life);
	vec_done(&lives->process);
}

void heap_holders_done(struct heap_holders *holders)
{
	vec_done(&holders->held);
}

static double bytes_of(const struct heap_life *life)
{
	return life->size * life->blocks;
}

/* Where in a process's life a moment is, from 0 to 1. */
static double place_of(const struct heap_process *process, uint64_t time_ns)
{
	double length = (double)(process->last_ns - process->first_ns);

	return length > 0 ? (double)(time_ns - process->first_ns) / length : 0;
}

bool heap_is_held(const struct heap_lives *lives, const struct heap_life *life)
{
	const struct heap_process *process = &lives->process.item[life->process];

	return !life->end_ns && process->last_ns > process->first_ns &&
	       place_of(process, life->begin_ns) <= END;
}

static struct series *series_of(struct collector *c, const struct heap_life *life)
{
	uint64_t stack = (uint64_t)life->stack.v << 8 | life->stop, *place;
	bool added;

	place = map_add(&c->by_stack, stack, &added);
	if (added) {
		*place = c->holders->held.count;
		vec_push(&c->holders->held,
			 ((struct heap_held){ .stack = life->stack, .stop = life->stop }));
	}
	stack = *place;
	place = map_add(&c->by_series, hash_u64(stack << 32 | life->process), &added);
	if (added) {
		*place = c->series.count;
		vec_push(&c->series, ((struct series){ .held = stack, .process = life->process }));
	}
	return &c->series.item[*place];
}

/* The first grid point at or behind a moment. */
static size_t point_of(const struct heap_process *process, uint64_t time_ns)
{
	double point = ceil((place_of(process, time_ns) - BEGIN) / (END - BEGIN) * STEPS);

	return point < 0 ? 0 : point > STEPS ? STEPS + 1 : (size_t)point;
}

static void add_life(struct collector *c, const struct heap_life *life)
{
	const struct heap_process *process = &c->lives->process.item[life->process];
	struct series *series = series_of(c, life);
	struct heap_held *held = &c->holders->held.item[series->held];
	double bytes = bytes_of(life);
	size_t age;

	series->change[point_of(process, life->begin_ns)] += bytes;
	if (life->end_ns)
		series->change[point_of(process, life->end_ns)] -= bytes;
	if (!heap_is_held(c->lives, life))
		return;
	held->bytes += bytes;
	held->blocks += life->blocks;
	age = (size_t)(place_of(process, life->begin_ns) * HEAP_AGES);
	held->age[age < HEAP_AGES ? age : HEAP_AGES - 1] += bytes;
}

/* Variances are added up in place of the intervals, until all are there. */
static void add_growth(struct collector *c, const struct series *series)
{
	const struct heap_process *process = &c->lives->process.item[series->process];
	struct heap_estimate *growth = &c->holders->held.item[series->held].growth;
	double seconds = (double)(process->last_ns - process->first_ns) * (END - BEGIN) / 1e9;
	double sum = 0, squares = 0;

	if (seconds <= 0)
		return;
	for (size_t i = 1; i <= STEPS; i++) {
		sum += series->change[i];
		squares += series->change[i] * series->change[i];
	}
	squares -= sum * sum / STEPS;
	growth->value += sum / seconds;
	if (squares > 0)
		growth->high += squares * STEPS / (STEPS - 1) / (seconds * seconds);
}

static int surest_first(const void *a, const void *b)
{
	const struct heap_held *x = a, *y = b;

	if (x->growth.low != y->growth.low)
		return x->growth.low > y->growth.low ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->stack.v < y->stack.v ? -1 : x->stack.v > y->stack.v;
}

/* Those that hold something, with their intervals. */
static void finish(struct heap_holders *holders)
{
	size_t kept = 0;

	for (size_t i = 0; i < holders->held.count; i++) {
		struct heap_held held = holders->held.item[i];
		double half = STUDENT_T * sqrt(held.growth.high);

		held.growth.low = held.growth.value - half;
		held.growth.high = held.growth.value + half;
		if (held.bytes > 0)
			holders->held.item[kept++] = held;
	}
	holders->held.count = kept;
	if (kept)
		qsort(holders->held.item, kept, sizeof(*holders->held.item), surest_first);
}

void heap_holders_collect(const struct heap_lives *lives, struct heap_holders *ret)
{
	struct collector c = { .lives = lives, .holders = ret };

	*ret = (struct heap_holders){ 0 };
	for (size_t i = 0; i < lives->life.count; i++)
		add_life(&c, &lives->life.item[i]);
	for (size_t i = 0; i < c.series.count; i++)
		add_growth(&c, &c.series.item[i]);
	finish(ret);
	map_done(&c.by_stack);
	map_done(&c.by_series);
	vec_done(&c.series);
}

uint64_t heap_span_end(size_t span)
{
	uint64_t end = 10000;

	for (size_t i = 0; i < span; i++)
		end *= 10;
	return span + 1 < HEAP_SPANS ? end : UINT64_MAX;
}

void heap_spans(const struct heap_lives *lives, double ret[HEAP_SPANS], double *not_freed)
{
	*not_freed = 0;
	for (size_t i = 0; i < HEAP_SPANS; i++)
		ret[i] = 0;
	for (size_t i = 0; i < lives->life.count; i++) {
		const struct heap_life *life = &lives->life.item[i];
		size_t span = 0;

		while (life->end_ns && life->end_ns - life->begin_ns >= heap_span_end(span))
			span++;
		*(life->end_ns ? &ret[span] : not_freed) += bytes_of(life);
	}
}

uint64_t heap_over_time(const struct heap_lives *lives, double *ret, size_t parts)
{
	uint64_t first = UINT64_MAX, last = 0;
	double length;

	for (size_t i = 0; i < lives->process.count; i++) {
		const struct heap_process *process = &lives->process.item[i];

		first = process->first_ns < first ? process->first_ns : first;
		last = process->last_ns > last ? process->last_ns : last;
	}
	for (size_t i = 0; i < parts; i++)
		ret[i] = 0;
	if (last <= first)
		return 0;
	length = (double)(last - first);
	for (size_t i = 0; i < lives->life.count; i++) {
		const struct heap_life *life = &lives->life.item[i];
		size_t from = (size_t)((double)(life->begin_ns - first) / length * (double)parts);
		size_t to = parts;

		if (life->end_ns)
			to = (size_t)((double)(life->end_ns - first) / length * (double)parts);
		for (size_t at = from; at < to && at < parts; at++)
			ret[at] += bytes_of(life);
		if (from == parts && !life->end_ns) /* at the very end */
			ret[parts - 1] += bytes_of(life);
	}
	return last - first;
}
