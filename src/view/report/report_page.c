/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells and measures of a report's tables (see report_page.h). */
#include "view/report/report_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share_interval.h"
#include "view/report/report.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void put_percent(struct buf *out, uint64_t part, uint64_t whole)
{
	(void)buf_put_hundredths(out, percent(part, whole));
	(void)buf_putc(out, '%');
}

/* "11.9-12.8%", with a digit more below 1 %. */
static void put_interval(struct buf *out, const struct report_member *member, uint64_t part)
{
	double share = percent(part, member->weight) / 100, limits[2];

	if (member->effective <= 0)
		return;
	share_interval(share, member->effective, limits);
	(void)buf_printf(out, limits[1] < 0.01 ? "%.2f-%.2f%%" : "%.1f-%.1f%%", limits[0] * 100,
			 limits[1] * 100);
}

void report_page_measure(struct report_page *page, const struct report_column *column,
			 const struct report_cost *cost, size_t member)
{
	uint64_t whole = page->table.members.item[member].weight;

	buf_clear(&page->cell);
	switch (column->measure) {
	case REPORT_CHILDREN:
		put_percent(&page->cell, cost->total, whole);
		break;
	case REPORT_SELF:
		put_percent(&page->cell, cost->self, whole);
		break;
	case REPORT_SYSTEM:
		put_percent(&page->cell, cost->kernel, whole);
		break;
	case REPORT_USER:
		put_percent(&page->cell, cost->self - cost->kernel, whole);
		break;
	case REPORT_OTHER:
		put_percent(&page->cell, cost->other, page->table.members.item[member].other);
		break;
	case REPORT_CHILDREN_INTERVAL:
		put_interval(&page->cell, &page->table.members.item[member], cost->total);
		break;
	case REPORT_SELF_INTERVAL:
		put_interval(&page->cell, &page->table.members.item[member], cost->self);
		break;
	case REPORT_SAMPLES:
		(void)buf_put_u64(&page->cell, cost->samples);
		break;
	default:
		(void)buf_put_u64(&page->cell, cost->self);
		break;
	}
}

void report_page_key(struct report_page *page, const struct report_row *row, size_t key)
{
	const struct report_column *column = page->table.keys.item[key];
	uint64_t value = page->table.values.item[row->first + key];

	buf_clear(&page->cell);
	column->print(page->table.context, column->times_samples ? value * row->samples : value,
		      &page->cell);
}

void report_page_put_measures(struct report_page *page, size_t column,
			      const struct report_cost *costs)
{
	const struct report_column *c = page->columns->item[column];
	size_t count = page->table.members.count, width = page->width[column] / count;

	for (size_t i = 0; i < count; i++) {
		report_page_measure(page, c, &costs[i], i);
		if (page->options->field_separator) /* perf sets a blank before numbers here */
			(void)buf_putc(page->out, ' ');
		else
			(void)buf_pad(page->out, ' ',
				      width > page->cell.len ? width - page->cell.len : 0);
		(void)buf_append(page->out, page->cell.data, page->cell.len);
	}
}

bool report_page_shows(const struct report_page *page, uint64_t cost)
{
	return percent(cost, page->table.weight) >= page->options->percent_limit;
}

size_t report_page_key_of(const struct report_page *page, size_t column)
{
	size_t key = 0;

	for (size_t i = 0; i < column; i++)
		key += page->columns->item[i]->measure == REPORT_KEY;
	return key;
}

bool report_page_shows_row(const struct report_page *page, const struct report_row *row)
{
	return report_page_shows(page, page->options->children ? row->total : row->self);
}

size_t report_page_asked_width(const char *widths, size_t n)
{
	while (widths && n--) {
		widths = strchr(widths, ',');
		widths = widths ? widths + 1 : NULL;
	}
	return widths ? strtoul(widths, NULL, 10) : 0;
}

void report_page_measure_column(struct report_page *page, size_t c, size_t rows)
{
	const struct report_column *column = page->columns->item[c];
	size_t asked = report_page_asked_width(page->options->widths, c);
	size_t *width = &page->width[c];

	*width = strlen(column->heading);
	if (column->measure != REPORT_KEY) {
		*width = column->width > *width ? column->width : *width;
		*width = (asked > *width ? asked : *width) * page->table.members.count;
		return;
	}
	if (asked > *width || column->width) {
		*width = asked > *width ? asked : column->width;
		return;
	}
	for (size_t i = 0; i < page->table.rows.count && i < rows; i++) {
		if (!report_page_shows_row(page, &page->table.rows.item[i]))
			continue;
		report_page_key(page, &page->table.rows.item[i], report_page_key_of(page, c));
		if (page->cell.len > *width)
			*width = page->cell.len;
	}
}

/* 1234567 → "1M" as perf's convert_unit() counts: thousands, cut. */
static void put_scaled(struct buf *out, uint64_t n)
{
	static const char units[] = " KMGT";
	size_t unit = 0;

	while (n > 1000 && unit + 1 < sizeof(units) - 1) {
		n /= 1000;
		unit++;
	}
	(void)buf_printf(out, "%" PRIu64 "%c", n, units[unit]);
}

/* "'cpu-clock'", or of a group "'anon group { cycles, instructions }'" */
static void put_event_names(const struct report_page *page)
{
	const struct profile *p = page->table.context->profile;
	bool recorded = false;

	for (size_t i = 1; i < page->table.members.count; i++)
		recorded |= p->events.item[page->table.members.item[i].event].leader > 0;
	(void)buf_puts(page->out, recorded ? "'anon group { " : "'");
	for (size_t i = 0; i < page->table.members.count; i++) {
		const struct profile_event *e = &p->events.item[page->table.members.item[i].event];

		(void)buf_puts(page->out, i ? ", " : "");
		(void)buf_puts(page->out, profile_string(p, e->name));
	}
	(void)buf_puts(page->out, recorded ? " }'" : "'");
}

void report_page_put_samples(const struct report_page *page)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < page->table.members.count; i++)
		samples += page->table.members.item[i].samples;
	(void)buf_puts(page->out, "Samples: ");
	put_scaled(page->out, samples);
	(void)buf_puts(page->out, page->table.members.count > 1 ? " of events " : " of event ");
	put_event_names(page);
}
