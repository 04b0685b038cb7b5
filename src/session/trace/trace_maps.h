/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All mappings of processes, data too, as the events of a recording make them: what a page fault
 * was about. The kernel does not report munmap(2), so an address that is mapped no more has the
 * last mapping that it was in. */
#ifndef SESSION_TRACE_MAPS_H
#define SESSION_TRACE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

struct event;

struct trace_mapping {
	uint64_t start, end, pgoff;
	uint32_t prot;
	string_id path;
};

struct trace_maps {
	struct map by_pid; /* index + 1 in process */
	VEC(struct trace_process_maps) process;
	struct strtab *strings;
};

struct trace_process_maps {
	VEC(struct trace_mapping) mapping; /* the last one counts */
	bool compat;			   /* of a 32-bit program */
};

void trace_maps_init(struct trace_maps *maps);
void trace_maps_done(struct trace_maps *maps);
/* MMAP, FORK, EXIT and COMM of exec; ignores the rest. */
void trace_maps_apply(struct trace_maps *maps, const struct event *event);
/* NULL = not known. Borrowed until the next event. */
const struct trace_mapping *trace_maps_find(const struct trace_maps *maps, uint32_t pid,
					    uint64_t address);
/* Whether a process runs a 32-bit program: the kernel maps its code for programs (the vDSO) where
 * these can reach it. */
bool trace_maps_is_compat(const struct trace_maps *maps, uint32_t pid);
const char *trace_maps_path(const struct trace_maps *maps, const struct trace_mapping *mapping);

#endif
