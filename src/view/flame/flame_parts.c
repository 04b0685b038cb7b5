/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events and threads of a picture (see flame_parts.h). */
#include "view/flame/flame_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/call_tree.h"
#include "profile/profile.h"
#include "view/flame/flame_advice.h"
#include "view/flame/flame_facts.h"
#include "view/flame/flame_options.h"
#include "view/flame/flame_tree.h"

static bool measure(const struct profile *profile, const struct flame_graph_options *options,
		    const bool *events, uint32_t scale, double *ret_period)
{
	*ret_period = 1;
	if (options->measure == FLAME_MEASURE_SAMPLES)
		return true;
	return options->measure == FLAME_MEASURE_AUTO && scale == 1 &&
	       profile_is_uniform(profile, events, ret_period);
}

bool flame_measure_is_samples(const struct profile *profile,
			      const struct flame_graph_options *options, const bool *events,
			      uint32_t scale)
{
	double period;

	return measure(profile, options, events, scale, &period);
}

static void add_event(struct flame_parts *parts, const struct profile *profile,
		      const struct flame_graph_options *options, uint16_t first)
{
	struct flame_part_event event = { .first = first };

	event.events = mem_zalloc(profile->events.count * sizeof(bool));
	(void)profile_pick_events(
		profile, profile_string(profile, profile->events.item[first].name), event.events);
	event.scale = profile->events.item[first].scale;
	event.scale = event.scale ? event.scale : 1;
	event.by_samples = measure(profile, options, event.events, event.scale, &event.period);
	vec_push(&parts->events, event);
}

/* A selected event comes alone, except for one computed from others, which it shows as well. */
static bool comes_alone(const struct profile *profile, const struct flame_graph_options *options,
			const bool *main)
{
	uint16_t wall;

	return options->event &&
	       (!profile_find_kind(profile, EVENT_KIND_WALL_TIME, &wall) || !main[wall]);
}

static void find_events(struct flame_parts *parts, const struct profile *profile,
			const struct flame_graph_options *options, const bool *main)
{
	bool alone = comes_alone(profile, options, main);

	for (uint16_t i = 0; i < profile->events.count; i++) {
		bool known = !profile->events.item[i].samples || (alone && !main[i]);

		for (size_t k = 0; k < parts->events.count; k++)
			known = known || parts->events.item[k].events[i];
		if (known)
			continue;
		if (main[i])
			parts->main = parts->events.count;
		add_event(parts, profile, options, i);
	}
}

struct flame_parts *flame_parts_new(const struct profile *profile,
				    const struct flame_graph_options *options, const bool *main)
{
	struct flame_parts *parts;

	if (options->no_javascript || options->flamechart || options->no_sort)
		return NULL;
	parts = mem_zalloc(sizeof(*parts));
	find_events(parts, profile, options, main);
	flame_threads_find(profile, &parts->threads);
	if (parts->events.count > 1 || flame_threads_count(&parts->threads) > 1)
		return parts;
	flame_parts_free(parts);
	return NULL;
}

size_t flame_parts_event(const struct flame_parts *parts, const struct profile_sample *sample)
{
	size_t i = 0;

	while (i < parts->events.count && !parts->events.item[i].events[sample->event])
		i++;
	return i;
}

void flame_parts_add(struct flame_parts *parts, size_t event, const struct profile_sample *sample,
		     uint32_t node)
{
	bool by_samples = parts->events.item[event].by_samples;

	vec_push(&parts->entries, ((struct flame_part_entry){
					  .event = (uint32_t)event,
					  .thread = parts->threads.of[sample->thread.v],
					  .node = node,
					  .weight = by_samples ? sample->count : sample->weight }));
}

static int compare_entries(const void *pa, const void *pb)
{
	const struct flame_part_entry *a = pa, *b = pb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

void flame_parts_move(struct flame_parts *parts, const uint32_t *node)
{
	for (size_t i = 0; i < parts->entries.count; i++)
		parts->entries.item[i].node = node[parts->entries.item[i].node];
}

/* In order, each node once. */
void flame_parts_finish(struct flame_parts *parts)
{
	struct flame_part_entry *list = parts->entries.item;
	size_t kept = 0;

	if (!parts->entries.count)
		return;
	qsort(list, parts->entries.count, sizeof(*list), compare_entries);
	for (size_t i = 1; i < parts->entries.count; i++) {
		if (compare_entries(&list[kept], &list[i]) == 0)
			list[kept].weight += list[i].weight;
		else
			list[++kept] = list[i];
	}
	parts->entries.count = kept + 1;
}

static void put_event(const struct profile *profile, const struct flame_part_event *event,
		      const struct flame_graph_options *options, struct buf *ret)
{
	struct flame_tree view = { .main_event = event->first,
				   .events = event->events,
				   .by_samples = event->by_samples };
	struct buf about = { 0 };

	(void)buf_puts(ret, "{\"name\":");
	(void)buf_put_json(ret, profile_string(profile, profile->events.item[event->first].name));
	(void)buf_puts(ret, ",\"countname\":");
	(void)buf_put_json(ret, flame_count_name(profile, &view, options));
	flame_facts_about(profile, &view, options, &about);
	(void)buf_puts(ret, ",\"about\":");
	(void)buf_put_json(ret, about.data ? about.data : "");
	buf_clear(&about);
	flame_advice_hint(profile, &view, options, &about);
	(void)buf_puts(ret, ",\"hint\":");
	(void)buf_put_json(ret, about.data);
	(void)buf_printf(ret, ",\"scale\":%u,\"period\":%.17g,\"each\":%.17g}",
			 event->by_samples ? 1 : event->scale, event->period,
			 flame_sample_width(profile, &view, options));
	buf_done(&about);
}

static void put_thread(const struct profile *profile, uint32_t id, struct buf *ret)
{
	const struct profile_thread *thread = &profile->threads.item[id];

	(void)buf_printf(ret, "{\"pid\":%u,\"tid\":%u,\"comm\":", thread->pid,
			 thread->tid == PROFILE_NO_ID ? thread->pid : thread->tid);
	(void)buf_put_json(ret, profile_string(profile, thread->comm));
	(void)buf_putc(ret, '}');
}

void flame_parts_put_json(const struct profile *profile, const struct flame_tree *tree,
			  const struct flame_graph_options *options, struct buf *ret)
{
	const struct flame_parts *parts = tree->parts;

	if (!parts)
		return;
	(void)buf_printf(ret, ",\"parts\":{\"main\":%zu,\"events\":[", parts->main);
	for (size_t i = 0; i < parts->events.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		put_event(profile, &parts->events.item[i], options, ret);
	}
	(void)buf_puts(ret, "],\"threads\":[");
	for (size_t i = 0; i < parts->threads.list.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		put_thread(profile, parts->threads.list.item[i], ret);
	}
	if (parts->threads.others)
		(void)buf_printf(ret, "%s{\"comm\":\"%zu other threads\"}",
				 parts->threads.list.count ? "," : "", parts->threads.others);
	(void)buf_puts(ret, "]}");
}

void flame_parts_put(const struct flame_parts *parts, struct buf *ret)
{
	const struct flame_part_entry *list = parts->entries.item;
	size_t at = 0;

	for (uint32_t event = 0; event < parts->events.count; event++)
		for (uint32_t thread = 0; thread < flame_threads_count(&parts->threads); thread++) {
			size_t end = at;
			uint32_t last = 0;

			while (end < parts->entries.count && list[end].event == event &&
			       list[end].thread == thread)
				end++;
			(void)buf_put_varint(ret, end - at);
			for (; at < end; at++) {
				(void)buf_put_varint(ret, list[at].node - last);
				(void)buf_put_varint(ret, list[at].weight);
				last = list[at].node;
			}
		}
}

void flame_parts_free(struct flame_parts *parts)
{
	if (!parts)
		return;
	for (size_t i = 0; i < parts->events.count; i++)
		free(parts->events.item[i].events);
	vec_done(&parts->events);
	flame_threads_done(&parts->threads);
	vec_done(&parts->entries);
	free(parts);
}
