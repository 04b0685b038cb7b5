/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of counts (see stat_rows.h). */
#include "view/stat/stat_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

static struct stat_row make_row(const struct counts *counts, size_t event, size_t place)
{
	return (struct stat_row){ event, place, counts_cell(counts, event, place)->value.value };
}

static int by_value(const void *a, const void *b)
{
	const struct stat_row *x = a, *y = b;

	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static size_t add_threads(const struct counts *counts, const struct stat_view *view, size_t event,
			  struct stat_row *row)
{
	size_t count = 0;

	for (size_t p = 0; p < counts->places; p++)
		if (!view->skip_zero || counts_cell(counts, event, p)->value.value > 0)
			row[count++] = make_row(counts, event, p);
	qsort(row, count, sizeof(*row), by_value);
	return count;
}

bool stat_is_core(const struct counts *counts, const struct stat_view *view, size_t event)
{
	return counts->by == COUNTS_BY_CPU && counts->event[event].per_core && !view->core_threads;
}

size_t stat_rows(const struct counts *counts, const struct stat_view *view, struct stat_row **ret)
{
	struct stat_row *row = mem_alloc((counts->events * counts->places + 1) * sizeof(*row));
	size_t count = 0;

	if (counts->by == COUNTS_BY_THREAD) {
		for (size_t e = 0; e < counts->events; e++)
			count += add_threads(counts, view, e, row + count);
	} else if (counts->by == COUNTS_BY_CPU || counts->by == COUNTS_BY_ALL) {
		for (size_t e = 0; e < counts->events; e++)
			for (size_t p = 0; p < counts->places; p++)
				if (!stat_is_core(counts, view, e) ||
				    counts_begins_core(counts->place, p))
					row[count++] = make_row(counts, e, p);
	} else {
		for (size_t p = 0; p < counts->places; p++)
			for (size_t e = 0; e < counts->events; e++)
				row[count++] = make_row(counts, e, p);
	}
	*ret = row;
	return count;
}

static void core_name(const struct counts_place *at, char *ret, size_t size)
{
	(void)snprintf(ret, size, "S%d-D%d-C%d", at->socket, at->die, at->core);
}

void stat_row_place(const struct counts *counts, const struct stat_view *view,
		    const struct stat_row *row, char ret[STAT_PLACE_NAME])
{
	if (stat_is_core(counts, view, row->event))
		core_name(&counts->place[row->place], ret, STAT_PLACE_NAME);
	else
		stat_place_name(counts, row->place, ret, STAT_PLACE_NAME);
}

void stat_place_name(const struct counts *counts, size_t place, char *ret, size_t size)
{
	const struct counts_place *at = &counts->place[place];

	*ret = '\0';
	switch (counts->by) {
	case COUNTS_BY_ALL:
		break;
	case COUNTS_BY_CPU:
		(void)snprintf(ret, size, "CPU%d", at->cpu);
		break;
	case COUNTS_BY_CORE:
		core_name(at, ret, size);
		break;
	case COUNTS_BY_CLUSTER:
		(void)snprintf(ret, size, "S%d-D%d-CLS%d", at->socket, at->die, at->cluster);
		break;
	case COUNTS_BY_CACHE:
		(void)snprintf(ret, size, "S%d-D%d-L%d-ID%d", at->socket, at->die, at->cache_level,
			       at->cache);
		break;
	case COUNTS_BY_DIE:
		(void)snprintf(ret, size, "S%d-D%d", at->socket, at->die);
		break;
	case COUNTS_BY_SOCKET:
		(void)snprintf(ret, size, "S%d", at->socket);
		break;
	case COUNTS_BY_NODE:
		(void)snprintf(ret, size, "N%d", at->node);
		break;
	case COUNTS_BY_THREAD:
		(void)snprintf(ret, size, "%s-%d", at->comm, at->thread);
		break;
	}
}

const char *stat_place_key(const struct counts *counts)
{
	static const char *const keys[] = {
		[COUNTS_BY_CPU] = "cpu",	 [COUNTS_BY_CORE] = "core",
		[COUNTS_BY_CLUSTER] = "cluster", [COUNTS_BY_CACHE] = "cache",
		[COUNTS_BY_DIE] = "die",	 [COUNTS_BY_SOCKET] = "socket",
		[COUNTS_BY_NODE] = "node",	 [COUNTS_BY_THREAD] = "thread",
	};

	return keys[counts->by];
}

bool stat_place_joins(const struct counts *counts)
{
	return counts->by != COUNTS_BY_ALL && counts->by != COUNTS_BY_CPU &&
	       counts->by != COUNTS_BY_THREAD;
}

double stat_shown_value(const struct counts *counts, const struct stat_row *row)
{
	double scale = counts->event[row->event].scale;
	double value = counts_cell(counts, row->event, row->place)->value.value;

	/* the mean of counts is shown as a count */
	return scale < 1 || scale > 1 ? value * scale : round(value);
}

double stat_error_percent(const struct mean *mean)
{
	return mean->value != 0 ? 100 * mean_error(mean) / mean->value : 0;
}

double stat_running_percent(const struct counts_cell *cell)
{
	return cell->enabled_ns.value > 0 ? 100 * cell->running_ns.value / cell->enabled_ns.value
					  : 100;
}

const char *stat_missing(const struct counts *counts, const struct stat_row *row)
{
	if (!counts->event[row->event].supported)
		return "<not supported>";
	return counts_is_counted(counts_cell(counts, row->event, row->place)) ? NULL
									      : "<not counted>";
}

void stat_put_time(const struct stat_view *view, struct buf *out)
{
	const char *separator = view->separator ? view->separator : " ";

	if (view->interval)
		(void)buf_printf(out, "%6" PRIu64 ".%09" PRIu64 "%s", view->time_ns / 1000000000,
				 view->time_ns % 1000000000, separator);
	else if (view->summary && view->separator)
		(void)buf_printf(out, "%16s%s", "summary", separator);
}

const char *stat_metric_number(const struct count_metric *metric, char *text, size_t size)
{
	const char *start = text;

	/* the formats are the table's own */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(text, size, metric->format, metric->value);
#pragma GCC diagnostic pop
	start += strspn(start, " ");
	text[(size_t)(start - text) + strspn(start, "-.0123456789")] = '\0';
	return start;
}
