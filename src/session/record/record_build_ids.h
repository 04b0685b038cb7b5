/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distinct build ids of a recording, for the header section of perf.data of what is mapped. */
#ifndef SESSION_RECORD_BUILD_IDS_H
#define SESSION_RECORD_BUILD_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"

struct record_build_ids {
	struct arena arena;
	VEC(struct event) item; /* EVENT_BUILD_ID */
	struct map known;
	uint64_t left_out; /* for lack of memory */
};

/* The event's, when it is a map with one. */
void record_build_ids_event(struct record_build_ids *ids, const struct event *event);
/* The running kernel's. */
void record_build_ids_kernel(struct record_build_ids *ids);
void record_build_ids_done(struct record_build_ids *ids);

#endif
