/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks as JSON (see lock_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "profile/lock/lock_place.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"
#include "view/lock/lock_view.h"
#include "view/stack_line.h"

static void put_string(const char *key, const char *text, struct buf *out)
{
	(void)buf_printf(out, "\"%s\": ", key);
	(void)buf_put_json(out, text);
}

static void put_thread(const struct profile *profile, thread_id id, struct buf *out)
{
	const struct profile_thread *thread = &profile->threads.item[id.v];

	(void)buf_printf(out, "\"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", ", thread->pid,
			 thread->tid);
	put_string("comm", profile_string(profile, thread->comm), out);
}

static const char *relation_name(enum lock_relation relation)
{
	static const char *const names[] = { "unknown",	  "held-by",	   "released-by",
					     "timed-out", "still-waiting", "kept" };

	return names[relation <= LOCK_HOLD ? relation : LOCK_NOBODY];
}

static void put_doings(const struct lock_part *part, struct buf *out)
{
	const char *before = "";

	(void)buf_puts(out, ", \"meanwhile_ns\": {");
	for (unsigned i = 0; i < LEDGER_ACCOUNTS; i++) {
		const char *reason = ledger_reason_name((enum ledger_account)i);

		if (!part->did_ns[i])
			continue;
		(void)buf_printf(out, "%s \"%s\": %" PRIu64, before, reason[0] ? reason : "running",
				 part->did_ns[i]);
		before = ",";
	}
	(void)buf_puts(out, " }");
}

static void put_part(const struct profile *profile, const struct lock_part *part, bool holder,
		     struct buf *out)
{
	(void)buf_puts(out, "{ ");
	put_thread(profile, part->thread, out);
	(void)buf_printf(out,
			 ", \"relation\": \"%s\", \"waits\": %" PRIu64 ", \"wait_ns\": %" PRIu64
			 ", \"max_ns\": %" PRIu64,
			 relation_name(part->relation), part->count, part->ns, part->max_ns);
	if (holder)
		put_doings(part, out);
	(void)buf_puts(out, ", \"stack\": ");
	stack_line_put_json(profile, part->stack, out);
	(void)buf_puts(out, " }");
}

static void put_sum(const struct lock_row *row, struct buf *out)
{
	const struct lock_sum *s = &row->sum;

	(void)buf_printf(out,
			 ", \"waits\": %" PRIu64 ", \"wait_ns\": %" PRIu64 ", \"avg_ns\": %" PRIu64
			 ", \"max_ns\": %" PRIu64 ", \"p50_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64,
			 s->count, s->ns, s->count ? s->ns / s->count : 0, s->max_ns,
			 lock_percentile(s, 0.5), lock_percentile(s, 0.99));
	(void)buf_printf(out,
			 ", \"delay_ns\": %" PRIu64 ", \"timeouts\": %" PRIu64
			 ", \"open\": %" PRIu64 ", \"standing\": %" PRIu64 ", \"again\": %" PRIu64
			 ", \"together\": %" PRIu64 ", \"handed_ns\": %" PRIu64,
			 s->delay_ns, row->timeouts, row->open, row->standing, s->again,
			 s->together, s->handed_ns);
}

static void put_hold(const struct lock_view *view, const struct lock_row *row, struct buf *out)
{
	const struct lock_sum *s = &row->hold;

	(void)buf_printf(out,
			 ",\n      \"hold\": { \"count\": %" PRIu64 ", \"ns\": %" PRIu64
			 ", \"avg_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"p50_ns\": %" PRIu64
			 ", \"p99_ns\": %" PRIu64 ", \"by\": [",
			 s->count, s->ns, s->ns / s->count, s->max_ns, lock_percentile(s, 0.5),
			 lock_percentile(s, 0.99));
	for (size_t i = 0; i < row->keeper.count; i++) {
		(void)buf_puts(out, i ? ",\n        " : "\n        ");
		put_part(view->profile, &row->keeper.item[i], false, out);
	}
	(void)buf_puts(out, " ] }");
}

static void put_row(const struct lock_view *view, const struct lock_row *row, struct buf *out)
{
	const struct profile *profile = view->profile;
	struct buf name = { 0 };
	const char *runtime = NULL;

	lock_put_name(view, row, &name);
	if (row->waiter.count && row->kind != LOCK_KIND_KERNEL)
		runtime = lock_runtime_kind(profile, row->waiter.item[0].stack);
	(void)buf_puts(out, "{ ");
	put_string("name", name.data, out);
	(void)buf_puts(out, ", ");
	put_string("place", profile_string(profile, row->place), out);
	(void)buf_puts(out, ", ");
	put_string("kind", lock_kind_name(row), out);
	(void)buf_puts(out, ", ");
	put_string("runtime", runtime ? runtime : "", out);
	(void)buf_printf(out,
			 ", \"event\": %s, \"kernel\": %s, \"pid\": %" PRIu32
			 ", \"address\": \"%#" PRIx64 "\"",
			 lock_row_is_event(row, profile) ? "true" : "false",
			 row->kind == LOCK_KIND_KERNEL ? "true" : "false", row->pid, row->address);
	put_sum(row, out);
	if (row->hold.count)
		put_hold(view, row, out);
	(void)buf_puts(out, ",\n      \"waiters\": [");
	for (size_t i = 0; i < row->waiter.count; i++) {
		(void)buf_puts(out, i ? ",\n        " : "\n        ");
		put_part(profile, &row->waiter.item[i], false, out);
	}
	(void)buf_puts(out, " ],\n      \"holders\": [");
	for (size_t i = 0; i < row->holder.count; i++) {
		(void)buf_puts(out, i ? ",\n        " : "\n        ");
		put_part(profile, &row->holder.item[i], true, out);
	}
	(void)buf_puts(out, " ] }");
	buf_done(&name);
}

static void put_cycle(const struct lock_view *view, const struct lock_cycle *cycle, struct buf *out)
{
	struct buf name = { 0 };

	for (size_t i = 0; i < cycle->link.count; i++) {
		const struct lock_link *link = &cycle->link.item[i];

		(void)buf_puts(out, i ? ", { " : "{ ");
		put_thread(view->profile, link->thread, out);
		buf_clear(&name);
		lock_put_name(view, &view->table->row.item[link->row], &name);
		(void)buf_puts(out, ", ");
		put_string("lock", name.data, out);
		(void)buf_puts(out, ", \"stack\": ");
		stack_line_put_json(view->profile, link->stack, out);
		(void)buf_puts(out, " }");
	}
	buf_done(&name);
}

void lock_json(const struct lock_view *view, struct buf *out)
{
	const struct lock_table *table = view->table;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_printf(out,
			 "], \"duration_ns\": %" PRIu64 ", \"lost\": %" PRIu64 ",\n  \"locks\": [",
			 view->duration_ns, view->lost);
	for (size_t i = 0; i < table->row.count; i++) {
		(void)buf_puts(out, i ? ",\n    " : "\n    ");
		put_row(view, &table->row.item[i], out);
	}
	(void)buf_puts(out, " ],\n  \"deadlocks\": [");
	for (size_t i = 0; i < table->cycle.count; i++) {
		(void)buf_puts(out, i ? ",\n    [ " : "\n    [ ");
		put_cycle(view, &table->cycle.item[i], out);
		(void)buf_puts(out, " ]");
	}
	(void)buf_puts(out, " ] }\n");
}
