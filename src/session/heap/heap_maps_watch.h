/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the calls of a program or a process that map memory (profile/heap/heap_maps.h). It
 * needs no library in the program, so it works for static programs, Go, and any other. */
#ifndef SESSION_HEAP_HEAP_MAPS_WATCH_H
#define SESSION_HEAP_HEAP_MAPS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct heap_resident;
struct heap_summary;
struct load_options;
struct profile;
struct recording_options;
struct recording_result;

/* For loading such a recording: what samples keep. */
void heap_maps_load(struct load_options *load);
/* Selects the events. Strings last as long as the program. */
int heap_maps_select(struct recording_options *options, struct err *err);
/* Where the heap of brk ends in a process; 0 = unknown. */
uint64_t heap_maps_break(uint32_t pid);
/* Of a profile that was loaded so. pid: that was running before; 0 = none. */
void heap_maps_finish(struct profile *profile, uint32_t pid, uint64_t brk,
		      struct heap_summary *ret);

#endif
