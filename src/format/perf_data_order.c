/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time order. Records lie in the file as the rings were emptied: one ascending run per CPU and
 * sweep. The window remembers where runs start and merges them pairwise, so that a record costs a
 * few comparisons, and keeps only the place of each record. Equal times keep the file's order.
 *
 * No record of a round is older than the newest record of the round before the previous one was
 * when that ended (a FINISHED_ROUND follows each sweep of all rings), so at the end of each round
 * everything up to the newest time at the end of the previous round can go. */
#include <stdlib.h>

#include "format/perf_data_private.h"

void order_add(struct order *order, uint64_t time_ns, const uint8_t *record)
{
	size_t count = order->items.count;

	if (count == 0 || order->items.item[count - 1].time_ns > time_ns)
		vec_push(&order->runs, count);
	vec_push(&order->items, ((struct order_item){ time_ns, record }));
	if (time_ns > order->newest_ns)
		order->newest_ns = time_ns;
}

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
	struct order_item *merged = order->spare;

	for (size_t i = 0; i < runs; i += 2) {
		size_t begin = start[i], middle = i + 1 < runs ? start[i + 1] : total;
		size_t end = i + 2 < runs ? start[i + 2] : total;

		merge(order->items.item, begin, middle, end, merged);
		order->runs.item[kept++] = begin;
	}
	order->runs.count = kept;
	order->spare = order->items.item;
	order->items.item = merged;
}

static void sort(struct order *order)
{
	if (order->runs.count <= 1)
		return;
	if (order->spare_count != order->items.capacity) {
		order->spare_count = order->items.capacity;
		order->spare =
			mem_realloc(order->spare, order->spare_count * sizeof(*order->spare));
	}
	while (order->runs.count > 1)
		merge_pairs(order);
}

int order_flush(struct order *order, uint64_t limit_ns, order_deliver *deliver, void *context,
		struct err *err)
{
	size_t n = 0, total = order->items.count;
	int failed = 0;

	if (!total)
		return 0;
	sort(order);
	while (n < total && order->items.item[n].time_ns <= limit_ns && !failed)
		failed = deliver(context, order->items.item[n++].record, err);
	memmove(order->items.item, order->items.item + n, (total - n) * sizeof(*order->items.item));
	order->items.count = total - n;
	order->runs.count = 0;
	if (order->items.count)
		vec_push(&order->runs, 0);
	return failed;
}

void order_done(struct order *order)
{
	vec_done(&order->items);
	vec_done(&order->runs);
	free(order->spare);
	order->spare = NULL;
}
