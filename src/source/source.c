/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of sources. */
#include "source/source.h"

#include <string.h>

#include "source/bpf/bpf_cpu.h"
#include "source/ledger/ledger_source.h"
#include "source/machine/machine_source.h"
#include "source/perf_event/perf_event.h"
#include "source/run_queue.h"

/* One per line, so that two additions merge. */
/* clang-format off */
static const struct source_ops *const sources[] = {
	&source_perf_event,
	&source_bpf_cpu,
	&source_ledger,
	&source_machine,
	&source_run_delay,
	&source_run_lengths,
};
/* clang-format on */

const struct source_ops *source_find(const char *name)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}
