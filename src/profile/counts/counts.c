/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums and means of counts (see counts.h). */
#include "profile/counts/counts.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void count_add(struct count *sum, const struct count *slot, bool as_counted)
{
	double value = slot->value;

	if (!as_counted && slot->running_ns && slot->running_ns < slot->enabled_ns)
		value *= (double)slot->enabled_ns / (double)slot->running_ns;
	sum->value += value;
	sum->enabled_ns += slot->enabled_ns;
	sum->running_ns += slot->running_ns;
	sum->read = true;
}

static bool is_same_core(const struct counts_place *a, const struct counts_place *b)
{
	return a->socket == b->socket && a->die == b->die && a->core == b->core;
}

bool counts_begins_core(const struct counts_place *place, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_same_core(&place[i], &place[at]))
			return false;
	return true;
}

void counts_init(struct counts *counts)
{
	counts->cell = mem_zalloc((counts->events * counts->places + 1) * sizeof(*counts->cell));
	counts->elapsed_ns = (struct mean){ 0 };
}

void counts_clear(struct counts *counts)
{
	memset(counts->cell, 0, counts->events * counts->places * sizeof(*counts->cell));
	counts->elapsed_ns = (struct mean){ 0 };
}

void counts_done(struct counts *counts)
{
	free(counts->cell);
	counts->cell = NULL;
}

void counts_add(struct counts *counts, size_t event, size_t place, const struct count *count)
{
	struct counts_cell *cell = &counts->cell[event * counts->places + place];

	mean_add(&cell->value, count->value);
	mean_add(&cell->enabled_ns, (double)count->enabled_ns);
	mean_add(&cell->running_ns, (double)count->running_ns);
}

static void sum_cores(const struct counts_place *place, size_t places, struct count *sum)
{
	struct count *of = mem_zalloc((places + 1) * sizeof(*of));

	for (size_t i = 0; i < places; i++)
		for (size_t k = 0; k < places; k++)
			if (is_same_core(&place[i], &place[k]))
				count_add(&of[i], &sum[k], true);
	memcpy(sum, of, places * sizeof(*of));
	free(of);
}

void counts_add_all(struct counts *counts, struct count *sum)
{
	size_t places = counts->places;

	for (size_t i = 0; i < counts->events && counts->by == COUNTS_BY_CPU; i++)
		if (counts->event[i].per_core)
			sum_cores(counts->place, places, &sum[i * places]);
	for (size_t i = 0; i < counts->events * places; i++)
		counts_add(counts, i / places, i % places, &sum[i]);
}

const struct counts_cell *counts_cell(const struct counts *counts, size_t event, size_t place)
{
	return &counts->cell[event * counts->places + place];
}

bool counts_is_counted(const struct counts_cell *cell)
{
	return cell->enabled_ns.value > 0 && cell->running_ns.value > 0;
}

bool counts_is_clock(const struct counts_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						     event->config == PERF_COUNT_SW_TASK_CLOCK);
}
