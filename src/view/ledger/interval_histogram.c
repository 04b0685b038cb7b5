/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distributions of intervals (see interval_histogram.h). */
#include "view/ledger/interval_histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "view/latency/bucket_rows.h"
#include "view/latency/latency_map.h"

static uint64_t key_of(const struct ledger_thread *thread, enum interval_group group)
{
	switch (group) {
	case INTERVAL_PROCESS:
		return thread->tgid;
	case INTERVAL_THREAD:
		return thread->tid;
	case INTERVAL_PID_NAMESPACE:
		return thread->pid_ns;
	case INTERVAL_NAME:
		return hash_bytes(thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
	default:
		return 0;
	}
}

static struct interval_histogram *find(struct interval_histograms *histograms, uint64_t key)
{
	bool added;
	uint64_t *place = map_add(&histograms->by_key, key, &added);

	if (added) {
		struct interval_histogram *item = vec_add(&histograms->item);

		memset(item, 0, sizeof(*item));
		item->key = key;
		*place = histograms->item.count - 1;
	}
	return &histograms->item.item[*place];
}

static enum ledger_interval interval_of(uint32_t account)
{
	return account == LEDGER_RUNNING     ? LEDGER_INTERVAL_RUNNING
	       : account <= LEDGER_PREEMPTED ? LEDGER_INTERVAL_RUNNABLE
					     : LEDGER_INTERVAL_WAITING;
}

/* Of the intervals that are in the histogram: one that was cut by the end of watching is not. */
static uint64_t total_ns(const struct ledger_thread *thread, enum ledger_interval interval)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < LEDGER_ACCOUNTS; i++)
		if (interval_of(i) == interval)
			sum_ns += thread->cell[i].ns;
	if (thread->account < LEDGER_ACCOUNTS && interval_of(thread->account) == interval &&
	    thread->end_ns > thread->since_ns)
		sum_ns -= thread->end_ns - thread->since_ns;
	return sum_ns;
}

void interval_histograms_add(struct interval_histograms *histograms,
			     const struct ledger_thread *thread, enum ledger_interval interval)
{
	struct interval_histogram *item = find(histograms, key_of(thread, histograms->group));

	memcpy(item->comm, thread->comm, sizeof(item->comm));
	for (int bucket = 0; bucket < LEDGER_BUCKETS; bucket++)
		item->count[bucket] += thread->histogram[interval][bucket];
	item->total_ns += total_ns(thread, interval);
}

void interval_histograms_merge(struct interval_histograms *histograms,
			       const struct interval_histograms *more)
{
	for (size_t i = 0; i < more->item.count; i++) {
		const struct interval_histogram *other = &more->item.item[i];
		struct interval_histogram *item = find(histograms, other->key);

		memcpy(item->comm, other->comm, sizeof(item->comm));
		for (int bucket = 0; bucket < LEDGER_BUCKETS; bucket++)
			item->count[bucket] += other->count[bucket];
		item->total_ns += other->total_ns;
	}
}

void interval_histograms_subtract(struct interval_histograms *histograms,
				  const struct interval_histograms *earlier)
{
	for (size_t i = 0; i < earlier->item.count; i++) {
		const struct interval_histogram *old = &earlier->item.item[i];
		struct interval_histogram *item = find(histograms, old->key);

		/* A thread id that was given away counts from zero again. */
		for (int bucket = 0; bucket < LEDGER_BUCKETS; bucket++)
			item->count[bucket] -= item->count[bucket] < old->count[bucket]
						       ? item->count[bucket]
						       : old->count[bucket];
		item->total_ns -= item->total_ns < old->total_ns ? item->total_ns : old->total_ns;
	}
}

void interval_histograms_map(const struct interval_histograms *histograms, uint64_t time_ns,
			     struct latency_map *map)
{
	for (size_t i = 0; i < histograms->item.count; i++)
		for (uint32_t row = 0; row < LEDGER_BUCKETS; row++)
			if (histograms->item.item[i].count[row])
				latency_map_add(map, time_ns, row,
						histograms->item.item[i].count[row]);
}

void interval_histograms_done(struct interval_histograms *histograms)
{
	vec_done(&histograms->item);
	map_done(&histograms->by_key);
}

static int by_number(const void *a, const void *b)
{
	const struct interval_histogram *const *left = a, *const *right = b;

	return (*left)->key < (*right)->key ? -1 : (*left)->key > (*right)->key;
}

static int by_name(const void *a, const void *b)
{
	const struct interval_histogram *const *left = a, *const *right = b;

	return strncmp((*left)->comm, (*right)->comm, sizeof((*left)->comm));
}

/* In the order of the output; to be freed. */
static const struct interval_histogram **sorted(const struct interval_histograms *histograms)
{
	size_t count = histograms->item.count;
	const struct interval_histogram **item = mem_alloc(count * sizeof(*item));

	for (size_t i = 0; i < count; i++)
		item[i] = &histograms->item.item[i];
	qsort(item, count, sizeof(*item), histograms->group == INTERVAL_NAME ? by_name : by_number);
	return item;
}

/* Returns whether there are any. */
static bool get_rows(const struct interval_histogram *item, struct bucket_row row[LEDGER_BUCKETS])
{
	bool any = false;

	for (int bucket = 0; bucket < LEDGER_BUCKETS; bucket++) {
		row[bucket] = (struct bucket_row){ bucket ? (uint64_t)1 << bucket : 0,
						   ((uint64_t)2 << bucket) - 1,
						   item->count[bucket] };
		any = any || item->count[bucket];
	}
	return any;
}

static void put_group(const struct interval_histogram *item, enum interval_group group,
		      struct buf *out)
{
	char comm[sizeof(item->comm) + 1] = "";

	if (group == INTERVAL_ALL)
		return;
	memcpy(comm, item->comm, sizeof(item->comm));
	if (group == INTERVAL_NAME)
		(void)buf_puts(out, "\ncomm = ");
	else if (group == INTERVAL_PID_NAMESPACE)
		(void)buf_printf(out, "\npidns = %" PRIu64 "\n", item->key);
	else
		(void)buf_printf(out, "\n%s = %" PRIu64 " ",
				 group == INTERVAL_PROCESS ? "pid" : "tid", item->key);
	if (group == INTERVAL_PID_NAMESPACE)
		return;
	(void)buf_put_tidy(out, comm);
	(void)buf_putc(out, '\n');
}

struct interval_sum {
	uint64_t count, total_ns;
};

static struct interval_sum sum_up(const struct interval_histogram *item)
{
	struct interval_sum sum = { .total_ns = item->total_ns };

	for (int bucket = 0; bucket < LEDGER_BUCKETS; bucket++)
		sum.count += item->count[bucket];
	return sum;
}

/* One line for all of them, as BCC's tool has it. */
static void put_totals(const struct interval_histograms *histograms,
		       const struct interval_view *view, struct buf *out)
{
	struct interval_sum all = { 0 };
	uint64_t total;

	for (size_t i = 0; i < histograms->item.count; i++) {
		struct interval_sum one = sum_up(&histograms->item.item[i]);

		all.count += one.count;
		all.total_ns += one.total_ns;
	}
	if (!all.count)
		return;
	total = all.total_ns / view->unit_ns;
	(void)buf_printf(out,
			 "\navg = %" PRIu64 " %s, total: %" PRIu64 " %s, count: %" PRIu64 "\n\n",
			 total / all.count, view->unit, total, view->unit, all.count);
}

void interval_histograms_text(const struct interval_histograms *histograms,
			      const struct interval_view *view, struct buf *ret)
{
	AUTO_FREE const struct interval_histogram **item = sorted(histograms);

	for (size_t i = 0; i < histograms->item.count; i++) {
		struct bucket_row row[LEDGER_BUCKETS];

		if (!get_rows(item[i], row))
			continue;
		put_group(item[i], histograms->group, ret);
		bucket_rows_text(view->unit, row, LEDGER_BUCKETS, ret);
	}
	if (view->unit_ns)
		put_totals(histograms, view, ret);
}

static void put_json_group(const struct interval_histogram *item, enum interval_group group,
			   struct buf *ret)
{
	char comm[sizeof(item->comm) + 1] = "";

	memcpy(comm, item->comm, sizeof(item->comm));
	if (group == INTERVAL_PROCESS || group == INTERVAL_THREAD)
		(void)buf_printf(ret, "\"%s\":%" PRIu64 ",",
				 group == INTERVAL_PROCESS ? "pid" : "tid", item->key);
	if (group == INTERVAL_PID_NAMESPACE)
		(void)buf_printf(ret, "\"pidns\":%" PRIu64 ",", item->key);
	if (group == INTERVAL_ALL || group == INTERVAL_PID_NAMESPACE)
		return;
	(void)buf_puts(ret, "\"comm\":");
	(void)buf_put_json(ret, comm);
	(void)buf_putc(ret, ',');
}

void interval_histograms_json(const struct interval_histograms *histograms,
			      const struct interval_view *view, struct buf *ret)
{
	AUTO_FREE const struct interval_histogram **item = sorted(histograms);

	(void)buf_printf(ret, "{\"cupel\":1,\"what\":\"%s\",\"unit\":\"%s\",\"histograms\":[",
			 view->what, view->unit);
	for (size_t i = 0; i < histograms->item.count; i++) {
		struct bucket_row row[LEDGER_BUCKETS];

		(void)get_rows(item[i], row);
		(void)buf_puts(ret, i ? ",{" : "{");
		put_json_group(item[i], histograms->group, ret);
		if (view->unit_ns)
			(void)buf_printf(ret, "\"total_ns\":%" PRIu64 ",\"count\":%" PRIu64 ",",
					 item[i]->total_ns, sum_up(item[i]).count);
		(void)buf_puts(ret, "\"buckets\":");
		bucket_rows_json(row, LEDGER_BUCKETS, ret);
		(void)buf_putc(ret, '}');
	}
	(void)buf_puts(ret, "]}\n");
}
