/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time order. Records lie in the file as the rings were emptied: one ascending run per CPU and
 * sweep. The window remembers where runs start and merges them while it hands them over, so that a
 * record costs a few comparisons; what is too new stays where it is for the next time. It keeps the
 * place of each record and its digest. Equal times keep the file's order.
 *
 * No record of a round is older than the newest record of the round before the previous one was
 * when that ended (a FINISHED_ROUND follows each sweep of all rings), so at the end of each round
 * everything up to the newest time at the end of the previous round can go. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/par.h"
#include "format/perf_data/perf_data_private.h"

#define NEAR	     16 /* items */
#define SPAN_ITEMS   512
#define MOST_PUT_OFF ((size_t)1 << 20)
/* With this many records, waiting for the other thread is better than keeping more. */
#define WORTH_WAITING ((size_t)128 << 10)
#define FEW_PART      64 /* of a window: copying is cheaper than keeping */

void order_grow(struct order *order)
{
	if (order->items.capacity || !order->room) {
		vec_reserve(&order->items, 1);
		return;
	}
	order->items.item = mem_room(order->room * sizeof(*order->items.item));
	order->items.capacity = order->room;
}

/* The kernel writes the events of one switch in another order than their times. So a record with
 * an earlier time is inserted if its place is near; otherwise it begins the run of the next
 * ring. */
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

/* Whether the first item of `a` is before that of `b`. With equal times, the first one found. */
static inline bool is_before(const struct order_run *a, const struct order_run *b)
{
	uint64_t left = a->at->time_ns, right = b->at->time_ns;

	return left < right || (left == right && a->number < b->number);
}

/* Runs are a heap by their first items. */
static void sift_down(order_runs *runs, size_t i)
{
	struct order_run moved = runs->item[i];

	for (size_t child; (child = 2 * i + 1) < runs->count; i = child) {
		child += child + 1 < runs->count &&
			 is_before(&runs->item[child + 1], &runs->item[child]);
		if (is_before(&moved, &runs->item[child]))
			break;
		runs->item[i] = runs->item[child];
	}
	runs->item[i] = moved;
}

static void make_heap(order_runs *runs)
{
	for (size_t i = runs->count / 2; i--;)
		sift_down(runs, i);
}

/* The run that follows the first. */
static const struct order_run *next_run(const order_runs *runs)
{
	if (runs->count < 2)
		return NULL;
	if (runs->count == 2 || is_before(&runs->item[1], &runs->item[2]))
		return &runs->item[1];
	return &runs->item[2];
}

/* Takes up to SPAN_ITEMS items off the runs that follow each other in one of them. */
static const struct timed_record *take_span(order_runs *runs, size_t *ret_count)
{
	struct order_run *first = &runs->item[0], left = *first;
	const struct timed_record *span = left.at, *end = left.end;
	const struct order_run *next = next_run(runs);

	if (end - span > SPAN_ITEMS)
		end = span + SPAN_ITEMS;
	if (!next || end[-1].time_ns < next->at->time_ns)
		left.at = end;
	else
		do
			left.at++;
		while (left.at < end && is_before(&left, next));
	*ret_count = (size_t)(left.at - span);
	*first = left.at < left.end ? left : runs->item[--runs->count];
	if (runs->count)
		sift_down(runs, 0);
	return span;
}

/* Hands over all items of the runs in time order: where several follow each other as they lie, else
 * gathered. */
static int deliver_runs(struct order *order, order_runs *runs, struct err *err)
{
	struct timed_record gathered[SPAN_ITEMS];
	size_t have = 0, count;
	int failed = 0;

	make_heap(runs);
	while (runs->count && !failed) {
		const struct timed_record *span = take_span(runs, &count);

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
		order->failed = deliver_runs(order, &batch->runs, order->why);
	batch->failed = order->failed;
}

void order_in_background(struct order *order)
{
	order->queue = par_queue_new(deliver_batch, 1);
}

/* The first item of an ascending run that is newer. */
static const struct timed_record *first_newer(struct order_run run, uint64_t limit_ns)
{
	while (run.at < run.end) {
		const struct timed_record *middle = run.at + (run.end - run.at) / 2;

		if (middle->time_ns <= limit_ns)
			run.at = middle + 1;
		else
			run.end = middle;
	}
	return run.at;
}

/* The part of a run up to that time goes into the batch, the rest to `newer`. */
static void split_run(struct order_run run, uint64_t limit_ns, order_runs *ret, order_runs *newer)
{
	struct order_run rest = run;

	rest.at = run.end = first_newer(run, limit_ns);
	if (run.at < run.end)
		vec_push(ret, run);
	if (rest.at < rest.end)
		vec_push(newer, rest);
}

static void split_items(const struct order *order, uint64_t limit_ns, order_runs *ret,
			order_runs *newer)
{
	const struct timed_record *item = order->items.item;
	size_t count = order->runs.count;

	for (size_t i = 0; i < count; i++) {
		size_t end = i + 1 < count ? order->runs.item[i + 1] : order->items.count;
		struct order_run run = { item + order->runs.item[i], item + end,
					 order->left.count + i };

		split_run(run, limit_ns, ret, newer);
	}
}

/* Items as one run among those to come, when the array they lie in is needed, or when they are few
 * enough for it to be free instead. */
static void copy_newer(struct order *order, order_runs *newer)
{
	size_t count;

	make_heap(newer);
	while (newer->count) {
		const struct timed_record *span = take_span(newer, &count);

		for (size_t i = 0; i < count; i++) {
			*order_next(order) = span[i];
			order_add(order);
		}
	}
}

/* The array that was filled is the one before; the one before that is filled next, unless what was
 * left in it is still to be delivered: then another one, and that one after it. */
static void turn_arrays(struct order *order)
{
	struct order_array filled = { order->items.item, order->items.capacity };
	struct order_array *empty = order->left_count ? &order->next : &order->before;
	struct order_array fill = *empty;

	*empty = (struct order_array){ 0 };
	if (order->left_count)
		order->next = order->before;
	order->before = filled;
	order->items.item = fill.item;
	order->items.capacity = fill.capacity;
	order->items.count = order->runs.count = 0;
}

static size_t items_in(const order_runs *runs)
{
	size_t sum = 0;

	for (size_t i = 0; i < runs->count; i++)
		sum += (size_t)(runs->item[i].end - runs->item[i].at);
	return sum;
}

/* Makes a batch of what is not newer. *ret_newer: where the rest lies; true: some of it in the
 * array that will be filled next but one. */
static bool make_batch(struct order *order, uint64_t limit_ns, struct order_batch *ret,
		       order_runs *ret_newer)
{
	size_t twice;

	ret->order = order;
	ret->runs.count = 0;
	for (size_t i = 0; i < order->left.count; i++)
		split_run(order->left.item[i], limit_ns, &ret->runs, ret_newer);
	twice = ret_newer->count;
	split_items(order, limit_ns, &ret->runs, ret_newer);
	return twice;
}

static void hand_over(struct order *order, struct order_batch *batch)
{
	if (order->queue) {
		par_queue_push(order->queue, batch);
		par_queue_wait(order->queue, 1); /* so the one before is done */
	} else {
		deliver_batch(batch);
	}
}

int order_flush(struct order *order, uint64_t limit_ns, struct err *err)
{
	struct order_batch *batch = &order->batch[order->turn];
	size_t window = order->items.count + order->left_count;
	order_runs newer = { 0 };
	bool twice;

	if (!window)
		return order_wait(order, err);
	if (!order->why)
		order->why = mem_zalloc(sizeof(*order->why));
	twice = make_batch(order, limit_ns, batch, &newer);
	hand_over(order, batch);
	order->turn ^= 1;
	if (order->queue)
		batch = &order->batch[order->turn];
	turn_arrays(order);
	order->left.count = 0;
	if (twice || items_in(&newer) <= window / FEW_PART)
		copy_newer(order, &newer);
	for (size_t i = 0; i < newer.count; i++) {
		newer.item[i].number = i;
		vec_push(&order->left, newer.item[i]);
	}
	vec_done(&newer);
	order->left_count = items_in(&order->left);
	order->ready = order->items.count + order->left_count;
	if (batch->failed)
		*err = *order->why;
	return batch->failed;
}

bool order_puts_off(struct order *order)
{
	size_t ready = order->ready, count = order->items.count + order->left_count;

	order->ready = count;
	if (!order->queue || count > MOST_PUT_OFF)
		return false;
	return ready < count / 8 || (count < WORTH_WAITING && par_queue_busy(order->queue));
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
	vec_done(&order->left);
	free(order->before.item);
	free(order->next.item);
	for (size_t i = 0; i < 2; i++)
		vec_done(&order->batch[i].runs);
	*order = (struct order){ 0 };
}
