/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads run (see load_latency.h). A thread runs from a switch to it, or from a sample of
 * it, until a switch away from it, or its end. Of each event what a division leaves is kept, so
 * that the sum is right for weights of 1 as well. */
#include "session/load/load_latency.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/event.h"
#include "profile/profile.h"
#include "session/load/load.h"

#define FRACTION_BITS 20

struct load_latency {
	struct map runs; /* tid → 1 = it runs, 0 = it does not */
	uint64_t running, switches;
	VEC(uint64_t) left; /* by event, in 1/2^FRACTION_BITS */
};

struct load_latency *load_latency_new(void)
{
	return mem_zalloc(sizeof(struct load_latency));
}

void load_latency_free(struct load_latency *latency)
{
	if (!latency)
		return;
	map_done(&latency->runs);
	vec_done(&latency->left);
	free(latency);
}

/* The idle task is no thread. */
static void set_running(struct load_latency *latency, const struct event *event, bool runs)
{
	bool added;
	uint64_t *at;

	if (!event->tid || event->tid == UINT32_MAX)
		return;
	at = map_add(&latency->runs, event->tid, &added);
	if (added)
		*at = 0;
	latency->running += runs;
	latency->running -= *at;
	*at = runs;
}

void load_latency_apply(struct load_latency *latency, const struct event *event)
{
	latency->switches += event->type == EVENT_SWITCH;
	if (event->type == EVENT_SWITCH)
		set_running(latency, event, !event->sched.out);
	else if (event->type == EVENT_EXIT)
		set_running(latency, event, false);
}

uint64_t load_latency_weight(struct load_latency *latency, const struct event *event)
{
	uint32_t index = event->desc ? event->desc->index : 0;
	uint64_t weight = event->sample.period, share;

	set_running(latency, event, true);
	if (latency->running < 2)
		return weight;
	while (latency->left.count <= index)
		vec_push(&latency->left, 0);
	share = weight % latency->running; /* the rest fits for any weight */
	share = (share << FRACTION_BITS) / latency->running + latency->left.item[index];
	latency->left.item[index] = share & ((UINT64_C(1) << FRACTION_BITS) - 1);
	return weight / latency->running + (share >> FRACTION_BITS);
}

void load_latency_set(struct load_latency *latency, const struct load_options *options,
		      const struct event *event, struct profile_sample *sample)
{
	uint64_t share = load_latency_weight(latency, event);

	if (options->both_weights)
		sample->addr = options->latency ? sample->weight : share;
	if (options->latency)
		sample->weight = share;
}

int load_latency_check(const struct load_latency *latency, const struct event_set *events,
		       const char *path, struct err *err)
{
	bool has = latency->switches;

	for (size_t i = 0; i < events->desc.count; i++)
		has |= events->desc.item[i]->attr.context_switch;
	if (has)
		return 0;
	(void)err_set(err, -ENODATA, "%s: no context switches in the recording", path);
	return err_hint(err, "record them with: cupel record --latency -- PROGRAM");
}
