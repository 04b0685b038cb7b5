/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that wait until everything that happened before them has been read: those of different
 * CPUs come out of order. */
#ifndef SESSION_RECORD_HELD_H
#define SESSION_RECORD_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

struct perf_event_header;

struct held_record {
	uint64_t time_ns;
	size_t at; /* in bytes; also the order of those of the same time */
};

struct record_held {
	VEC(struct held_record) item;
	struct buf bytes;
};

void record_held_add(struct record_held *held, const struct perf_event_header *header,
		     uint64_t time_ns);
void record_held_sort(struct record_held *held); /* by time */
const struct perf_event_header *record_held_get(const struct record_held *held, size_t index);
void record_held_drop(struct record_held *held, size_t count); /* the first ones */
void record_held_done(struct record_held *held);

#endif
