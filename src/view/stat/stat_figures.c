/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derived figures without their counts (--metric-only): a line for each place, in all three forms.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "view/stat/stat_rows.h"

#define FIGURE_WIDTH 20
#define PLACE_WIDTH  16

/* Rates and CPUs utilized belong to counts; perf leaves them out as well. */
static bool stands_alone(const struct count_metric *metric)
{
	return !strstr(metric->unit, "/sec") && strcmp(metric->unit, "CPUs utilized") != 0;
}

/* "branch-misses of all branches": alone, it does not say what is divided. */
static void full_unit(const struct counts *counts, size_t event, const struct count_metric *metric,
		      char *ret, size_t size)
{
	bool partial = strncmp(metric->unit, "of all", 6) == 0;

	(void)snprintf(ret, size, "%s%s%s", partial ? counts->event[event].name : "",
		       partial ? " " : "", metric->unit);
}

typedef void (*put_figure)(const struct stat_view *view, const char *unit,
			   const struct count_metric *metric, struct buf *out);

static void each_figure(const struct counts *counts, const struct stat_view *view, size_t place,
			put_figure put, struct buf *out)
{
	for (size_t e = 0; e < counts->events; e++) {
		struct count_metric metric[COUNT_METRICS_MAX];
		size_t metrics = count_metrics(counts, e, place, metric);

		for (size_t i = 0; i < metrics; i++) {
			char unit[512];

			if (!stands_alone(&metric[i]))
				continue;
			full_unit(counts, e, &metric[i], unit, sizeof(unit));
			put(view, unit, &metric[i], out);
		}
	}
}

static void put_name(const struct stat_view *view, const char *unit,
		     const struct count_metric *metric, struct buf *out)
{
	(void)metric;
	if (view->separator)
		(void)buf_printf(out, "%s%s", unit, view->separator);
	else
		(void)buf_printf(out, "%*s ", FIGURE_WIDTH, unit);
}

static void put_number(const struct stat_view *view, const char *unit,
		       const struct count_metric *metric, struct buf *out)
{
	size_t width = strlen(unit) < FIGURE_WIDTH ? FIGURE_WIDTH : strlen(unit);
	bool percent = strchr(metric->format, '%') != strrchr(metric->format, '%');
	char text[64];
	const char *number = stat_metric_number(metric, text, sizeof(text));

	if (view->json)
		(void)buf_printf(out, "%s\"%s\" : \"%s\"",
				 out->data[out->len - 1] == '{' ? "" : ", ", unit, number);
	else if (view->separator)
		(void)buf_printf(out, "%s%s", number, view->separator);
	else
		(void)buf_printf(out, "%*s%s ", (int)width - percent, number, percent ? "%" : "");
}

void stat_view_figure_names(const struct counts *counts, const struct stat_view *view,
			    struct buf *ret)
{
	if (view->json)
		return;
	if (counts->by != COUNTS_BY_ALL && view->separator)
		(void)buf_printf(ret, "%s%s", stat_place_key(counts), view->separator);
	else if (counts->by != COUNTS_BY_ALL)
		(void)buf_pad(ret, ' ', PLACE_WIDTH);
	if (counts->places)
		each_figure(counts, view, 0, put_name, ret);
	(void)buf_putc(ret, '\n');
}

void stat_metric_lines(const struct counts *counts, const struct stat_view *view, struct buf *ret)
{
	for (size_t place = 0; place < counts->places; place++) {
		char name[64];

		stat_place_name(counts, place, name, sizeof(name));
		if (view->json)
			(void)buf_putc(ret, '{');
		else
			stat_put_time(view, ret);
		if (view->json && *name)
			(void)buf_printf(ret, "\"%s\" : \"%s\"", stat_place_key(counts), name);
		else if (*name && view->separator)
			(void)buf_printf(ret, "%s%s", name, view->separator);
		else if (*name)
			(void)buf_printf(ret, "%-*s", PLACE_WIDTH, name);
		each_figure(counts, view, place, put_number, ret);
		(void)buf_puts(ret, view->json ? "}\n" : "\n");
	}
}
