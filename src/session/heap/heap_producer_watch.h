/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the static probes of another profiler in a program (profile/heap/heap_producer.h). */
#ifndef SESSION_HEAP_HEAP_PRODUCER_WATCH_H
#define SESSION_HEAP_HEAP_PRODUCER_WATCH_H

#include "base/arena.h"

struct load_options;
struct recording_options;

/* For loading such a recording: what samples keep. */
void heap_producer_load(struct load_options *load);
/* Selects the events of a file, a path or the short name of a library. Their texts are in the
 * arena. */
void heap_producer_select(const char *file, struct arena *arena, struct recording_options *options);

#endif
