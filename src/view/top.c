/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen of `cupel top` (see top.h). */
#include "view/top.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/share_interval.h"
#include "view/report/report.h"

#define NAMED_COLUMNS	 60 /* a line of so many has the name of the program and the time */
#define INTERVAL_COLUMNS 72 /* a narrower table has no room for intervals */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* A further fact, unless there is no room for all of it. */
static void __attribute__((format(printf, 3, 4)))
put_fact(struct buf *line, uint32_t columns, const char *fmt, ...)
{
	char text[128];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len > 0 && (!columns || line->len + (size_t)len <= columns))
		(void)buf_puts(line, text);
}

static void put_stacks(const struct profile *profile, uint32_t columns, struct buf *out)
{
	uint64_t all = 0, whole = 0;

	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];

		for (int stop = STACK_STOP_ROOT; stop < STACK_STOP_COUNT; stop++)
			all += event->stop[stop];
		whole += event->stop[STACK_STOP_ROOT];
	}
	if (all)
		put_fact(out, columns, ", whole stacks %.1f%%", percent(whole, all));
}

/* The line is empty before. What must not be missing comes first, and is cut off last. */
static void put_facts(const struct profile *profile, const struct top_view *view, struct buf *out)
{
	double seconds = (double)profile->meta.duration_ns / 1e9, effective = 0;
	uint32_t columns = view->columns;
	uint64_t samples = profile_sample_count(profile);

	for (size_t i = 0; i < profile->events.count; i++)
		effective += share_effective_samples(&profile->events.item[i]);
	if (!columns || columns >= NAMED_COLUMNS)
		(void)buf_printf(out, "cupel top: %" PRIu64 " samples in %.1f s", samples, seconds);
	else
		(void)buf_printf(out, "%" PRIu64 " samples", samples);
	(void)buf_printf(out, ", lost %" PRIu64, profile->meta.lost_samples);
	if (view->cost >= 0)
		put_fact(out, columns, ", cost %.1f%%", 100 * view->cost);
	if (profile->meta.throttled)
		put_fact(out, columns, ", throttled %" PRIu64 " times", profile->meta.throttled);
	if (view->whole_stacks)
		put_stacks(profile, columns, out);
	if (samples)
		put_fact(out, columns, ", kernel %.1f%%", percent(view->kernel, samples));
	if (view->idle)
		put_fact(out, columns, ", idle %.1f%%", percent(view->idle, samples + view->idle));
	if (seconds > 0)
		put_fact(out, columns, ", %.0f a second", (double)samples / seconds);
	if (effective > 0 && effective < SHARE_FEW_SAMPLES &&
	    view->report->interval != REPORT_INTERVAL_NONE)
		put_fact(out, columns, ", few samples: shares are rough");
	(void)buf_putc(out, '\n');
}

/* The bytes of a line that have room. */
static size_t cut(const char *line, size_t len, uint32_t columns)
{
	uint32_t column = 0;

	for (size_t i = 0; columns && i < len; i++) {
		bool begins = ((uint8_t)line[i] & 0xc0) != 0x80; /* a character of UTF-8 */

		if (begins && column++ == columns)
			return i;
	}
	return len;
}

/* What there is room for: lines, and lines that are no headings. */
struct room {
	uint32_t lines, entries, columns;
};

/* Without blanks at their ends. */
static void put_lines(const char *text, struct room room, struct buf *out)
{
	while (*text && room.lines && room.entries) {
		size_t len = strcspn(text, "\n"), shown = cut(text, len, room.columns);

		while (shown && text[shown - 1] == ' ')
			shown--;
		(void)buf_append(out, text, shown);
		(void)buf_putc(out, '\n');
		room.lines--;
		room.entries -= len && *text != '#';
		text += len + (text[len] == '\n');
	}
}

/* The end of the lines that head the table; the others are its body. */
static const char *end_of_head(const char *table)
{
	while (*table == '#') {
		table += strcspn(table, "\n");
		table += *table == '\n';
	}
	return table;
}

static uint32_t count_lines(const char *text)
{
	uint32_t lines = 0, last = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		lines++;
		last = len ? lines : last; /* empty ones at the end do not count */
		text += len + (text[len] == '\n');
	}
	return last;
}

static const char *skip_lines(const char *text, uint32_t lines)
{
	while (*text && lines--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* "  12.34%  libc.so.6  [.] memcpy" */
static void note_symbol(const char *line, struct top_shown *shown)
{
	size_t len = strcspn(line, "\n");

	for (size_t i = 0; i + 3 < len; i++)
		if (line[i] == '[' && line[i + 2] == ']' && line[i + 3] == ' ') {
			(void)snprintf(shown->symbol, sizeof(shown->symbol), "%.*s",
				       (int)(len - i - 4), line + i + 4);
			return;
		}
}

/* The table below the first line; rows: lines that there are for it. */
static void put_table(const char *table, const struct top_view *view, uint32_t rows,
		      struct top_shown *shown, struct buf *ret)
{
	const char *body = end_of_head(table);
	struct room room = { rows, UINT32_MAX, view->columns };
	uint32_t heads = 0, first = view->first;
	struct buf head = { 0 };

	(void)buf_append(&head, table, (size_t)(body - table));
	if (head.len) {
		heads = count_lines(head.data);
		put_lines(head.data, room, ret);
	}
	buf_done(&head);
	shown->lines = count_lines(body);
	shown->room = rows > heads ? rows - heads : 0;
	if (first && (uint64_t)first + shown->room > shown->lines)
		first = shown->lines > shown->room ? shown->lines - shown->room : 0;
	room.lines = shown->room;
	room.entries = view->entries ? view->entries : UINT32_MAX;
	put_lines(skip_lines(body, first), room, ret);
	if (!view->selected || view->selected > shown->lines)
		return;
	note_symbol(skip_lines(body, view->selected - 1), shown);
	if (view->selected > first && view->selected - first <= shown->room)
		shown->selected = heads + view->selected - first;
}

int top_screen(const struct profile *profile, const struct top_view *view,
	       struct top_shown *ret_shown, struct buf *ret, struct err *err)
{
	const struct room line = { 1, 1, view->columns };
	uint32_t other = view->keys ? 2 : 1, rows = UINT32_MAX;
	struct report_options report = *view->report;
	struct buf facts = { 0 }, table = { 0 };
	int code;

	*ret_shown = (struct top_shown){ .selected = UINT32_MAX };
	report.width = view->columns;
	if (report.interval == REPORT_INTERVAL_COLUMNS && view->columns < INTERVAL_COLUMNS)
		report.interval = REPORT_INTERVAL_FACTS;
	code = report_text(profile, &report, &table, err);
	if (!code) {
		if (view->rows)
			rows = view->rows > other ? view->rows - other : 0;
		put_facts(profile, view, &facts);
		put_lines(facts.data, line, ret);
		put_table(table.data ? table.data : "", view, rows, ret_shown, ret);
		if (view->keys)
			put_lines(view->keys, line, ret);
	}
	buf_done(&facts);
	buf_done(&table);
	return code;
}
