/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells and measures of a report's tables (see report_page.h). */
#include "view/report/report_page.h"

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
