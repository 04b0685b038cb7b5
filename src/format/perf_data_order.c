/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time order. Records lie in the file as the rings were emptied: one ascending run per CPU and
 * sweep. The window remembers where runs start and merges them while it hands them over, so that a
 * record costs a few comparisons. It keeps the place of each record and its note. Equal times keep
 * the file's order.
 *
 * No record of a round is older than the newest record of the round before the previous one was
 * when that ended (a FINISHED_ROUND follows each sweep of all rings), so at the end of each round
 * everything up to the newest time at the end of the previous round can go. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/par.h"
#include "format/perf_data_private.h"

#define NEAR	     16 /* items */
#define SPAN_ITEMS   512
#define MOST_PUT_OFF ((size_t)1 << 20)
/* So many are not kept because the other thread is busy: it is better to wait for it. */
#define WORTH_WAITING ((size_t)128 << 10)

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

/* Whether the first item of `a` is before that of `b`. Of equal times, what was found first. */
static inline bool is_before(const struct timed_record *item, const struct order_run *a,
			     const struct order_run *b)
{
	uint64_t left = item[a->at].time_ns, right = item[b->at].time_ns;

	return left < right || (left == right && a->at < b->at);
}

/* Runs are a heap by their first items. */
static void sift_down(const struct timed_record *item, order_runs *runs, size_t i)
{
	struct order_run moved = runs->item[i];

	for (size_t child; (child = 2 * i + 1) < runs->count; i = child) {
		child += child + 1 < runs->count &&
			 is_before(item, &runs->item[child + 1], &runs->item[child]);
		if (is_before(item, &moved, &runs->item[child]))
			break;
		runs->item[i] = runs->item[child];
	}
	runs->item[i] = moved;
}

/* The run whose turn it is after the first. */
static const struct order_run *next_run(const struct timed_record *item, const order_runs *runs)
{
	if (runs->count < 2)
		return NULL;
	if (runs->count == 2 || is_before(item, &runs->item[1], &runs->item[2]))
		return &runs->item[1];
	return &runs->item[2];
}

/* Takes up to SPAN_ITEMS items off the runs that follow each other in one of them. */
static const struct timed_record *take_span(const struct timed_record *item, order_runs *runs,
					    size_t *ret_count)
{
	struct order_run *first = &runs->item[0], left = *first;
	const struct order_run *next = next_run(item, runs);
	size_t end = left.end - left.at > SPAN_ITEMS ? left.at + SPAN_ITEMS : left.end;

	do
		left.at++;
	while (left.at < end && (!next || is_before(item, &left, next)));
	*ret_count = left.at - first->at;
	item += first->at;
	*first = left.at < left.end ? left : runs->item[--runs->count];
	return item;
}

/* Hands over all items of the runs in time order: where several follow each other as they lie, else
 * gathered. */
static int deliver_runs(struct order *order, const struct timed_record *item, order_runs *runs,
			struct err *err)
{
	struct timed_record gathered[SPAN_ITEMS];
	size_t have = 0, count;
	int failed = 0;

	for (size_t i = runs->count / 2; i--;)
		sift_down(item, runs, i);
	while (runs->count && !failed) {
		const struct timed_record *span = take_span(item, runs, &count);

		if (have && have + count > SPAN_ITEMS) {
			failed = order->deliver(order->context, gathered, have, err);
			have = 0;
		}
		if (!failed && !have && count >= SPAN_ITEMS / 4) {
			failed = order->deliver(order->context, span, count, err);
		} else {
			memcpy(gathered + have, span, count * sizeof(*span));
			have += count;
		}
		if (runs->count)
			sift_down(item, runs, 0);
	}
	if (have && !failed)
		failed = order->deliver(order->context, gathered, have, err);
	return failed;
}

static void deliver_batch(void *item)
{
	struct order_batch *batch = item;
	struct order *order = batch->order;

	if (!order->failed)
		order->failed = deliver_runs(order, batch->item, &batch->runs, order->why);
	batch->failed = order->failed;
}

void order_in_background(struct order *order)
{
	order->queue = par_queue_new(deliver_batch, 1);
}

/* The first item of an ascending run that is newer. */
static size_t first_newer(const struct timed_record *item, struct order_run run, uint64_t limit_ns)
{
	while (run.at < run.end) {
		size_t middle = run.at + (run.end - run.at) / 2;

		if (item[middle].time_ns <= limit_ns)
			run.at = middle + 1;
		else
			run.end = middle;
	}
	return run.at;
}

/* The runs up to that time go into the batch; `newer` gets what is left of them. */
static void split_runs(const struct order *order, uint64_t limit_ns, order_runs *ret,
		       order_runs *newer)
{
	const struct timed_record *item = order->items.item;

	ret->count = 0;
	for (size_t i = 0; i < order->runs.count; i++) {
		bool last = i + 1 == order->runs.count;
		struct order_run run = { order->runs.item[i],
					 last ? order->items.count : order->runs.item[i + 1] };
		size_t middle = first_newer(item, run, limit_ns);

		if (run.at < middle)
			vec_push(ret, ((struct order_run){ run.at, middle }));
		if (middle < run.end)
			vec_push(newer, ((struct order_run){ middle, run.end }));
	}
}

/* Items that stay, as one run in the array of the batch before, which has been delivered. */
static void keep_newer(struct order *order, const struct timed_record *item, order_runs *newer)
{
	size_t count;

	for (size_t i = newer->count / 2; i--;)
		sift_down(item, newer, i);
	while (newer->count) {
		const struct timed_record *span = take_span(item, newer, &count);

		for (size_t i = 0; i < count; i++) {
			*order_next(order) = span[i];
			order_add(order);
		}
		if (newer->count)
			sift_down(item, newer, 0);
	}
	order->ready = order->items.count;
}

/* Makes a batch of what is not newer, and goes on with the rest in the array of the batch before.
 */
static struct order_batch *make_batch(struct order *order, uint64_t limit_ns)
{
	struct order_batch *batch = &order->batch[order->turn];
	struct timed_record *item = batch->item;
	size_t capacity = batch->capacity;
	order_runs newer = { 0 };

	split_runs(order, limit_ns, &batch->runs, &newer);
	batch->order = order;
	batch->item = order->items.item;
	batch->capacity = order->items.capacity;
	order->items.item = item;
	order->items.capacity = capacity;
	order->items.count = order->runs.count = 0;
	keep_newer(order, batch->item, &newer);
	vec_done(&newer);
	order->turn ^= 1;
	return batch;
}

int order_flush(struct order *order, uint64_t limit_ns, struct err *err)
{
	struct order_batch *batch;

	if (!order->items.count)
		return order_wait(order, err);
	if (!order->why)
		order->why = mem_zalloc(sizeof(*order->why));
	batch = make_batch(order, limit_ns);
	if (order->queue) {
		par_queue_push(order->queue, batch);
		par_queue_wait(order->queue, 1); /* so the other one is done */
		batch = &order->batch[order->turn];
	} else {
		deliver_batch(batch);
	}
	if (batch->failed)
		*err = *order->why;
	return batch->failed;
}

bool order_puts_off(struct order *order)
{
	size_t ready = order->ready;

	order->ready = order->items.count;
	if (!order->queue || order->items.count > MOST_PUT_OFF)
		return false;
	return ready < order->items.count / 8 ||
	       (order->items.count < WORTH_WAITING && par_queue_busy(order->queue));
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
	for (size_t i = 0; i < 2; i++) {
		free(order->batch[i].item);
		vec_done(&order->batch[i].runs);
	}
	*order = (struct order){ 0 };
}
