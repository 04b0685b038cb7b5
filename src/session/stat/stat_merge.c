/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of events on several PMUs (see stat_merge.h). */
#include "session/stat/stat_merge.h"

#include <stdio.h>
#include <string.h>

#include "source/counter/counter.h"
#include "source/event_spec/event_parse.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The same event of another PMU. */
static bool is_sibling(const struct counter *a, const struct counter *b)
{
	return a != b && a->spec->system_wide && b->spec->system_wide &&
	       a->spec->glob == b->spec->glob && strcmp(a->name, b->name) == 0 &&
	       !same_text(a->spec->pmu, b->spec->pmu) && same_text(a->cgroup, b->cgroup) &&
	       same_text(a->spec->unit, b->spec->unit) && a->spec->scale <= b->spec->scale &&
	       a->spec->scale >= b->spec->scale;
}

size_t stat_merge(const struct counter_set *set, bool apart, size_t *ret_row)
{
	const struct counter *counter = set->counter.item;
	size_t rows = 0;

	for (size_t i = 0; i < set->counter.count; i++) {
		size_t first = 0;

		while (first < i && (apart || !is_sibling(&counter[first], &counter[i])))
			first++;
		ret_row[i] = first < i ? ret_row[first] : rows++;
	}
	return rows;
}

static bool has_sibling(const struct counter_set *set, const struct counter *counter)
{
	for (size_t i = 0; i < set->counter.count; i++)
		if (is_sibling(&set->counter.item[i], counter))
			return true;
	return false;
}

const char *stat_merge_name(struct counter_set *set, size_t counter, bool apart)
{
	const struct counter *at = &set->counter.item[counter];
	const char *terms = strchr(at->name, '/'), *pmu = at->spec->pmu;
	size_t size = strlen(at->name) + (pmu ? strlen(pmu) : 0) + 4;
	char *name;

	if (!apart || !has_sibling(set, at))
		return at->name;
	name = arena_alloc(&set->arena, size);
	if (terms)
		(void)snprintf(name, size, "%s%s", pmu, terms); /* fits */
	else
		(void)snprintf(name, size, "%s [%s]", at->name, pmu); /* fits */
	return name;
}
