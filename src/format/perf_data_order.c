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

#define AHEAD	   8
#define LINE_BYTES 64

static void merge(const struct order_item *item, size_t begin, size_t middle, size_t end,
		  struct order_item *out)
{
	size_t a = begin, b = middle, n = begin;

	while (a < middle && b < end) {
		bool second = item[b].time_ns < item[a].time_ns;

		out[n++] = item[second ? b : a];
		a += !second;
		b += second;
	}
	memcpy(out + n, item + a, (middle - a) * sizeof(*item));
	n += middle - a;
	memcpy(out + n, item + b, (end - b) * sizeof(*item));
}

/* One pass over all pairs of neighbouring runs, from items into the spare array. */
static void merge_pairs(struct order *order)
{
	const size_t *start = order->runs.item;
	size_t runs = order->runs.count, total = order->items.count, kept = 0;
	size_t capacity = order->spare_capacity;
	struct order_item *merged = order->spare;

	for (size_t i = 0; i < runs; i += 2) {
		size_t begin = start[i], middle = i + 1 < runs ? start[i + 1] : total;
		size_t end = i + 2 < runs ? start[i + 2] : total;

		merge(order->items.item, begin, middle, end, merged);
		order->runs.item[kept++] = begin;
	}
	order->runs.count = kept;
	order->spare = order->items.item;
	order->spare_capacity = order->items.capacity;
	order->items.item = merged;
	order->items.capacity = capacity;
}

static void sort(struct order *order)
{
	if (order->runs.count > 1 && order->spare_capacity < order->items.count) {
		order->spare_capacity = order->items.capacity;
		order->spare =
			mem_realloc(order->spare, order->spare_capacity * sizeof(*order->spare));
	}
	while (order->runs.count > 1)
		merge_pairs(order);
}

/* Records lie in runs per CPU, which is no order that the processor would foresee. */
static void prefetch(const struct order_item *item, size_t n, size_t count)
{
	const uint8_t *record = n < count ? item[n].record : NULL;

	__builtin_prefetch(record);
	__builtin_prefetch(record + LINE_BYTES);
}

static int deliver_items(const struct order *order, const struct order_item *item, size_t count,
			 struct err *err)
{
	int failed = 0;

	for (size_t n = 0; n < count && !failed; n++) {
		prefetch(item, n + AHEAD, count);
		failed = order->deliver(order->context, item[n].record, err);
	}
	return failed;
}

static void deliver_batch(void *item)
{
	struct order_batch *batch = item;
	struct order *order = batch->order;

	if (!order->failed)
		order->failed = deliver_items(order, batch->item, batch->count, order->why);
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
	vec_reserve(&order->items, rest);
	memcpy(order->items.item, filled.item + count, rest * sizeof(*filled.item));
	order->items.count = rest;
	*batch = filled;
	order->turn ^= 1;
	par_queue_push(order->queue, batch);
	par_queue_wait(order->queue, 1); /* so the other one is done */
}

static size_t count_until(const struct order *order, uint64_t limit_ns)
{
	const struct order_item *item = order->items.item;
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
		failed = deliver_items(order, order->items.item, count, err);
		drop_first(order, count);
	}
	order->runs.count = 0;
	if (order->items.count)
		vec_push(&order->runs, 0);
	return failed;
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
