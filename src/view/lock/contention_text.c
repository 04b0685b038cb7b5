/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention as text and JSON (see contention_view.h). */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "profile/lock/contention.h"
#include "profile/lock/lock_place.h"
#include "profile/profile.h"
#include "view/lock/contention_view.h"
#include "view/stack_line.h"

#define TIME_WIDTH 12 /* with the unit */
#define NAME_WIDTH 20 /* of the report */
#define CUT_NAME   16 /* what is left of a longer one */

static const char *type_of(const struct contention_row *row)
{
	return lock_kernel_kind(row->flags);
}

/* As perf does: two places, the unit that fits, and the precision of a float. */
static void put_time(struct buf *out, uint64_t ns)
{
	static const struct {
		float ns;
		const char *unit;
	} units[] = {
		{ 3600e9F, "h " }, { 60e9F, "m " }, { 1e9F, "s " }, { 1e6F, "ms" }, { 1e3F, "us" }
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if ((float)ns >= units[i].ns) {
			(void)buf_printf(out, "%*.2f %s", TIME_WIDTH - 3,
					 (double)((float)ns / units[i].ns), units[i].unit);
			return;
		}
	(void)buf_printf(out, "%*" PRIu64 " ns", TIME_WIDTH - 3, ns);
}

static uint64_t average(const struct contention_row *row)
{
	return row->contended ? row->total_ns / row->contended : 0;
}

static void put_head(const struct contention_view *view, struct buf *out)
{
	static const char *const columns[][2] = {
		[CONTENTION_BY_CALLER] = { "type", "caller" },
		[CONTENTION_BY_THREAD] = { "pid", "comm" },
		[CONTENTION_BY_LOCK] = { "address", "symbol" },
		[CONTENTION_BY_OWNER] = { "pid", "owner" },
		[CONTENTION_BY_CGROUP] = { "cgroup", "" },
	};
	enum contention_by by = view->contention->by;
	const char *first = columns[by][0], *second = columns[by][1];

	if (view->separator) {
		const char *s = view->separator;

		(void)buf_printf(out, "# output: contended%s total wait%s max wait%s avg wait%s %s",
				 s, s, s, s, first);
		if (second[0])
			(void)buf_printf(out, "%s %s", s, second);
		if (by == CONTENTION_BY_LOCK)
			(void)buf_printf(out, "%s type", s);
		(void)buf_putc(out, '\n');
		return;
	}
	(void)buf_printf(out, "%10s %12s %12s %12s ", "contended", "total wait", "max wait",
			 "avg wait");
	if (by == CONTENTION_BY_CGROUP)
		(void)buf_printf(out, "  %s\n\n", first);
	else
		(void)buf_printf(out, "  %*s   %s\n\n", by == CONTENTION_BY_LOCK ? 16 : 10, first,
				 second);
}

/* What the row is, behind the numbers. */
static void put_subject(const struct contention_view *view, const struct contention_row *row,
			struct buf *out)
{
	const char *s = view->separator ? view->separator : "";
	const char *name = profile_string(view->profile, row->name);
	bool plain = view->separator != NULL;

	switch (view->contention->by) {
	case CONTENTION_BY_CALLER:
		(void)buf_printf(out, plain ? " %s%s " : "  %10s%s   ", type_of(row), s);
		break;
	case CONTENTION_BY_THREAD:
	case CONTENTION_BY_OWNER:
		(void)buf_printf(out, plain ? " %" PRIu32 "%s " : "  %10" PRIu32 "%s   ", row->tid,
				 s);
		break;
	case CONTENTION_BY_LOCK:
		(void)buf_printf(out, plain ? " %" PRIx64 "%s " : "  %016" PRIx64 "%s   ",
				 row->address, s);
		break;
	case CONTENTION_BY_CGROUP:
		(void)buf_puts(out, plain ? " " : "  ");
		break;
	}
	(void)buf_put_tidy(out, name);
	if (view->contention->by == CONTENTION_BY_LOCK) {
		if (plain)
			(void)buf_printf(out, "%s %s", s, type_of(row));
		else
			(void)buf_printf(out, " (%s)", type_of(row));
	}
}

static void put_row(const struct contention_view *view, const struct contention_row *row,
		    struct buf *out)
{
	const char *s = view->separator;

	if (s) {
		(void)buf_printf(out, "%" PRIu64 "%s %" PRIu64 "%s %" PRIu64 "%s %" PRIu64 "%s",
				 row->contended, s, row->total_ns, s, row->max_ns, s, average(row),
				 s);
	} else {
		(void)buf_printf(out, "%10" PRIu64 " ", row->contended);
		put_time(out, row->total_ns);
		(void)buf_putc(out, ' ');
		put_time(out, row->max_ns);
		(void)buf_putc(out, ' ');
		put_time(out, average(row));
		(void)buf_putc(out, ' ');
	}
	put_subject(view, row, out);
	(void)buf_putc(out, '\n');
	if (!view->stacks || s)
		return;
	(void)buf_puts(out, "                ");
	stack_line_put(view->profile, row->stack, STACK_STOP_NONE, out);
}

void contention_text(const struct contention_view *view, struct buf *out)
{
	const struct contention *contention = view->contention;

	put_head(view, out);
	for (size_t i = 0; i < contention->row.count; i++) {
		if (view->entries && i == view->entries)
			break;
		put_row(view, &contention->row.item[i], out);
	}
}

void contention_report(const struct contention_view *view, struct buf *out)
{
	const struct contention *contention = view->contention;

	(void)buf_printf(out, "%*s %10s %10s %12s %12s %12s %12s \n\n", NAME_WIDTH, "Name",
			 "acquired", "contended", "avg wait", "total wait", "max wait", "min wait");
	for (size_t i = 0; i < contention->row.count; i++) {
		const struct contention_row *row = &contention->row.item[i];
		struct buf name = { 0 };

		if (view->entries && i == view->entries)
			break;
		(void)buf_put_tidy(&name, profile_string(view->profile, row->name));
		if (name.len > NAME_WIDTH)
			(void)buf_printf(out, " %.*s...", CUT_NAME, name.data);
		else
			(void)buf_printf(out, "%*s", NAME_WIDTH, name.len ? name.data : "");
		buf_done(&name);
		(void)buf_printf(out, " %10" PRIu64 " %10" PRIu64 " ", row->contended,
				 row->contended);
		put_time(out, average(row));
		(void)buf_putc(out, ' ');
		put_time(out, row->total_ns);
		(void)buf_putc(out, ' ');
		put_time(out, row->max_ns);
		(void)buf_putc(out, ' ');
		put_time(out, row->min_ns);
		(void)buf_puts(out, " \n");
	}
}

void contention_json(const struct contention_view *view, struct buf *out)
{
	const struct contention *contention = view->contention;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_printf(out,
			 "], \"contended\": %" PRIu64 ", \"total_ns\": %" PRIu64
			 ", \"bad\": %" PRIu64 ",\n  \"rows\": [",
			 contention->contended, contention->total_ns, contention->bad);
	for (size_t i = 0; i < contention->row.count; i++) {
		const struct contention_row *row = &contention->row.item[i];

		(void)buf_puts(out, i ? ",\n    { \"name\": " : "\n    { \"name\": ");
		(void)buf_put_json(out, profile_string(view->profile, row->name));
		(void)buf_printf(out,
				 ", \"type\": \"%s\", \"tid\": %" PRIu32
				 ", \"address\": \"%#" PRIx64 "\", \"contended\": %" PRIu64
				 ", \"total_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64
				 ", \"min_ns\": %" PRIu64 ", \"stack\": ",
				 type_of(row), row->tid, row->address, row->contended,
				 row->total_ns, row->max_ns, row->min_ns);
		stack_line_put_json(view->profile, row->stack, out);
		(void)buf_puts(out, " }");
	}
	(void)buf_puts(out, " ] }\n");
}
