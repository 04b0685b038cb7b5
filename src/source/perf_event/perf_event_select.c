/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selection of events by the options (see perf_event_select.h). */
#include "source/perf_event/perf_event_select.h"

#include <errno.h>

#include "base/err.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_event_choice.h"

/* What samples of probes look like, if they were looked up. */
static int take_formats(struct perf_source *source, struct err *err)
{
	const struct probe_events *probes = source->options->probe_events;
	size_t number = 0;

	for (size_t i = 0; i < source->list.spec.count; i++) {
		struct event_spec *spec = source->list.spec.item[i];

		if (!spec->probe)
			continue;
		if (!probes || number == probes->events)
			return err_set(err, -ENOTSUP, "%s: probes cannot be used here", spec->name);
		spec->format = probes->format[number++];
	}
	return 0;
}

int perf_source_select(struct perf_source *source, struct err *err)
{
	const struct event_parse_options parse = { .root = "" };
	const struct source_options *options = source->options;
	struct event_list *list = &source->list;
	int code = 0;

	for (size_t i = 0; !code && i < options->selector.count; i++) {
		const struct record_selector *selector = &options->selector.item[i];

		code = selector->filter ? event_list_filter(list, selector->text, err)
					: event_list_parse(list, selector->text, &parse, err);
	}
	if (!code && options->probes && options->probes->times.slowest)
		event_list_add_served(list, "function-time", "slow_calls");
	else if (!code && options->probes)
		event_list_add_served(list, "hits", "stack_counts");
	if (!code && !list->spec.count)
		code = event_list_default(list, &parse, err);
	if (!code && options->add_off_cpu)
		code = event_list_parse(list, "off-cpu", &parse, err);
	for (size_t i = 0; !code && i < list->spec.count; i++)
		if (list->spec.item[i]->served_by &&
		    options->call_graph.mode != RECORDING_CALL_GRAPH_BPF)
			code = err_set(err, -ENOTSUP,
				       "%s: cannot be combined with --call-graph, -b or -j: "
				       "BPF programs take its samples",
				       list->spec.item[i]->name);
	if (!code)
		code = take_formats(source, err);
	if (!code && options->group) {
		for (size_t i = 0; i < list->spec.count; i++) {
			list->spec.item[i]->group_leader = 0;
			list->spec.item[i]->group_size = 1;
		}
		list->spec.item[0]->group_size = (uint32_t)list->spec.count;
	}
	return code;
}
