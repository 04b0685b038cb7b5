/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contention as text and JSON (see contention_view.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/lock/contention.h"
#include "profile/lock/lock_place.h"
#include "profile/profile.h"
#include "view/lock/contention_view.h"
#include "view/stack_line.h"

#define TIME_WIDTH 12  /* with the unit */
#define WIDE	   100 /* columns that perf's layout needs for most names */
#define LEAST_NAME 8
#define NAME_WIDTH 20 /* of the report */
#define CUT_NAME   16 /* what is left of a longer one */

/* Of the columns before the name. */
struct layout {
	int count, time, gap, what, address;
};

static struct layout layout_of(const struct contention_view *view)
{
	return view->width && view->width < WIDE ? (struct layout){ 9, 10, 1, 8, 16 }
						 : (struct layout){ 10, TIME_WIDTH, 3, 10, 16 };
}

static const char *type_of(const struct contention_row *row)
{
	return lock_kernel_kind(row->flags);
}

/* As perf does: two places, the unit that fits, and the precision of a float. */
static void put_time(struct buf *out, int width, uint64_t ns)
{
	static const struct {
		float ns;
		const char *unit;
	} units[] = {
		{ 3600e9F, "h " }, { 60e9F, "m " }, { 1e9F, "s " }, { 1e6F, "ms" }, { 1e3F, "us" }
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if ((float)ns >= units[i].ns) {
			(void)buf_printf(out, "%*.2f %s ", width - 3,
					 (double)((float)ns / units[i].ns), units[i].unit);
			return;
		}
	(void)buf_printf(out, "%*" PRIu64 " ns ", width - 3, ns);
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
	struct layout l = layout_of(view);
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
	(void)buf_printf(out, "%*s %*s %*s %*s ", l.count, "contended", l.time, "total wait",
			 l.time, "max wait", l.time, "avg wait");
	if (by == CONTENTION_BY_CGROUP)
		(void)buf_printf(out, "%*s%s\n\n", l.gap - 1, "", first);
	else
		(void)buf_printf(out, "%*s%*s%*s%s\n\n", l.gap - 1, "",
				 by == CONTENTION_BY_LOCK ? l.address : l.what, first, l.gap, "",
				 second);
}

/* What the row is, behind the numbers of the line that begins at `from`. */
static void put_subject(const struct contention_view *view, const struct contention_row *row,
			size_t from, struct buf *out)
{
	struct layout l = layout_of(view);
	const char *name = profile_string(view->profile, row->name), *type = type_of(row);
	bool by_lock = view->contention->by == CONTENTION_BY_LOCK;
	size_t used;

	(void)buf_printf(out, "%*s", l.gap - 1, "");
	switch (view->contention->by) {
	case CONTENTION_BY_CALLER:
		(void)buf_printf(out, "%*s%*s", l.what, type, l.gap, "");
		break;
	case CONTENTION_BY_THREAD:
	case CONTENTION_BY_OWNER:
		(void)buf_printf(out, "%*" PRIu32 "%*s", l.what, row->tid, l.gap, "");
		break;
	case CONTENTION_BY_LOCK:
		(void)buf_printf(out, "%0*" PRIx64 "%*s", l.address, row->address, l.gap, "");
		break;
	case CONTENTION_BY_CGROUP:
		break;
	}
	used = out->len - from + (by_lock ? strlen(" ()") + strlen(type) : 0);
	(void)buf_put_cut(out, name,
			  !view->width			    ? SIZE_MAX
			  : view->width > used + LEAST_NAME ? view->width - used
							    : LEAST_NAME);
	if (by_lock)
		(void)buf_printf(out, " (%s)", type);
	(void)buf_putc(out, '\n');
}

/* -x */
static void put_separated(const struct contention_view *view, const struct contention_row *row,
			  struct buf *out)
{
	const char *s = view->separator;

	(void)buf_printf(out, "%" PRIu64 "%s %" PRIu64 "%s %" PRIu64 "%s %" PRIu64 "%s",
			 row->contended, s, row->total_ns, s, row->max_ns, s, average(row), s);
	switch (view->contention->by) {
	case CONTENTION_BY_CALLER:
		(void)buf_printf(out, " %s%s ", type_of(row), s);
		break;
	case CONTENTION_BY_THREAD:
	case CONTENTION_BY_OWNER:
		(void)buf_printf(out, " %" PRIu32 "%s ", row->tid, s);
		break;
	case CONTENTION_BY_LOCK:
		(void)buf_printf(out, " %" PRIx64 "%s ", row->address, s);
		break;
	case CONTENTION_BY_CGROUP:
		(void)buf_putc(out, ' ');
		break;
	}
	(void)buf_put_tidy(out, profile_string(view->profile, row->name));
	if (view->contention->by == CONTENTION_BY_LOCK)
		(void)buf_printf(out, "%s %s", s, type_of(row));
	(void)buf_putc(out, '\n');
}

static void put_row(const struct contention_view *view, const struct contention_row *row,
		    struct buf *out)
{
	struct layout l = layout_of(view);
	size_t from = out->len;

	if (view->separator) {
		put_separated(view, row, out);
		return;
	}
	(void)buf_printf(out, "%*" PRIu64 " ", l.count, row->contended);
	put_time(out, l.time, row->total_ns);
	put_time(out, l.time, row->max_ns);
	put_time(out, l.time, average(row));
	put_subject(view, row, from, out);
	if (!view->stacks)
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
		put_time(out, TIME_WIDTH, average(row));
		put_time(out, TIME_WIDTH, row->total_ns);
		put_time(out, TIME_WIDTH, row->max_ns);
		put_time(out, TIME_WIDTH, row->min_ns);
		(void)buf_puts(out, "\n");
	}
}

/* counted: what their number is called */
static void put_json_rows(const struct profile *profile, const struct contention *contention,
			  const char *counted, struct buf *out)
{
	for (size_t i = 0; i < contention->row.count; i++) {
		const struct contention_row *row = &contention->row.item[i];

		(void)buf_puts(out, i ? ",\n    { \"name\": " : "\n    { \"name\": ");
		(void)buf_put_json(out, profile_string(profile, row->name));
		(void)buf_printf(out,
				 ", \"type\": \"%s\", \"tid\": %" PRIu32
				 ", \"address\": \"%#" PRIx64 "\", \"%s\": %" PRIu64
				 ", \"total_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64
				 ", \"min_ns\": %" PRIu64 ", \"stack\": ",
				 type_of(row), row->tid, row->address, counted, row->contended,
				 row->total_ns, row->max_ns, row->min_ns);
		stack_line_put_json(profile, row->stack, out);
		(void)buf_puts(out, " }");
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
	put_json_rows(view->profile, contention, "contended", out);
	if (view->holds) {
		(void)buf_puts(out, " ],\n  \"holds\": [");
		put_json_rows(view->profile, view->holds, "held", out);
	}
	(void)buf_puts(out, " ] }\n");
}
