/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as perf stat -x prints them. Fields: [time] [place
 * [CPUs]] value unit event [cgroup] [error%] running_ns percent figure figure's-unit. */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "view/stat/stat_rows.h"

static void put_place(const struct counts *counts, const struct stat_view *view,
		      const struct stat_row *row, struct buf *out)
{
	char name[STAT_PLACE_NAME];

	if (counts->by == COUNTS_BY_ALL)
		return;
	stat_row_place(counts, view, row, name);
	(void)buf_puts(out, name);
	(void)buf_puts(out, view->separator);
	if (stat_place_joins(counts))
		(void)buf_printf(out, "%u%s", counts->place[row->place].cpus, view->separator);
}

static void put_value(const struct counts *counts, const struct stat_row *row, struct buf *out)
{
	const char *missing = stat_missing(counts, row);
	double value = stat_shown_value(counts, row);
	bool fraction = counts_is_clock(&counts->event[row->event]) || floor(value) < value;

	if (missing)
		(void)buf_puts(out, missing);
	else
		(void)buf_printf(out, fraction ? "%.2f" : "%.0f", value);
}

static void put_row(const struct counts *counts, const struct stat_view *view,
		    const struct stat_row *row, struct buf *out)
{
	const struct counts_event *event = &counts->event[row->event];
	const struct counts_cell *cell = counts_cell(counts, row->event, row->place);
	const char *sep = view->separator;
	struct count_metric metric[COUNT_METRICS_MAX];
	size_t metrics = 0;
	char text[64];

	if (!stat_missing(counts, row))
		metrics = count_metrics(counts, row->event, row->place, metric);
	stat_put_time(view, out);
	put_place(counts, view, row, out);
	put_value(counts, row, out);
	(void)buf_printf(out, "%s%s%s%s%s", sep, event->unit, sep, event->name, sep);
	if (event->cgroup)
		(void)buf_printf(out, "%s%s", event->cgroup, sep);
	if (view->spread)
		(void)buf_printf(out, "%.2f%%%s", stat_error_percent(&cell->value), sep);
	(void)buf_printf(out, "%.0f%s%.2f%s", cell->running_ns.value, sep,
			 stat_running_percent(cell), sep);
	if (metrics)
		(void)buf_printf(out, "%s%s%s", stat_metric_number(&metric[0], text, sizeof(text)),
				 sep, metric[0].unit);
	else
		(void)buf_puts(out, sep);
	(void)buf_putc(out, '\n');
	for (size_t i = 1; i < metrics; i++) {
		stat_put_time(view, out);
		put_place(counts, view, row, out);
		for (int field = 0; field < 5 + !!event->cgroup + view->spread; field++)
			(void)buf_puts(out, sep);
		(void)buf_printf(out, "%s%s%s\n",
				 stat_metric_number(&metric[i], text, sizeof(text)), sep,
				 metric[i].unit);
	}
}

void stat_csv(const struct counts *counts, const struct stat_view *view, struct buf *ret)
{
	struct stat_row *row;
	size_t count = stat_rows(counts, view, &row);

	for (size_t i = 0; i < count; i++)
		put_row(counts, view, &row[i], ret);
	free(row);
}
