/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The window in which records of a perf.data file are sorted by time (see perf_data_order.c), and
 * their delivery, on a separate thread on request. Borrows the records. */
#ifndef FORMAT_PERF_DATA_ORDER_H
#define FORMAT_PERF_DATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/event.h"

struct err;

typedef int order_deliver(void *context, const struct timed_record *item, size_t count,
			  struct err *err);

/* Items in ascending order. Of two runs, the one with the lower number was found first. */
struct order_run {
	const struct timed_record *at, *end;
	size_t number;
};

typedef VEC(struct order_run) order_runs;

/* Records that are delivered together, in the background if there is one. */
struct order_batch {
	struct order *order;
	order_runs runs;
	int failed;
};

struct order_array {
	struct timed_record *item;
	size_t capacity;
};

struct order {
	size_t room; /* of items to begin with, if not 0: growing a large array is expensive */
	VEC(struct timed_record) items;
	VEC(size_t) runs; /* starts of ascending runs in items */
	/* What the last flush left, in place: in the array that was filled before. The previous one
	 * is filled next, after its batch has been delivered. */
	order_runs left;
	size_t left_count;
	struct order_array before, next;
	uint64_t newest_ns, limit_ns; /* highest time so far, and as of the last round */
	uint64_t round;
	size_t ready; /* so many items can go, about: those of the rounds before */
	order_deliver *deliver;
	void *context;
	struct par_queue *queue;     /* NULL = no background */
	struct order_batch batch[2]; /* one is delivered while the next is filled */
	unsigned turn;
	int failed; /* in the background, with why */
	struct err *why;
};

void order_grow(struct order *order);
/* The last item is older than the one before it. */
void order_add_older(struct order *order);

/* Skips a record of that time without adding it. */
static inline void order_pass(struct order *order, uint64_t time_ns)
{
	if (time_ns > order->newest_ns)
		order->newest_ns = time_ns;
}

/* The place of the next item, which order_add() makes one. */
static inline struct timed_record *order_next(struct order *order)
{
	if (order->items.count == order->items.capacity)
		order_grow(order);
	return &order->items.item[order->items.count];
}

static inline void order_add(struct order *order)
{
	size_t count = order->items.count++;
	const struct timed_record *item = &order->items.item[count];

	if (!count)
		vec_push(&order->runs, 0);
	else if (item[-1].time_ns > item->time_ns)
		order_add_older(order);
	order_pass(order, item->time_ns);
}

/* From now on order_flush() returns while a thread still hands over, at most the records of one
 * call. */
void order_in_background(struct order *order);
/* Delivers records up to limit_ns, in order. When it returns, the batch of the previous call has
 * been delivered. */
int order_flush(struct order *order, uint64_t limit_ns, struct err *err);
/* Whether to let the end of a round pass without a flush, so that the other thread is neither fed
 * in morsels nor waited for. To be asked at each. */
bool order_puts_off(struct order *order);
/* Until all that was handed over is delivered. */
int order_wait(struct order *order, struct err *err);
void order_done(struct order *order);

#endif
