/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --filter for events that were parsed before (see event_parse.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "source/event_spec/event_parse.h"

int event_list_filter(struct event_list *list, const char *filter, struct err *err)
{
	size_t first = list->spec.count;

	if (!first)
		return err_usage(err, "--filter '%s': no event to filter", filter);
	while (first > 0 && list->spec.item[first - 1]->glob == list->globs)
		first--;
	for (size_t i = first; i < list->spec.count; i++)
		if (!list->spec.item[i]->tracepoint) {
			err_usage(err, "--filter '%s': event '%s' is not a tracepoint", filter,
				  list->spec.item[i]->name);
			return err_hint(err, "put --filter after the -e it belongs to");
		}
	for (size_t i = first; i < list->spec.count; i++) {
		struct event_spec *spec = list->spec.item[i];
		size_t size = strlen(filter) + (spec->filter ? strlen(spec->filter) : 0) + 12;
		char *both = arena_alloc(&list->arena, size);

		if (spec->filter)
			(void)snprintf(both, size, "(%s) && (%s)", spec->filter, filter);
		else
			(void)snprintf(both, size, "%s", filter);
		spec->filter = both;
	}
	return 0;
}
