/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding up answers (see timeline_sum.h). */
#include "store/timeline_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "store/store.h"

#define MOST_LINES 1000
#define REST	   "[others]"

uint32_t timeline_line(struct store_timeline *timeline, const char *value)
{
	struct store_line line = { 0 };

	for (size_t i = 0; i < timeline->lines.count; i++)
		if (strcmp(timeline->lines.item[i].value, value) == 0)
			return (uint32_t)i;
	if (timeline->lines.count >= MOST_LINES && strcmp(value, REST) != 0)
		return timeline_line(timeline, REST);
	line.value = mem_strdup(value);
	line.weight = mem_zalloc(timeline->columns * sizeof(*line.weight));
	line.count = mem_zalloc(timeline->columns * sizeof(*line.count));
	vec_push(&timeline->lines, line);
	return (uint32_t)timeline->lines.count - 1;
}

void timeline_unit(struct store_timeline *timeline, const char *unit)
{
	if (!timeline->has_unit)
		(void)snprintf(timeline->unit, sizeof(timeline->unit), "%s", unit);
	else if (strncmp(timeline->unit, unit, sizeof(timeline->unit) - 1) != 0)
		timeline->unit[0] = '\0';
	timeline->has_unit = true;
}

void timeline_add(struct store_timeline *timeline, uint32_t line, uint64_t time_ns, uint64_t weight,
		  uint64_t count)
{
	size_t column = (size_t)((time_ns - timeline->first_ns) / timeline->step_ns);

	if (line >= timeline->lines.count || time_ns < timeline->first_ns ||
	    column >= timeline->columns)
		return;
	timeline->lines.item[line].weight[column] += weight;
	timeline->lines.item[line].count[column] += count;
	timeline->lines.item[line].total += weight;
}

static int compare_labels(const struct label_set *a, const struct label_set *b)
{
	for (size_t i = 0; i < a->labels.count && i < b->labels.count; i++) {
		int order = strcmp(a->labels.item[i].name, b->labels.item[i].name);

		order = order ? order : strcmp(a->labels.item[i].value, b->labels.item[i].value);
		if (order)
			return order;
	}
	return (a->labels.count > b->labels.count) - (a->labels.count < b->labels.count);
}

void series_list_add(struct store_series_list *list, const struct label_set *labels,
		     const struct store_series *sum)
{
	size_t low = 0, high = list->series.count;
	struct store_series *series;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_labels(&list->series.item[middle].labels, labels);

		if (order == 0)
			low = high = middle;
		else if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == list->series.count ||
	    compare_labels(&list->series.item[low].labels, labels) != 0) {
		vec_reserve(&list->series, 1);
		memmove(&list->series.item[low + 1], &list->series.item[low],
			(list->series.count - low) * sizeof(*list->series.item));
		list->series.count++;
		list->series.item[low] = (struct store_series){ .first_ns = sum->first_ns,
								.first_end_ns = sum->first_end_ns };
		label_set_put_all(&list->series.item[low].labels, labels);
	}
	series = &list->series.item[low];
	if (sum->first_ns < series->first_ns)
		series->first_ns = sum->first_ns;
	if (sum->first_end_ns < series->first_end_ns)
		series->first_end_ns = sum->first_end_ns;
	if (sum->last_ns > series->last_ns)
		series->last_ns = sum->last_ns;
	series->count += sum->count;
}
