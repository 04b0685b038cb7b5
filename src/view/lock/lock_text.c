/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks as text (see lock_view.h): deadlocks first, then a row per lock, then each lock with the
 * stacks of its waiters and holders, and what the holders did. */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "profile/lock/lock_place.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"
#include "view/lock/lock_view.h"
#include "view/stack_line.h"

#define NAME_WIDTH 30
#define KIND_WIDTH 16

void lock_put_name(const struct lock_view *view, const struct lock_row *row, struct buf *out)
{
	const char *name = profile_string(view->profile, row->name);
	const char *place = profile_string(view->profile, row->place);

	if (name[0]) {
		(void)buf_put_tidy(out, name);
	} else if (row->kind == LOCK_KIND_KERNEL && place[0]) {
		(void)buf_put_tidy(out, place);
	} else {
		(void)buf_printf(out, "%#" PRIx64, row->address);
		if (place[0]) {
			(void)buf_puts(out, " in ");
			(void)buf_put_tidy(out, place);
		}
	}
}

static const char *kind_of(const struct lock_view *view, const struct lock_row *row)
{
	unsigned kind = row->kind & LOCK_KIND_BITS;
	const char *runtime = NULL;

	if (row->waiter.count &&
	    (kind == LOCK_KIND_WORD || kind == LOCK_KIND_EVENT || kind == LOCK_KIND_CONDITION))
		runtime = lock_runtime_kind(view->profile, row->waiter.item[0].stack);
	return runtime ? runtime : lock_kind_name(row);
}

static void put_ns(struct buf *out, uint64_t ns)
{
	double us = (double)ns / 1e3;

	if (us >= 1e6)
		(void)buf_printf(out, " %8.2f s ", us / 1e6);
	else if (us >= 1e3)
		(void)buf_printf(out, " %8.2f ms", us / 1e3);
	else
		(void)buf_printf(out, " %8.2f us", us);
}

static void put_row(const struct lock_view *view, const struct lock_row *row,
		    const struct lock_sum *s, struct buf *out)
{
	struct buf name = { 0 };

	lock_put_name(view, row, &name);
	put_ns(out, s->ns);
	(void)buf_printf(out, " %9" PRIu64, s->count);
	put_ns(out, s->count ? s->ns / s->count : 0);
	put_ns(out, lock_percentile(s, 0.5));
	put_ns(out, lock_percentile(s, 0.99));
	put_ns(out, s->max_ns);
	(void)buf_printf(out, "  %-*.*s  %s\n", KIND_WIDTH, KIND_WIDTH, kind_of(view, row),
			 name.data);
	buf_done(&name);
}

static void put_titles(const char *title, const char *what, const char *count, struct buf *out)
{
	(void)buf_printf(out, "%s\n", title);
	(void)buf_printf(out, "  total %s %9s    avg %s %11s %11s    max %s  %-*s  %s\n", what,
			 count, what, "p50", "p99", what, KIND_WIDTH, "kind", "lock");
}

static void put_table(const struct lock_view *view, bool events, const char *title, struct buf *out)
{
	uint64_t shown = 0, left = 0;

	for (size_t i = 0; i < view->table->row.count; i++) {
		const struct lock_row *row = &view->table->row.item[i];

		if (lock_row_is_event(row, view->profile) != events || !row->sum.count)
			continue;
		if (view->rows && shown == view->rows) {
			left++;
			continue;
		}
		if (!shown++)
			put_titles(title, "wait", "waits", out);
		put_row(view, row, &row->sum, out);
	}
	if (left)
		(void)buf_printf(out, "  ... %" PRIu64 " more; --rows 0 shows all\n", left);
	if (shown)
		(void)buf_putc(out, '\n');
}

/* Rows are in the order of their waits: those that nobody waited for come last. */
static void put_holds(const struct lock_view *view, struct buf *out)
{
	uint64_t shown = 0, left = 0;

	for (size_t i = 0; i < view->table->row.count; i++) {
		const struct lock_row *row = &view->table->row.item[i];

		if (!row->hold.count)
			continue;
		if (view->rows && shown == view->rows) {
			left++;
			continue;
		}
		if (!shown++)
			put_titles("Hold times", "held", "holds", out);
		put_row(view, row, &row->hold, out);
	}
	if (left)
		(void)buf_printf(out, "  ... %" PRIu64 " more; --rows 0 shows all\n", left);
	if (shown)
		(void)buf_putc(out, '\n');
}

static void put_thread(const struct lock_view *view, thread_id id, struct buf *out)
{
	const struct profile_thread *thread;

	if (id.v == PROFILE_NO_ID) {
		(void)buf_puts(out, "unknown");
		return;
	}
	thread = &view->profile->threads.item[id.v];
	(void)buf_put_tidy(out, profile_string(view->profile, thread->comm));
	(void)buf_printf(out, "(%" PRIu32 ")", thread->tid);
}

static void put_stack(const struct lock_view *view, stack_id stack, struct buf *out)
{
	(void)buf_puts(out, "        ");
	if (stack.v)
		stack_line_put(view->profile, stack, STACK_STOP_NONE, out);
	else
		(void)buf_puts(out, "[no stack]\n");
}

/* "it ran 62 %, disk 38 %". */
static void put_doings(const struct lock_part *part, struct buf *out)
{
	const char *before = "        meanwhile: ";
	uint64_t all = 0;

	for (unsigned i = 0; i < LEDGER_ACCOUNTS; i++)
		all += part->did_ns[i];
	if (!all)
		return;
	for (unsigned i = 0; i < LEDGER_ACCOUNTS; i++) {
		double percent = 100.0 * (double)part->did_ns[i] / (double)all;
		const char *reason = ledger_reason_name((enum ledger_account)i);
		const char *state = ledger_state_name(ledger_state_of((enum ledger_account)i));

		if (percent < 1)
			continue;
		(void)buf_printf(out, "%s%s%s%s %.0f%%", before,
				 i == LEDGER_RUNNING ? "ran" : state, reason[0] ? ": " : "", reason,
				 percent);
		before = ", ";
	}
	(void)buf_putc(out, '\n');
}

static void put_waiter(const struct lock_view *view, const struct lock_part *part, struct buf *out)
{
	put_ns(out, part->ns);
	(void)buf_printf(out, " %9" PRIu64 "x  waiter ", part->count);
	put_thread(view, part->thread, out);
	if (part->relation == LOCK_STILL_ON)
		(void)buf_puts(out, ", still waiting");
	if (part->relation == LOCK_TIMED_OUT)
		(void)buf_puts(out, ", timed out");
	(void)buf_putc(out, '\n');
	put_stack(view, part->stack, out);
}

static void put_holder(const struct lock_view *view, const struct lock_part *part, struct buf *out)
{
	put_ns(out, part->ns);
	(void)buf_printf(out, " %9" PRIu64 "x  %s ", part->count,
			 part->relation == LOCK_RELEASED_BY ? "released by" : "held by");
	put_thread(view, part->thread, out);
	(void)buf_putc(out, '\n');
	if (part->stack.v)
		put_stack(view, part->stack, out);
	put_doings(part, out);
}

static void put_keeper(const struct lock_view *view, const struct lock_part *part, struct buf *out)
{
	put_ns(out, part->ns);
	(void)buf_printf(out, " %9" PRIu64 "x  kept by ", part->count);
	put_thread(view, part->thread, out);
	if (!part->stack.v)
		(void)buf_puts(out, ", each for less than 20 us");
	(void)buf_putc(out, '\n');
	if (part->stack.v)
		put_stack(view, part->stack, out);
}

static void put_remarks(const struct lock_view *view, const struct lock_row *row, struct buf *out)
{
	const struct lock_sum *s = &row->sum;

	if (row->timeouts)
		(void)buf_printf(out, "      %" PRIu64 " waits timed out\n", row->timeouts);
	if (row->open)
		(void)buf_printf(out, "      %" PRIu64 " waits had not ended\n", row->open);
	if (row->standing)
		(void)buf_printf(out,
				 "      %" PRIu64
				 " waits had begun before: their time counts from the "
				 "start of watching\n",
				 row->standing);
	if (s->count >= 10 && s->again * 4 >= s->count)
		(void)buf_printf(out,
				 "      convoy: %" PRIu64 " of %" PRIu64
				 " waits began within 20 us of the same thread's last one\n",
				 s->again, s->count);
	if (s->count >= 10 && s->together * 2 >= s->count)
		(void)buf_printf(out,
				 "      stampede: %" PRIu64 " of %" PRIu64
				 " waiters were woken together with others\n",
				 s->together, s->count);
	if (s->ns && s->delay_ns * 10 >= s->ns)
		(void)buf_printf(out, "      then %.0f%% of that time again until they had a CPU\n",
				 100.0 * (double)s->delay_ns / (double)s->ns);
	if (lock_row_is_event(row, view->profile) && s->handed_ns * 2 >= s->ns && s->ns)
		(void)buf_puts(out, "      threads take turns there: it works as a lock\n");
}

static void put_lock(const struct lock_view *view, const struct lock_row *row, struct buf *out)
{
	(void)buf_printf(out, "%s ", kind_of(view, row));
	lock_put_name(view, row, out);
	if (row->pid)
		(void)buf_printf(out, ", process %" PRIu32, row->pid);
	(void)buf_putc(out, '\n');
	put_remarks(view, row, out);
	for (size_t i = 0; i < row->waiter.count && i < view->stacks; i++)
		put_waiter(view, &row->waiter.item[i], out);
	for (size_t i = 0; i < row->holder.count && i < view->stacks; i++)
		put_holder(view, &row->holder.item[i], out);
	for (size_t i = 0; i < row->keeper.count && i < view->stacks; i++)
		put_keeper(view, &row->keeper.item[i], out);
	(void)buf_putc(out, '\n');
}

static void put_cycle(const struct lock_view *view, const struct lock_cycle *cycle, struct buf *out)
{
	size_t threads = cycle->link.count;

	(void)buf_printf(out, "DEADLOCK of %zu thread%s:\n", threads, threads == 1 ? "" : "s");
	for (size_t i = 0; i < cycle->link.count; i++) {
		const struct lock_link *link = &cycle->link.item[i];
		const struct lock_link *next = &cycle->link.item[(i + 1) % cycle->link.count];
		const struct lock_row *row = &view->table->row.item[link->row];

		(void)buf_puts(out, "  ");
		put_thread(view, link->thread, out);
		(void)buf_printf(out, " waits for %s ", kind_of(view, row));
		lock_put_name(view, row, out);
		(void)buf_puts(out, ", which ");
		if (threads > 1)
			put_thread(view, next->thread, out);
		(void)buf_puts(out, threads > 1 ? " holds\n" : "it holds itself\n");
		put_stack(view, link->stack, out);
	}
	(void)buf_putc(out, '\n');
}

void lock_text(const struct lock_view *view, struct buf *out)
{
	const struct lock_table *table = view->table;
	uint64_t shown = 0;

	for (size_t i = 0; i < table->cycle.count; i++)
		put_cycle(view, &table->cycle.item[i], out);
	put_table(view, false, "Waits for locks", out);
	put_table(view, true, "Waits for events: conditions, semaphores, barriers", out);
	put_holds(view, out);
	for (size_t pass = 0; view->stacks && pass < 2; pass++)
		for (size_t i = 0; i < table->row.count; i++) {
			if (lock_row_is_event(&table->row.item[i], view->profile) != (pass == 1))
				continue;
			if (view->rows && shown++ >= view->rows)
				break;
			put_lock(view, &table->row.item[i], out);
		}
	if (!table->row.count)
		(void)buf_puts(out, "Nobody waited for a lock.\n");
	if (view->lost)
		(void)buf_printf(out, "%" PRIu64 " waits lost and missing above\n", view->lost);
}
