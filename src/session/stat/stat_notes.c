/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts leave out (see stat_notes.h). */
#include "session/stat/stat_notes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "source/counter/counter.h"
#include "source/event_spec/event_parse.h"

/* A line for each reason, with the events that have it. */
static void note_missing(const struct counter_set *set, char *notes, size_t room)
{
	size_t len = 0;
	bool *reported = mem_zalloc(set->counter.count + 1);

	notes[0] = '\0';
	for (size_t i = 0; i < set->counter.count; i++) {
		const struct counter *first = &set->counter.item[i];
		struct err why = { 0 };
		const char *reason, *comma = "";

		if (!first->error || reported[i])
			continue;
		counter_explain(set, first, &why);
		reason = strstr(why.msg, "': ");
		for (size_t k = i; k < set->counter.count && len < room; k++) {
			const struct counter *other = &set->counter.item[k];

			if (other->error != first->error ||
			    (other->spec->attr.type == PERF_TYPE_SOFTWARE) !=
				    (first->spec->attr.type == PERF_TYPE_SOFTWARE))
				continue;
			reported[k] = true;
			len += (size_t)snprintf(notes + len, room - len, "%s%s", comma,
						other->name);
			comma = ", ";
		}
		if (len < room)
			len += (size_t)snprintf(notes + len, room - len, ": %s\n",
						reason ? reason + 3 : why.msg);
		len = len < room ? len : room - 1;
	}
	free(reported);
}

static bool happens_in_kernel(const struct event_spec *spec)
{
	return spec->attr.type == PERF_TYPE_SOFTWARE &&
	       (spec->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		spec->attr.config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		spec->attr.config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* Events that are 0 because only user code may be counted. */
static void note_zeros(const struct counter_set *set, char *notes, size_t room)
{
	size_t len = strlen(notes), start = len;

	for (size_t i = 0; set->user_only && i < set->counter.count && len < room; i++) {
		const struct counter *counter = &set->counter.item[i];

		if (!counter->error && !counter->spec->exclude_given &&
		    happens_in_kernel(counter->spec))
			len += (size_t)snprintf(notes + len, room - len, "%s%s",
						len > start ? ", " : "", counter->name);
	}
	if (len > start && len < room)
		(void)snprintf(notes + len, room - len,
			       ": happen in the kernel, which this user may not count; see: cupel "
			       "doctor\n");
}

void stat_notes(const struct counter_set *set, char *ret, size_t room)
{
	note_missing(set, ret, room);
	note_zeros(set, ret, room);
}
