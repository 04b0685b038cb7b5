/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places to probe, found and checked: what the sources of probes attach to. Strings are borrowed.
 * What is counted has a number; several places may count for one. */
#ifndef SOURCE_PROBE_PROBE_CHOICE_H
#define SOURCE_PROBE_PROBE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct probe_place {
	uint32_t number;
	uint32_t binary;    /* index */
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* offset of a USDT probe's; 0 = none */
};

struct probe_tracepoint {
	uint32_t number;
	const char *category, *name;
};

struct probe_choice {
	VEC(const char *) binaries; /* paths as this process sees them */
	VEC(struct probe_place) places;
	VEC(struct probe_tracepoint) tracepoints;
	VEC(const char *) names; /* by number */
	bool by_event;		 /* as kernels before 6.6 do: an event for each place */
};

#endif
