/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger as text (see ledger_view.h): sums by state and reason, a row per thread, and the
 * causes of waits. A thread name stands for all threads with that name if there would be too many
 * rows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/ledger/ledger.h"
#include "view/ledger/ledger_view.h"

#define NAME_WIDTH 24

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* A length of time in the unit that fits. */
static void put_ns(struct buf *out, uint64_t ns)
{
	if (ns >= 1000000000)
		(void)buf_printf(out, "%7.2f s ", seconds(ns));
	else if (ns >= 1000000)
		(void)buf_printf(out, "%7.2f ms", (double)ns / 1e6);
	else
		(void)buf_printf(out, "%7.2f us", (double)ns / 1e3);
}

static void put_state(struct buf *out, const char *name, uint64_t ns, uint64_t lifetime_ns)
{
	(void)buf_printf(out, "  %-18s %10.3f %6.1f%%", name, seconds(ns),
			 percent(ns, lifetime_ns));
}

static void put_reason(struct buf *out, const char *name, const struct ledger_cell *cell,
		       uint64_t lifetime_ns)
{
	(void)buf_printf(out, "    %-16s %10.3f %6.1f%% %11" PRIu64 "  ", name, seconds(cell->ns),
			 percent(cell->ns, lifetime_ns), cell->count);
	put_ns(out, cell->count ? cell->ns / cell->count : 0);
	(void)buf_puts(out, "  ");
	put_ns(out, cell->max_ns);
	(void)buf_putc(out, '\n');
}

/* The devices that the waits were for, longest first: "dm-0 (slow, part of md0)". */
static void put_devices(const struct ledger *ledger, enum ledger_account account,
			uint64_t lifetime_ns, struct buf *out)
{
	struct ledger_device_wait *wait;
	size_t count = ledger_device_waits(ledger, account, &wait);

	for (size_t i = 0; i < count; i++) {
		const struct ledger_device *device = ledger_device_find(ledger, wait[i].device);
		const struct ledger_cell *cell = &wait[i].wait;

		(void)buf_printf(out, "      %-14s %10.3f %6.1f%% %11" PRIu64 "  ",
				 device ? device->name : "unknown device", seconds(cell->ns),
				 percent(cell->ns, lifetime_ns), cell->count);
		put_ns(out, cell->count ? cell->ns / cell->count : 0);
		if (cell->max_ns) {
			(void)buf_puts(out, "  ");
			put_ns(out, cell->max_ns);
		}
		if (device && *device->about)
			(void)buf_printf(out, "  %s", device->about);
		(void)buf_putc(out, '\n');
	}
	free(wait);
}

/* What the waits on a condition were for. */
static void put_events(const struct ledger_sums *sums, struct buf *out)
{
	for (int i = 0; i < LEDGER_EVENTS; i++) {
		const struct ledger_cell *cell = &sums->event[i];

		if (!cell->count)
			continue;
		(void)buf_printf(out, "      %-14s %10.3f %6.1f%% %11" PRIu64 "  ",
				 ledger_event_name((enum ledger_event)i), seconds(cell->ns),
				 percent(cell->ns, sums->lifetime_ns), cell->count);
		put_ns(out, cell->ns / cell->count);
		(void)buf_putc(out, '\n');
	}
}

static void put_states(const struct ledger *ledger, const struct ledger_sums *sums, struct buf *out)
{
	(void)buf_printf(out, "  %-18s %10s %7s %11s  %10s  %10s\n", "state, reason", "thread-s",
			 "", "times", "average", "longest");
	for (int state = 0; state < LEDGER_STATES; state++) {
		put_state(out, ledger_state_name((enum ledger_state)state), sums->state_ns[state],
			  sums->lifetime_ns);
		(void)buf_putc(out, '\n');
		for (int i = LEDGER_RUNNING + 1; i < LEDGER_ACCOUNTS; i++) {
			enum ledger_account account = (enum ledger_account)i;

			if (!sums->cell[i].count ||
			    ledger_state_of(account) != (enum ledger_state)state)
				continue;
			put_reason(out, ledger_reason_name(account), &sums->cell[i],
				   sums->lifetime_ns);
			put_devices(ledger, account, sums->lifetime_ns, out);
			if (account == LEDGER_CONDITION)
				put_events(sums, out);
		}
	}
	put_state(out, "unaccounted", sums->unaccounted_ns, sums->lifetime_ns);
	(void)buf_putc(out, '\n');
}

struct row {
	const struct ledger_thread *first;
	struct ledger_sums sums;
};

typedef VEC(struct row) row_list;

static uint64_t row_key(const struct ledger_thread *thread, size_t index, enum ledger_rows rows)
{
	if (rows == LEDGER_ROWS_PROCESS)
		return thread->tgid;
	if (rows == LEDGER_ROWS_NAME)
		return hash_bytes(thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
	return index;
}

static int by_time_not_idle(const void *a, const void *b)
{
	const struct row *left = a, *right = b;
	uint64_t l = left->sums.lifetime_ns - left->sums.state_ns[LEDGER_STATE_IDLE];
	uint64_t r = right->sums.lifetime_ns - right->sums.state_ns[LEDGER_STATE_IDLE];

	if (l != r)
		return l < r ? 1 : -1;
	return left->first < right->first ? -1 : left->first > right->first;
}

static void make_rows(const struct ledger *ledger, enum ledger_rows rows, row_list *ret)
{
	struct map by_key = { 0 };

	for (size_t i = 0; i < ledger->thread.count; i++) {
		const struct ledger_thread *thread = &ledger->thread.item[i];
		bool added;
		uint64_t *place = map_add(&by_key, row_key(thread, i, rows), &added);

		if (added) {
			struct row row = { .first = thread };

			*place = ret->count;
			vec_push(ret, row);
		}
		ledger_sums_add(&ret->item[*place].sums, thread);
	}
	map_done(&by_key);
	if (ret->count)
		qsort(ret->item, ret->count, sizeof(*ret->item), by_time_not_idle);
}

static void put_row_name(const struct row *row, enum ledger_rows rows, struct buf *out)
{
	struct buf name = { 0 };
	char comm[sizeof(row->first->comm) + 1] = "";

	memcpy(comm, row->first->comm, sizeof(row->first->comm));
	(void)buf_put_tidy(&name, comm);
	if (rows == LEDGER_ROWS_THREAD)
		(void)buf_printf(&name, ":%" PRIu32, row->first->tid);
	else if (rows == LEDGER_ROWS_PROCESS)
		(void)buf_printf(&name, ":%" PRIu32 " (%" PRIu64 ")", row->first->tgid,
				 row->sums.threads);
	else
		(void)buf_printf(&name, " (%" PRIu64 ")", row->sums.threads);
	(void)buf_printf(out, "  %-*s", NAME_WIDTH, name.data);
	buf_done(&name);
}

static void put_rows(const struct ledger *ledger, const struct ledger_view_options *options,
		     struct buf *out)
{
	row_list list = { 0 };
	size_t shown;

	make_rows(ledger, options->rows, &list);
	shown = options->max_rows && options->max_rows < list.count ? options->max_rows
								    : list.count;
	(void)buf_printf(out, "\n  %-*s %10s %9s %9s %9s %9s %9s %9s\n", NAME_WIDTH,
			 options->rows == LEDGER_ROWS_PROCESS ? "process (threads)"
			 : options->rows == LEDGER_ROWS_NAME  ? "name (threads)"
							      : "thread",
			 "life s", "user", "kernel", "runnable", "blocked", "idle", "unacc.");
	for (size_t i = 0; i < shown; i++) {
		const struct ledger_sums *sums = &list.item[i].sums;

		put_row_name(&list.item[i], options->rows, out);
		(void)buf_printf(out, " %10.3f", seconds(sums->lifetime_ns));
		for (int state = 0; state < LEDGER_STATES; state++)
			(void)buf_printf(out, " %8.1f%%",
					 percent(sums->state_ns[state], sums->lifetime_ns));
		(void)buf_printf(out, " %8.3f%%\n",
				 percent(sums->unaccounted_ns, sums->lifetime_ns));
	}
	if (shown < list.count)
		(void)buf_printf(out, "  (%zu more: --rows 0 shows all)\n", list.count - shown);
	vec_done(&list);
}

static void put_comm(struct buf *out, const char *comm, size_t size)
{
	char text[32] = "";

	memcpy(text, comm, size < sizeof(text) ? size : sizeof(text) - 1);
	(void)buf_put_tidy(out, text);
}

/* "|- 12.10 s  it was running", a line for each thing the holder did. */
static void put_holder(const struct ledger_link *link, struct buf *out)
{
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		enum ledger_state state = ledger_state_of((enum ledger_account)i);

		if (link->edge.owner_ns[i] * 100 < link->edge.wait.ns || !link->edge.owner_ns[i])
			continue;
		(void)buf_puts(out, "      |- ");
		put_ns(out, link->edge.owner_ns[i]);
		(void)buf_printf(out, "  the holder was %s%s%s\n",
				 i == LEDGER_RUNNING ? "running" : ledger_state_name(state),
				 i == LEDGER_RUNNING ? "" : ": ",
				 ledger_reason_name((enum ledger_account)i));
	}
}

static void put_link(const struct ledger *ledger, const struct ledger_link *link, struct buf *out)
{
	const struct ledger_thread *waiter = ledger_find(ledger, link->key.waiter_tid);
	const struct ledger_device *device = ledger_device_find(ledger, link->key.device);
	enum ledger_account account = link->key.account;

	(void)buf_puts(out, "  ");
	put_ns(out, link->edge.wait.ns);
	(void)buf_printf(out, " %8" PRIu64 "x  ", link->edge.wait.count);
	if (waiter)
		put_comm(out, waiter->comm, sizeof(waiter->comm));
	(void)buf_printf(out, ":%" PRIu32 " %s %s", link->key.waiter_tid,
			 ledger_state_name(ledger_state_of(account)), ledger_reason_name(account));
	if (link->key.lock) {
		(void)buf_putc(out, ' ');
		ledger_put_lock(ledger, &link->key, out);
	}
	if (device)
		(void)buf_printf(out, " %s", device->name);
	(void)buf_puts(out, ", ");
	ledger_put_other(link, true, out);
	(void)buf_putc(out, '\n');
	put_holder(link, out);
}

/* The heaviest links of one kind; idle waits are omitted. */
static void put_links(const struct ledger *ledger, const struct ledger_view_options *options,
		      bool instead, struct buf *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < ledger->link.count; i++) {
		const struct ledger_link *link = &ledger->link.item[i];

		if ((link->key.relation == LEDGER_RAN_INSTEAD) != instead ||
		    ledger_state_of(link->key.account) == LEDGER_STATE_IDLE)
			continue;
		if (!shown++)
			(void)buf_puts(out, instead ? "\nran instead\n" : "\nblocked by\n");
		if (options->max_rows && shown > options->max_rows)
			break;
		put_link(ledger, link, out);
	}
}

static void put_lost(const struct ledger_counts *counts, struct buf *out)
{
	if (counts->lost_threads)
		(void)buf_printf(out, "\n%" PRIu64 " threads ended unseen: their time is missing\n",
				 counts->lost_threads);
	if (counts->untracked)
		(void)buf_printf(out, "\n%" PRIu64 " threads could not be traced\n",
				 counts->untracked);
	if (counts->lost_edges)
		(void)buf_printf(out, "\n%" PRIu64 " waits have no place in \"blocked by\"\n",
				 counts->lost_edges);
	if (counts->lost_spans)
		(void)buf_printf(out, "\n%" PRIu64 " intervals are gaps in the timeline\n",
				 counts->lost_spans);
}

void ledger_text(const struct ledger *ledger, const struct ledger_view_options *options,
		 struct buf *ret)
{
	struct ledger_sums sums = { 0 };

	for (size_t i = 0; i < ledger->thread.count; i++)
		ledger_sums_add(&sums, &ledger->thread.item[i]);
	(void)buf_printf(ret, "%.3f s, %" PRIu64 " threads, %.3f thread-s, unaccounted %.3f %%\n\n",
			 seconds(ledger->end_ns - ledger->start_ns), sums.threads,
			 seconds(sums.lifetime_ns), percent(sums.unaccounted_ns, sums.lifetime_ns));
	put_states(ledger, &sums, ret);
	put_rows(ledger, options, ret);
	put_links(ledger, options, false, ret);
	put_links(ledger, options, true, ret);
	put_lost(&ledger->counts, ret);
}
