/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as perf stat -j prints them: an object a line, with the same keys in every one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "view/stat/stat_rows.h"

static void put_place(const struct counts *counts, const struct stat_view *view,
		      const struct stat_row *row, struct buf *out)
{
	const struct counts_place *at = &counts->place[row->place];
	bool core = stat_is_core(counts, view, row->event);
	char name[STAT_PLACE_NAME];

	if (counts->by == COUNTS_BY_ALL)
		return;
	stat_row_place(counts, view, row, name);
	(void)buf_printf(out, "\"%s\" : ", core ? "core" : stat_place_key(counts));
	if (counts->by == COUNTS_BY_CPU && !core)
		(void)buf_printf(out, "\"%d\"", at->cpu);
	else
		(void)buf_put_json(out, name);
	(void)buf_puts(out, ", ");
	if (stat_place_joins(counts))
		(void)buf_printf(out, "\"aggregate-number\" : %u, ", at->cpus);
}

static void put_count(const struct counts *counts, const struct stat_view *view,
		      const struct stat_row *row, struct buf *out)
{
	const struct counts_event *event = &counts->event[row->event];
	const struct counts_cell *cell = counts_cell(counts, row->event, row->place);
	const char *missing = stat_missing(counts, row);

	(void)buf_puts(out, "\"counter-value\" : \"");
	if (missing)
		(void)buf_puts(out, missing);
	else
		(void)buf_printf(out, "%f", stat_shown_value(counts, row));
	(void)buf_puts(out, "\", \"unit\" : ");
	(void)buf_put_json(out, event->unit);
	(void)buf_puts(out, ", \"event\" : ");
	(void)buf_put_json(out, event->name);
	if (event->cgroup) {
		(void)buf_puts(out, ", \"cgroup\" : ");
		(void)buf_put_json(out, event->cgroup);
	}
	if (view->spread)
		(void)buf_printf(out, ", \"variance\" : %.2f", stat_error_percent(&cell->value));
	(void)buf_printf(out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f",
			 cell->running_ns.value, stat_running_percent(cell));
}

static void put_row(const struct counts *counts, const struct stat_view *view,
		    const struct stat_row *row, struct buf *out)
{
	struct count_metric metric[COUNT_METRICS_MAX] = { { .value = 0 } };
	size_t metrics = 0, i = 0;

	if (!stat_missing(counts, row))
		metrics = count_metrics(counts, row->event, row->place, metric);
	do {
		(void)buf_putc(out, '{');
		if (view->interval)
			(void)buf_printf(out, "\"interval\" : %" PRIu64 ".%09" PRIu64 ", ",
					 view->time_ns / 1000000000, view->time_ns % 1000000000);
		put_place(counts, view, row, out);
		if (i == 0) {
			put_count(counts, view, row, out);
			(void)buf_puts(out, ", ");
		}
		(void)buf_printf(out, "\"metric-value\" : %f, \"metric-unit\" : \"%s\"}\n",
				 metric[i].value, metric[i].unit);
	} while (++i < metrics);
}

void stat_json(const struct counts *counts, const struct stat_view *view, struct buf *ret)
{
	struct stat_row *row;
	size_t count = stat_rows(counts, view, &row);

	for (size_t i = 0; i < count; i++)
		put_row(counts, view, &row[i], ret);
	free(row);
}
