/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that are sampled when none are given (see event_parse.h). */
#include <stdio.h>

#include "base/arena.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/pmu.h"

/* Names of the PMUs that count CPU cores, one for each core type. */
static void core_pmus(const char *root, struct arena *arena, struct name_list *list)
{
	struct name_list names = { 0 };

	pmu_match(root, "*", arena, &names);
	for (size_t i = 0; i < names.count; i++)
		if (pmu_is_core(root, names.item[i], arena))
			vec_push(list, names.item[i]);
	name_list_done(&names);
}

int event_list_default(struct event_list *list, const struct event_parse_options *options,
		       struct err *err)
{
	struct name_list names = { 0 };
	char text[300];
	int r = 0;

	core_pmus(options->root ? options->root : "", &list->arena, &names);
	if (names.count < 2)
		r = event_list_parse(list, names.count ? "cycles:P" : "cpu-clock", options, err);
	for (size_t i = 0; names.count > 1 && i < names.count && r == 0; i++) {
		(void)snprintf(text, sizeof(text), "%s/cycles/P", names.item[i]); /* ≤ NAME_MAX */
		r = event_list_parse(list, text, options, err);
	}
	name_list_done(&names);
	return r;
}
