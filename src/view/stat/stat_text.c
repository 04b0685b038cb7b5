/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts as text, in perf stat's columns (see stat_view.h). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "view/stat/stat_rows.h"

#define VALUE_WIDTH   18
#define UNIT_WIDTH    4
#define NAME_WIDTH    32
#define MISSING_WIDTH 25 /* of the name of an event that was not counted */
#define METRIC_WIDTH  35
#define CONTINUED     49 /* blanks before a further figure of the same event */

static const struct {
	int number_width; /* of the last number in the name of a place */
	const char *heading;
} places[] = {
	[COUNTS_BY_ALL] = { 0, "#           time             counts" },
	[COUNTS_BY_CPU] = { 7, "#           time CPU                    counts" },
	[COUNTS_BY_CORE] = { 8, "#           time core            cpus             counts" },
	[COUNTS_BY_CLUSTER] = { 8, "#           time cluster          cpus             counts" },
	[COUNTS_BY_CACHE] = { 5, "#           time cache            cpus             counts" },
	[COUNTS_BY_DIE] = { 8, "#           time die          cpus             counts" },
	[COUNTS_BY_SOCKET] = { 5, "#           time socket cpus             counts" },
	[COUNTS_BY_NODE] = { 5, "#           time node   cpus             counts" },
	[COUNTS_BY_THREAD] = { 8, "#           time             comm-pid                  counts" },
};

/* 1234567.89 → "1,234,567.89". */
static void put_number(struct buf *out, double value, bool grouped)
{
	char plain[352], shown[512];
	size_t len, digits, at = 0;

	(void)snprintf(plain, sizeof(plain), floor(value) < value ? "%.2f" : "%.0f", value);
	len = strlen(plain);
	digits = strcspn(plain, ".");
	for (size_t i = 0; i < len; i++) {
		if (grouped && i && i < digits && (digits - i) % 3 == 0 && plain[i - 1] != '-')
			shown[at++] = ',';
		shown[at++] = plain[i];
	}
	shown[at] = '\0';
	(void)buf_printf(out, "%*s", VALUE_WIDTH, shown);
}

static size_t units_width(const struct counts *counts)
{
	size_t width = UNIT_WIDTH;

	for (size_t i = 0; i < counts->events; i++)
		if (strlen(counts->event[i].unit) > width)
			width = strlen(counts->event[i].unit);
	return width;
}

/* The name with its last number padded, and what it joins. */
static void put_place(const struct counts *counts, const struct stat_view *view,
		      const struct stat_row *row, struct buf *out)
{
	const struct counts_place *at = &counts->place[row->place];
	char name[STAT_PLACE_NAME];
	size_t number;

	if (counts->by == COUNTS_BY_ALL)
		return;
	if (counts->by == COUNTS_BY_THREAD) {
		(void)buf_printf(out, "%16s-%-8d ", at->comm, at->thread);
		return;
	}
	stat_row_place(counts, view, row, name);
	if (stat_is_core(counts, view, row->event)) {
		(void)buf_printf(out, "%-18s ", name);
		return;
	}
	number = strlen(name);
	while (number && isdigit((unsigned char)name[number - 1]))
		number--;
	(void)buf_printf(out, "%.*s%-*s ", (int)number, name, places[counts->by].number_width,
			 name + number);
	if (stat_place_joins(counts))
		(void)buf_printf(out, "%4u ", at->cpus);
}

static void put_metric(const struct count_metric *metric, struct buf *out)
{
	char value[64];
	int len;

	/* the formats are the table's own */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	len = snprintf(value, sizeof(value), metric->format, metric->value);
#pragma GCC diagnostic pop
	(void)buf_printf(out, " # %s %-*s", value, METRIC_WIDTH - 3 - len - 1, metric->unit);
}

static void put_end(const struct stat_view *view, const struct counts_cell *cell, struct buf *out)
{
	double percent = stat_running_percent(cell), error = stat_error_percent(&cell->value);

	if (view->spread && error > 0)
		(void)buf_printf(out, "  ( +-%6.2f%% )", error);
	if (cell->running_ns.value < cell->enabled_ns.value)
		(void)buf_printf(out, "  (%.2f%%)", percent);
}

static void put_cgroup(const struct counts_event *event, struct buf *out)
{
	if (event->cgroup)
		(void)buf_printf(out, " %s", event->cgroup);
}

static void put_row(const struct counts *counts, const struct stat_view *view,
		    const struct stat_row *row, struct buf *out)
{
	const struct counts_event *event = &counts->event[row->event];
	const struct counts_cell *cell = counts_cell(counts, row->event, row->place);
	const char *missing = stat_missing(counts, row);
	struct count_metric metric[COUNT_METRICS_MAX];
	size_t metrics = missing ? 0 : count_metrics(counts, row->event, row->place, metric);
	double value = stat_shown_value(counts, row);

	stat_put_time(view, out);
	put_place(counts, view, row, out);
	if (missing)
		(void)buf_printf(out, "%*s", VALUE_WIDTH, missing);
	else if (counts_is_clock(event))
		(void)buf_printf(out, "%*.2f", VALUE_WIDTH, value);
	else
		put_number(out, value, view->big_num);
	(void)buf_printf(out, " %-*s %-*s", (int)units_width(counts), event->unit,
			 missing ? MISSING_WIDTH : NAME_WIDTH, event->name);
	put_cgroup(event, out);
	if (metrics)
		put_metric(&metric[0], out);
	else
		(void)buf_pad(out, ' ', METRIC_WIDTH);
	for (size_t i = 1; i < metrics; i++) {
		(void)buf_putc(out, '\n');
		stat_put_time(view, out);
		put_place(counts, view, row, out);
		(void)buf_pad(out, ' ', CONTINUED);
		put_metric(&metric[i], out);
	}
	put_end(view, cell, out);
	(void)buf_putc(out, '\n');
}

void stat_text(const struct counts *counts, const struct stat_view *view, struct buf *ret)
{
	struct stat_row *row;
	size_t count = stat_rows(counts, view, &row);

	for (size_t i = 0; i < count; i++)
		put_row(counts, view, &row[i], ret);
	free(row);
}

void stat_view_columns(const struct counts *counts, const struct stat_view *view, struct buf *ret)
{
	const char *heading = places[counts->by].heading;

	if (view->metric_only) {
		(void)buf_printf(ret, "%.*s ", (int)strlen("#           time"), heading);
		stat_view_figure_names(counts, view, ret);
		return;
	}
	(void)buf_printf(ret, "%s %*s events\n", heading, (int)units_width(counts), "unit");
}
