/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares of functions over time (see share_series.h). */
#include "profile/change/share_series.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "profile/profile.h"

#define NO_NAME "[unknown]"

static void keep_columns(const struct share_columns *columns, struct share_series *ret)
{
	const struct profile *profile = ret->profile;
	double *count = mem_zalloc((columns->count + 1) * sizeof(*count));

	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		uint64_t at = (sample->time_ns - ret->first_ns) / ret->step_ns;

		if (sample->event == ret->event && sample->time_ns >= ret->first_ns &&
		    at < columns->count)
			count[at] += (double)sample->count;
	}
	for (size_t i = 0; i < columns->count; i++) {
		ret->place[i] = UINT32_MAX;
		if (count[i] >= columns->least && count[i] > 0) {
			ret->place[i] = (uint32_t)ret->columns;
			ret->column[ret->columns++] = i;
		} else if (count[i] > 0) {
			ret->dropped++;
		}
	}
	free(count);
}

static void find_functions(struct share_series *ret)
{
	const struct profile *profile = ret->profile;
	struct map known = { 0 };

	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct frame *frame = &profile->frames.item[profile->nodes.item[i].frame.v];
		bool added;
		uint64_t *number = map_add(&known, frame->function.v, &added);

		if (added) {
			const char *name = profile_string(profile, frame->function);

			*number = ret->functions.count;
			vec_push(&ret->functions,
				 ((struct share_function){ .name = *name ? name : NO_NAME }));
		}
		ret->node_function[i] = (uint32_t)*number;
	}
	map_done(&known);
}

uint32_t share_series_place(const struct share_series *series, uint64_t time_ns)
{
	uint64_t at = (time_ns - series->first_ns) / series->step_ns;

	return time_ns >= series->first_ns && at < series->places ? series->place[at] : UINT32_MAX;
}

static double *columns_of(const struct share_series *series)
{
	return mem_zalloc((series->columns + 1) * sizeof(double));
}

static void add_sample(struct share_series *ret, uint32_t number, uint32_t *seen)
{
	const struct profile_sample *sample = &ret->profile->samples.item[number];
	uint32_t place = share_series_place(ret, sample->time_ns);
	double weight = (double)sample->weight;

	if (sample->event != ret->event || place == UINT32_MAX)
		return;
	ret->weight[place] += weight;
	ret->count[place] += (double)sample->count;
	for (stack_id at = sample->stack; at.v; at = ret->profile->nodes.item[at.v].parent) {
		uint32_t which = ret->node_function[at.v];
		struct share_function *function = &ret->functions.item[which];

		if (!function->total) {
			function->total = columns_of(ret);
			function->self = columns_of(ret);
		}
		if (at.v == sample->stack.v)
			function->self[place] += weight;
		if (seen[which] != number + 1) {
			function->total[place] += weight;
			function->sum += weight;
		}
		seen[which] = number + 1;
	}
}

void share_series_make(const struct profile *profile, uint16_t event,
		       const struct share_columns *columns, struct share_series *ret)
{
	uint32_t *seen;

	*ret = (struct share_series){ .profile = profile,
				      .event = event,
				      .first_ns = columns->first_ns,
				      .step_ns = columns->step_ns,
				      .places = columns->count };
	ret->place = mem_zalloc((columns->count + 1) * sizeof(*ret->place));
	ret->column = mem_zalloc((columns->count + 1) * sizeof(*ret->column));
	ret->node_function = mem_zalloc((profile->nodes.count + 1) * sizeof(*ret->node_function));
	keep_columns(columns, ret);
	find_functions(ret);
	ret->weight = columns_of(ret);
	ret->count = columns_of(ret);
	seen = mem_zalloc((ret->functions.count + 1) * sizeof(*seen));
	for (size_t i = 0; i < profile->samples.count; i++)
		add_sample(ret, (uint32_t)i, seen);
	free(seen);
}

void share_series_done(struct share_series *series)
{
	for (size_t i = 0; i < series->functions.count; i++) {
		free(series->functions.item[i].total);
		free(series->functions.item[i].self);
	}
	vec_done(&series->functions);
	free(series->place);
	free(series->column);
	free(series->weight);
	free(series->count);
	free(series->node_function);
	*series = (struct share_series){ 0 };
}
