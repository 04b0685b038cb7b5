/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of sources. */
#include "source/source.h"

#include <string.h>

#include "source/bpf/bpf_cpu.h"
#include "source/perf_event/perf_event.h"

static const struct source_ops *const sources[] = {
	&source_perf_event,
	&source_bpf_cpu,
};

const struct source_ops *source_find(const char *name)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}
