/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time order. Records lie in the file as the rings were emptied: one ascending run per CPU and
 * sweep. The window remembers where runs start and merges them pairwise, so that a record costs a
 * few comparisons, and keeps only the place of each record. Equal times keep the file's order.
 *
 * No record of a round is older than the newest record of the round before the previous one was
 * when that ended (a FINISHED_ROUND follows each sweep of all rings), so at the end of each round
 * everything up to the newest time at the end of the previous round can go. */
#include <stdlib.h>

#include "base/err.h"
#include "base/par.h"
#include "format/perf_data_private.h"

#define NEAR	     16 /* items */
#define MOST_PUT_OFF ((size_t)1 << 20)

void order_grow(struct order *order)
{
	if (order->items.capacity || !order->room) {
		vec_reserve(&order->items, 1);
		return;
	}
	order->items.item = mem_room(order->room * sizeof(*order->items.item));
	order->items.capacity = order->room;
}

/* The events of one switch are written in another order than their times are taken in. So it is put
 * where it belongs when that is near; farther away, it is the next ring's run that begins. */
void order_add_older(struct order *order)
{
	size_t run = *vec_last(&order->runs), count = order->items.count - 1, at = count;
	size_t least = count - run > NEAR ? count - NEAR : run;
	struct timed_record *item = order->items.item, added = item[count];

	while (at > least && item[at - 1].time_ns > added.time_ns)
		at--;
	if (at == least) {
		vec_push(&order->runs, count);
		return;
	}
	memmove(&item[at + 1], &item[at], (count - at) * sizeof(*item));
	item[at] = added;
}

/* How many items at the end are later than that. */
static size_t count_later(const struct timed_record *item, size_t count, uint64_t time_ns)
{
	size_t later = 0, step = 1;

	while (later + step <= count && item[count - later - step].time_ns > time_ns) {
		later += step;
		step *= 2;
	}
	for (; step; step /= 2)
		if (later + step <= count && item[count - later - step].time_ns > time_ns)
			later += step;
	return later;
}

/* Two neighbouring runs become one, from the back, until all of the second is in its place. Often
 * one is much longer: a CPU that is busy beside others that are not. */
static void merge(struct timed_record *item, size_t middle, size_t count,
		  struct timed_record *spare)
{
	size_t first = middle, second = count - middle;

	memcpy(spare, item + middle, second * sizeof(*item));
	while (first && second) {
		size_t later = count_later(item, first, spare[second - 1].time_ns);

		first -= later;
		memmove(item + first + second, item + first, later * sizeof(*item));
		second--;
		item[first + second] = spare[second];
	}
	memcpy(item, spare, second * sizeof(*item));
}

/* One pass over all pairs of neighbouring runs. */
static void merge_pairs(struct order *order)
{
	size_t runs = order->runs.count, total = order->items.count, kept = 0;
	const size_t *start = order->runs.item;

	for (size_t i = 0; i < runs; i += 2) {
		size_t begin = start[i], end = i + 2 < runs ? start[i + 2] : total;

		if (i + 1 < runs) {
			size_t second = end - start[i + 1];

			if (order->spare_capacity < second) {
				order->spare_capacity = second;
				order->spare =
					mem_realloc(order->spare, second * sizeof(*order->spare));
			}
			merge(order->items.item + begin, start[i + 1] - begin, end - begin,
			      order->spare);
		}
		order->runs.item[kept++] = begin;
	}
	order->runs.count = kept;
}

static void sort(struct order *order)
{
	while (order->runs.count > 1)
		merge_pairs(order);
}

static void deliver_batch(void *item)
{
	struct order_batch *batch = item;
	struct order *order = batch->order;

	if (!order->failed)
		order->failed =
			order->deliver(order->context, batch->item, batch->count, order->why);
	batch->failed = order->failed;
}

void order_in_background(struct order *order)
{
	order->queue = par_queue_new(deliver_batch, 1);
	order->why = mem_zalloc(sizeof(*order->why));
}

/* Makes the first `count` items a batch and goes on with the rest in the array of the last batch.
 */
static void hand_over(struct order *order, size_t count)
{
	struct order_batch *batch = &order->batch[order->turn];
	struct order_batch filled = { .order = order,
				      .item = order->items.item,
				      .count = count,
				      .capacity = order->items.capacity };
	size_t rest = order->items.count - count;

	order->items.item = batch->item;
	order->items.capacity = batch->capacity;
	order->items.count = 0;
	if (!order->items.capacity)
		order_grow(order);
	vec_reserve(&order->items, rest);
	if (rest)
		memcpy(order->items.item, filled.item + count, rest * sizeof(*filled.item));
	order->items.count = order->ready = rest;
	*batch = filled;
	order->turn ^= 1;
	par_queue_push(order->queue, batch);
	par_queue_wait(order->queue, 1); /* so the other one is done */
}

static size_t count_until(const struct order *order, uint64_t limit_ns)
{
	const struct timed_record *item = order->items.item;
	size_t low = 0, high = order->items.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (item[middle].time_ns <= limit_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void drop_first(struct order *order, size_t count)
{
	order->items.count -= count;
	memmove(order->items.item, order->items.item + count,
		order->items.count * sizeof(*order->items.item));
}

int order_flush(struct order *order, uint64_t limit_ns, struct err *err)
{
	size_t count;
	int failed = 0;

	if (!order->items.count)
		return order_wait(order, err);
	sort(order);
	count = count_until(order, limit_ns);
	if (order->queue) {
		hand_over(order, count);
		failed = order->batch[order->turn].failed;
		if (failed)
			*err = *order->why;
	} else {
		failed = order->deliver(order->context, order->items.item, count, err);
		drop_first(order, count);
	}
	order->runs.count = 0;
	if (order->items.count)
		vec_push(&order->runs, 0);
	return failed;
}

bool order_puts_off(struct order *order)
{
	size_t ready = order->ready;

	order->ready = order->items.count;
	if (!order->queue || order->items.count > MOST_PUT_OFF)
		return false;
	return ready < order->items.count / 8 || par_queue_busy(order->queue);
}

int order_wait(struct order *order, struct err *err)
{
	if (!order->queue)
		return 0;
	par_queue_wait(order->queue, 0);
	if (order->failed)
		*err = *order->why;
	return order->failed;
}

void order_done(struct order *order)
{
	par_queue_free(order->queue);
	free(order->why);
	vec_done(&order->items);
	vec_done(&order->runs);
	free(order->spare);
	for (size_t i = 0; i < 2; i++)
		free(order->batch[i].item);
	*order = (struct order){ 0 };
}
