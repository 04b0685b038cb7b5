/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_producer_watch.h. */
#include "session/heap/heap_producer_watch.h"

#include <stdio.h>

#include "base/buf.h"
#include "profile/heap/heap_producer.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/record/recording_options.h"

/* In the order of enum heap_producer_value. */
static const struct load_values values[] = {
	{ NULL, { "arg1", "arg2", "arg3" } },
};

void heap_producer_load(struct load_options *load)
{
	load->keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES;
	load->values = values;
	load->heap = NULL;
}

void heap_producer_select(const char *file, struct arena *arena, struct recording_options *options)
{
	static const char *const probes[] = { "alloc arg1 arg2 arg3", "free arg1" };

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct buf text = { 0 };

		(void)buf_printf(&text, "usdt:%s:otel_memory:%s", file, probes[i]);
		vec_push(&options->source.selector,
			 ((struct record_selector){ .text = arena_strdup(arena, text.data) }));
		buf_done(&text);
	}
	options->source.period = 1;
	options->source.raw = true;
	options->source.call_graph.given = true;
}
