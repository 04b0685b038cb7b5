/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting at probes (see stat_probes.h). The kernel's own events for probes (the PMU "uprobe")
 * are not used: they cannot be inherited, so threads would be missing. */
#include "session/stat/stat_probes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "source/counter/counter.h"
#include "source/event_spec/event_parse.h"
#include "source/options.h"
#include "source/probe/probe_counts_source.h"
#include "source/source.h"

static const char *name_of(const struct stat_probes *probes, size_t place)
{
	return probes->set.choice.entries.names.item[place]; /* of all places */
}

/* "probe:libc.so.6:malloc" of "probe:c:*alloc". */
static const char *whole_name(struct event_list *list, const struct event_spec *of,
			      const char *name)
{
	size_t prefix = strcspn(of->probe, ":") + 1, size = prefix + strlen(name) + 1;
	char *text = arena_alloc(&list->arena, size);

	(void)snprintf(text, size, "%.*s%s", (int)prefix, of->probe, name); /* fits */
	return text;
}

/* The events that one becomes: as written if all its places have one name. Places of an event
 * follow one another. */
static void add_names(struct stat_probes *probes, struct event_list *list,
		      const struct event_spec *of, uint32_t event)
{
	const struct probe_events *choice = &probes->set.choice;
	size_t first = list->spec.count;

	for (size_t i = 0; i < choice->places; i++) {
		struct event_spec *spec;
		size_t at = first;

		if (choice->event[i] != event)
			continue;
		while (at < list->spec.count &&
		       strcmp(list->spec.item[at]->name, name_of(probes, i)) != 0)
			at++;
		probes->spec.item[i] = (uint32_t)at;
		if (at < list->spec.count)
			continue;
		spec = arena_new(&list->arena, struct event_spec);
		*spec = *of;
		spec->name = name_of(probes, i);
		spec->index = spec->group_leader = (uint32_t)at;
		vec_push(&list->spec, spec);
	}
	for (size_t i = first; i < list->spec.count; i++)
		list->spec.item[i]->name = list->spec.count - first == 1
						   ? of->name
						   : whole_name(list, of, list->spec.item[i]->name);
}

/* Made anew, because groups name their members by index. */
static void expand(struct stat_probes *probes, struct event_list *list)
{
	VEC(struct event_spec *)
	before = { list->spec.item, list->spec.count, list->spec.capacity };
	uint32_t event = 0;

	list->spec.item = NULL;
	list->spec.count = list->spec.capacity = 0;
	for (size_t i = 0; i < probes->set.choice.places; i++)
		vec_push(&probes->spec, 0);
	for (size_t i = 0; i < before.count; i++) {
		struct event_spec *spec = before.item[i];
		uint32_t behind = spec->index - spec->group_leader;

		if (spec->probe) {
			add_names(probes, list, spec, event++);
			continue;
		}
		spec->index = (uint32_t)list->spec.count;
		spec->group_leader = spec->index - behind;
		vec_push(&list->spec, spec);
	}
	vec_done(&before);
}

int stat_probes_place(struct stat_probes *probes, struct event_list *list,
		      const struct source_options *options, struct err *err)
{
	int code = probe_event_set_find(&probes->set, options, err);

	if (code || !probes->set.choice.events)
		return code;
	if (options->cgroups || options->user || options->all_threads || options->per_thread)
		return err_set(err, -ENOTSUP,
			       "%s: probes are counted of processes, threads, programs and CPUs, "
			       "not by thread, user or cgroup",
			       probes->set.choice.entries.names.item[0]);
	expand(probes, list);
	return 0;
}

int stat_probes_open(struct stat_probes *probes, const struct source_options *options,
		     struct err *err)
{
	struct source_options own = *options;
	int code;

	source_close(probes->source);
	probes->source = NULL;
	probes->since_ns = probes->on_ns = 0;
	if (!probes->set.choice.events)
		return 0;
	own.probes = &probes->set.choice.entries;
	own.probe_events = &probes->set.choice;
	own.children = !options->no_inherit;
	if (options->system_wide || options->pids || options->tids)
		own.program = 0; /* it is no target */
	code = source_find("probe_counts")->open(&probes->source, &own, err);
	if (code) {
		probes->source = NULL;
		return code;
	}
	(void)source_enable(probes->source, false, err); /* cannot fail */
	return probes->source->ops->start(probes->source, err);
}

bool stat_probes_enable(struct stat_probes *probes, bool on)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct err ignored;

	if (!probes->source)
		return on;
	(void)source_enable(probes->source, on, &ignored); /* cannot fail */
	if (probes->since_ns)
		probes->on_ns += now_ns - probes->since_ns;
	probes->since_ns = on ? now_ns : 0;
	return on;
}

void stat_probes_leave(struct stat_probes *probes)
{
	(void)stat_probes_enable(probes, false);
	if (probes->source)
		source_detach(probes->source);
}

void stat_probes_read(const struct stat_probes *probes, const struct counter_set *set,
		      const struct event_spec *spec, struct counter_reading *ret)
{
	uint64_t on_ns = probes->on_ns;

	if (probes->since_ns)
		on_ns += clock_ns(CLOCK_MONOTONIC) - probes->since_ns;
	for (size_t slot = 0; slot < set->slots; slot++) {
		if (slot % set->target.pid.count) /* of the CPU's other threads */
			continue;
		ret[slot] = (struct counter_reading){ 0, on_ns, on_ns };
		for (size_t i = 0; i < probes->spec.count; i++)
			if (probes->spec.item[i] == spec->index)
				ret[slot].value += probe_counts_get(probes->source, i,
								    counter_slot_cpu(set, slot));
	}
}

int stat_probes_make(struct stat_probes *probes, struct source_options *options, struct err *err)
{
	return options->tracefs ? tracefs_events_make(&probes->tracefs, options, err) : 0;
}

void stat_probes_done(struct stat_probes *probes)
{
	(void)tracefs_events_close(&probes->tracefs); /* else its guard does it later */
	source_close(probes->source);
	probe_event_set_done(&probes->set);
	vec_done(&probes->spec);
}
