/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of sources. */
#include "source/source.h"

#include <string.h>

/* A new source: one line here. */
/* clang-format off */
#define SOURCES(X) \
	X(activity) \
	X(perf_event) \
	X(bpf_cpu) \
	X(off_cpu) \
	X(function_calls) \
	X(heap) \
	X(io) \
	X(ledger) \
	X(lock) \
	X(machine) \
	X(probe_counts) \
	X(probe_events) \
	X(probe_values) \
	X(probe_times) \
	X(run_delay) \
	X(run_lengths) \
	X(slow_calls) \
	X(stack_counts) \
	X(syscalls)
/* clang-format on */

#define DECLARE(name) extern const struct source_ops source_##name;
SOURCES(DECLARE)
#undef DECLARE

static const struct source_ops *const sources[] = {
#define LIST(name) &source_##name,
	SOURCES(LIST)
#undef LIST
};

const struct source_ops *source_find(const char *name)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}
