/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen of `cupel top` (see top.h). */
#include "view/top.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/share_interval.h"
#include "view/report/report.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void put_stacks(const struct profile *profile, struct buf *out)
{
	uint64_t all = 0, whole = 0;

	for (size_t i = 0; i < profile->events.count; i++) {
		const struct profile_event *event = &profile->events.item[i];

		for (int stop = STACK_STOP_ROOT; stop < STACK_STOP_COUNT; stop++)
			all += event->stop[stop];
		whole += event->stop[STACK_STOP_ROOT];
	}
	if (all)
		(void)buf_printf(out, ", whole stacks %.1f%%", percent(whole, all));
}

/* A warning for few samples. */
static void put_few(const struct profile *profile, const struct top_view *view, struct buf *out)
{
	double effective = 0;
	struct buf few = { 0 };

	for (size_t i = 0; i < profile->events.count; i++)
		effective += share_effective_samples(&profile->events.item[i]);
	share_put_few(effective, &few);
	if (few.len && view->report->interval != REPORT_INTERVAL_NONE)
		(void)buf_printf(out, ", %s", few.data);
	buf_done(&few);
}

static void put_facts(const struct profile *profile, const struct top_view *view, struct buf *out)
{
	double seconds = (double)profile->meta.duration_ns / 1e9;
	uint64_t samples = 0;

	for (size_t i = 0; i < profile->events.count; i++)
		samples += profile->events.item[i].samples;
	(void)buf_printf(out, "cupel top: %" PRIu64 " samples in %.1f s", samples, seconds);
	if (seconds > 0)
		(void)buf_printf(out, ", %.0f a second", (double)samples / seconds);
	if (samples)
		(void)buf_printf(out, ", kernel %.1f%%", percent(view->kernel, samples));
	if (view->idle)
		(void)buf_printf(out, ", idle %.1f%% of the time",
				 percent(view->idle, samples + view->idle));
	if (view->whole_stacks)
		put_stacks(profile, out);
	put_few(profile, view, out);
	(void)buf_printf(out, ", lost %" PRIu64, profile->meta.lost_samples);
	if (profile->meta.throttled)
		(void)buf_printf(out, ", throttled %" PRIu64 " times", profile->meta.throttled);
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

int top_screen(const struct profile *profile, const struct top_view *view, struct buf *ret,
	       struct err *err)
{
	const struct room line = { 1, 1, view->columns };
	struct room room = { UINT32_MAX, view->entries ? view->entries : UINT32_MAX,
			     view->columns };
	uint32_t other = view->keys ? 2 : 1;
	struct buf facts = { 0 }, table = { 0 };
	int code = report_text(profile, view->report, &table, err);

	if (!code) {
		if (view->rows)
			room.lines = view->rows > other ? view->rows - other : 0;
		put_facts(profile, view, &facts);
		put_lines(facts.data, line, ret);
		put_lines(table.data ? table.data : "", room, ret);
		if (view->keys)
			put_lines(view->keys, line, ret);
	}
	buf_done(&facts);
	buf_done(&table);
	return code;
}
