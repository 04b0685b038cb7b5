/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vendors' names of events, such as INST_RETIRED:ANY, by libpfm4, which is loaded when the first
 * one is looked for. It finds out itself which CPU this is; its environment variable
 * LIBPFM_FORCE_PMU names another one. Not for several threads. Does not include the kernel's
 * header, because libpfm4 has a copy of it. */
#ifndef SOURCE_PFM_EVENT_H
#define SOURCE_PFM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Members of struct perf_event_attr. */
struct pfm_encoding {
	uint32_t type;
	uint64_t config, config1, config2;
	unsigned precise_ip;
	bool exclude_user, exclude_kernel, exclude_hv;
};

/* Whether a name has the form of vendors' names: capitals, digits and underscores, up to the first
 * colon if there is one; or pmu::NAME. */
bool pfm_event_is_name(const char *text);
/* -ENOSYS: the library is not installed; -ENOENT: it does not know the event on this CPU. */
int pfm_event_encode(const char *text, struct pfm_encoding *ret, struct err *err);

typedef void pfm_event_call(void *context, const char *name, const char *meaning);

/* Calls back with the events of the CPUs that are here, NAME or NAME:UNIT, one after the other. The
 * strings are valid during the call. */
int pfm_event_each(pfm_event_call *call, void *context, struct err *err);

#endif
