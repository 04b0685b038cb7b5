/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as text, in the layout of perf report --stdio (see report.h). What is missing from the
 * profile is in the comment lines above each table. */
#include "view/report/report.h"
#include "view/report/report_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/share_interval.h"
#include "view/report/report_chains.h"
#include "view/report/report_graph.h"
#include "view/report/report_page.h"
#include "view/report/report_parent.h"
#include "view/report/report_table.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* What the intervals stand on. */
static void put_interval_facts(const struct report_table *table, struct buf *out)
{
	const struct report_member *first = &table->members.item[0];
	double limits[2];

	if (table->options->interval == REPORT_INTERVAL_NONE || table->effective <= 0)
		return;
	share_interval(0.1, table->effective, limits);
	(void)buf_printf(out, "# 95%% intervals (Wilson): of %.0f sample%s", table->effective,
			 table->effective < 1.5 ? "" : "s");
	if (table->effective < 0.99 * (double)first->samples)
		(void)buf_printf(out, ", as %" PRIu64 " of different weights are worth",
				 first->samples);
	(void)buf_printf(out, "; a share of 10%% is %.1f to %.1f%%\n", limits[0] * 100,
			 limits[1] * 100);
	if (table->effective < SHARE_FEW_SAMPLES) {
		(void)buf_puts(out, "# Warning: ");
		share_put_few(table->effective, out);
		(void)buf_putc(out, '\n');
	}
}

/* Where only the ends of stacks are named. */
static uint64_t samples_without_symbol(const struct profile *p, const struct profile_event *event)
{
	uint64_t count = 0;

	for (size_t i = 0; i < p->samples.count; i++) {
		const struct profile_sample *sample = &p->samples.item[i];
		const struct frame *frame = &p->frames.item[p->nodes.item[sample->stack.v].frame.v];

		if (&p->events.item[sample->event] == event && sample->stack.v != STACK_EMPTY.v &&
		    !*profile_string(p, frame->function))
			count += sample->count;
	}
	return count;
}

static void put_unknown(struct buf *out, const char *what, uint64_t part, uint64_t whole)
{
	if (part)
		(void)buf_printf(out,
				 "# %s without a symbol: %" PRIu64 " of %" PRIu64 " (%.1f%%)\n",
				 what, part, whole, percent(part, whole));
}

static void put_event_missing(const struct profile *profile, const struct profile_event *event,
			      struct buf *out)
{
	uint64_t with_user = 0;

	for (int i = STACK_STOP_ROOT; i < STACK_STOP_COUNT; i++)
		with_user += event->stop[i];
	if (with_user) {
		(void)buf_printf(out, "# User stacks: %" PRIu64 ", complete: %" PRIu64 " (%.1f%%)",
				 with_user, event->stop[STACK_STOP_ROOT],
				 percent(event->stop[STACK_STOP_ROOT], with_user));
		for (int i = STACK_STOP_ROOT + 1; i < STACK_STOP_COUNT; i++)
			if (event->stop[i])
				(void)buf_printf(out, ", %s: %" PRIu64,
						 stack_stop_name((enum stack_stop)i),
						 event->stop[i]);
		(void)buf_putc(out, '\n');
	}
	if (profile->meta.ends_only)
		put_unknown(out, "Leaf frames", samples_without_symbol(profile, event),
			    event->samples);
	else
		put_unknown(out, "Frames", event->unknown_frames, event->frames);
}

/* What is missing of all events. */
static void put_missing(const struct profile *profile, struct buf *out)
{
	if (profile->meta.walks.rate_changes)
		(void)buf_printf(out,
				 "# Sampling rate: slowed down from %" PRIu64
				 " to at least %" PRIu64
				 " samples per second, to stay within the budget\n",
				 profile->meta.walks.rate_asked, profile->meta.walks.rate_lowest);
	if (profile->meta.throttled)
		(void)buf_printf(out, "# Throttled: %" PRIu64 " times\n", profile->meta.throttled);
	if (profile->meta.damage.v)
		(void)buf_printf(out, "# Damaged: %s\n",
				 profile_string(profile, profile->meta.damage));
	if (profile->meta.unknown_records)
		(void)buf_printf(out, "# Unrecognized lines or records: %" PRIu64 "\n",
				 profile->meta.unknown_records);
	if (profile->meta.truncated_bytes)
		(void)buf_printf(out, "# Missing at the end of the file: %" PRIu64 " bytes\n",
				 profile->meta.truncated_bytes);
}

void report_missing(const struct profile *profile, struct buf *ret)
{
	for (size_t i = 0; i < profile->events.count; i++)
		put_event_missing(profile, &profile->events.item[i], ret);
	put_missing(profile, ret);
}

static void put_event_heading(const struct report_page *page)
{
	const struct profile *p = page->table.context->profile;
	uint64_t period = 0;

	for (size_t i = 0; i < page->table.members.count; i++)
		period += page->table.members.item[i].period;
	(void)buf_puts(page->out, "# ");
	report_page_put_samples(page);
	(void)buf_putc(page->out, '\n');
	if (page->options->brief)
		return;
	if (page->options->mem_mode)
		(void)buf_printf(page->out, "# Total weight : %" PRIu64 "\n# Sort order   : %s\n",
				 period,
				 page->options->sort ? page->options->sort : REPORT_ACCESS_SORT);
	else
		(void)buf_printf(page->out, "# Event count (approx.): %" PRIu64 "\n", period);
	put_interval_facts(&page->table, page->out);
	for (size_t i = 0; i < page->table.members.count; i++)
		put_event_missing(p, &p->events.item[page->table.members.item[i].event], page->out);
	put_missing(p, page->out);
	(void)buf_puts(page->out, "#\n");
}

#define LEAST_WIDTH 8  /* that a column is cut to, for a line to fit */
#define LAST_WIDTH  34 /* what the last one, which is the name, should have */

/* Columns of text get narrower, the widest first, until the last one has room in the line. */
static void fit_widths(struct report_page *page)
{
	size_t last = page->columns->count - 1, used = 2 * page->columns->count;

	for (size_t c = 0; c < last; c++)
		used += page->width[c];
	used += page->width[last] < LAST_WIDTH ? page->width[last] : LAST_WIDTH;
	while (page->options->width && used > page->options->width) {
		size_t widest = last;

		for (size_t c = 0; c < last; c++)
			if (page->columns->item[c]->measure == REPORT_KEY &&
			    page->width[c] > LEAST_WIDTH &&
			    (widest == last || page->width[c] > page->width[widest]))
				widest = c;
		if (widest == last)
			return;
		page->width[widest]--;
		used--;
	}
}

static bool is_cut(const struct report_page *page, size_t column)
{
	return report_page_asked_width(page->options->widths, column) ||
	       (page->options->width && column + 1 < page->columns->count);
}

static void put_headings(const struct report_page *page)
{
	const char *separator = page->options->field_separator;

	(void)buf_puts(page->out, "# ");
	for (size_t c = 0; c < page->columns->count; c++) {
		const struct report_column *column = page->columns->item[c];
		size_t len = strnlen(column->heading, page->width[c]);
		size_t pad = page->width[c] > len ? page->width[c] - len : 0;
		bool right = column->right ||
			     (column->measure != REPORT_KEY && page->table.members.count > 1);

		if (c)
			(void)buf_puts(page->out, separator ? separator : "  ");
		(void)buf_pad(page->out, ' ', right ? pad : 0);
		(void)buf_append(page->out, column->heading, len);
		(void)buf_pad(page->out, ' ', right ? 0 : pad);
	}
	(void)buf_putc(page->out, '\n');
	if (separator || page->options->brief)
		return;
	(void)buf_puts(page->out, "# ");
	for (size_t c = 0; c < page->columns->count; c++) {
		if (c)
			(void)buf_puts(page->out, "  ");
		(void)buf_pad(page->out, '.', page->width[c]);
	}
	(void)buf_puts(page->out, "\n#\n");
}

/* The text of a key, cut to a width that was asked for. */
static void put_key(struct report_page *page, const struct report_row *row, size_t column)
{
	report_page_key(page, row, report_page_key_of(page, column));
	if (is_cut(page, column) && page->cell.len > page->width[column])
		page->cell.len = page->width[column];
	while (page->cell.len && ((uint8_t)page->cell.data[page->cell.len] & 0xc0) == 0x80)
		page->cell.len--; /* not inside a letter */
	(void)buf_append(page->out, page->cell.data, page->cell.len);
}

static void put_row(struct report_page *page, const struct report_row *row)
{
	const char *separator = page->options->field_separator;
	size_t count = page->table.members.count, start;
	struct report_cost *costs = mem_alloc(count * sizeof(*costs));

	for (size_t i = 0; i < count; i++)
		costs[i] = report_table_cost(&page->table, row, i);
	if (!separator)
		(void)buf_puts(page->out, "  ");
	for (size_t c = 0; c < page->columns->count; c++) {
		if (c)
			(void)buf_puts(page->out, separator ? separator : "  ");
		start = page->out->len;
		if (page->columns->item[c]->measure == REPORT_KEY)
			put_key(page, row, c);
		else
			report_page_put_measures(page, c, costs);
		if (c + 1 < page->columns->count && page->out->len - start < page->width[c])
			(void)buf_pad(page->out, ' ', page->width[c] - (page->out->len - start));
	}
	(void)buf_putc(page->out, '\n');
	free(costs);
}

static void put_rows(struct report_page *page)
{
	struct report_chains_cut cut;

	if (!page->options->quiet)
		put_headings(page);
	for (size_t i = 0; i < page->table.rows.count; i++) {
		const struct report_row *row = &page->table.rows.item[i];

		if (!report_page_shows_row(page, row))
			continue;
		put_row(page, row);
		if (page->graph)
			report_graph_print(page->graph, row, page->out);
	}
	cut = report_chains_cut(page->graph);
	if (cut.samples || cut.graphs)
		(void)buf_printf(page->out,
				 "\n# Call graphs are too large: %" PRIu64
				 " stacks are not in all of them, %" PRIu64
				 " are left out (--max-stack, --percent-limit, -g none)\n",
				 cut.samples, cut.graphs);
}

static void put_event(struct report_page *page, const struct report_context *context,
		      uint16_t event)
{
	const struct report_options *options = page->options;

	report_build(&page->table, context, options, page->columns, event);
	if (options->graph != REPORT_GRAPH_NONE)
		page->graph = report_chains_new(&page->table);
	report_table_sort(&page->table);
	page->any = page->any || page->table.rows.count;
	page->width = mem_zalloc(page->columns->count * sizeof(*page->width));
	for (size_t c = 0; c < page->columns->count; c++)
		report_page_measure_column(page, c, SIZE_MAX);
	fit_widths(page);
	if (!options->quiet)
		put_event_heading(page);
	if (options->hierarchy && page->table.keys.count)
		report_hierarchy_put(page);
	else
		put_rows(page);
	(void)buf_puts(page->out, options->quiet || options->brief ? "\n" : "\n\n");
	report_chains_free(page->graph);
	report_table_done(&page->table);
	free(page->width);
	page->graph = NULL;
}

/* -T: samples per thread and event. */
static void put_threads(const struct profile *profile, struct buf *out)
{
	size_t events = profile->events.count;
	uint64_t *count = mem_zalloc(profile->threads.count * events * sizeof(*count));

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];

		count[s->thread.v * events + s->event] += s->weight;
	}
	(void)buf_puts(out, "# PID  TID");
	for (size_t e = 0; e < events; e++)
		(void)buf_printf(out, "  %s",
				 profile_string(profile, profile->events.item[e].name));
	(void)buf_putc(out, '\n');
	for (size_t t = 0; t < profile->threads.count; t++) {
		const struct profile_thread *thread = &profile->threads.item[t];

		(void)buf_printf(out, "%5d %5d", (int)thread->pid, (int)thread->tid);
		for (size_t e = 0; e < events; e++)
			(void)buf_printf(
				out, "  %*" PRIu64,
				(int)strtab_len(profile->strings, profile->events.item[e].name),
				count[t * events + e]);
		(void)buf_putc(out, '\n');
	}
	free(count);
}

/* Omits columns with a single value because of a filter. */
static const char *only_value(const struct report_options *options, const struct report_column *c)
{
	const struct {
		const char *column, *list;
	} filters[] = {
		{ "comm", options->comms },
		{ "dso", options->dsos },
		{ "symbol", options->symbols },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (filters[i].list && *filters[i].list && !strchr(filters[i].list, ',') &&
		    strcmp(filters[i].column, c->name) == 0)
			return filters[i].list;
	return NULL;
}

/* Such a column goes into a heading line, as in perf. */
static void drop_columns(report_columns *columns, const struct report_options *options,
			 struct buf *out)
{
	bool say = !options->quiet && !options->brief && !options->field_separator;
	size_t kept = 0;

	for (size_t i = 0; i < columns->count; i++) {
		const char *value = only_value(options, columns->item[i]);

		if (!value)
			columns->item[kept++] = columns->item[i];
		else if (say)
			(void)buf_printf(out, "# %s: %s\n", columns->item[i]->name, value);
	}
	columns->count = kept;
}

int report_text(const struct profile *profile, const struct report_options *options,
		struct buf *ret, struct err *err)
{
	struct report_context context = { .profile = profile };
	struct report_parent *parent = NULL;
	report_columns columns = { 0 };
	struct report_page page = { .columns = &columns, .options = options, .out = ret };

	if (report_columns_parse(options, &columns, err))
		return err->code;
	if (report_parent_new(profile, options->parent, &parent, err)) {
		vec_done(&columns);
		return err->code;
	}
	context.parent = parent;
	report_symbols_init(&context.symbols, profile);
	if (!options->quiet && !options->brief)
		(void)buf_puts(ret, "# To display the perf.data header info, please use "
				    "--header/--header-only options.\n#\n");
	drop_columns(&columns, options, ret);
	if (!options->quiet && !options->brief)
		(void)buf_printf(ret, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
				 profile->meta.lost_samples);
	for (size_t e = 0; e < profile->events.count; e++)
		if (report_has_table(profile, options, (uint16_t)e))
			put_event(&page, &context, (uint16_t)e);
	if (options->threads)
		put_threads(profile, ret);
	buf_done(&page.cell);
	report_symbols_done(&context.symbols);
	report_parent_free(parent);
	vec_done(&columns);
	if (profile->samples.count && !page.any && !options->brief)
		return err_set(err, -ENODATA, "none of %" PRIu64 " samples matches the filters",
			       profile_sample_count(profile));
	return 0;
}
