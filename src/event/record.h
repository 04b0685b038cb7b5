/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes one record in perf ABI (kernel or perf.data user space, type < 64 only) into a
 * struct event. Never reads outside the record; a record that lies about its size is an error.
 * The record must be host-endian (format/perf_data swaps foreign ones first) and 8-byte aligned. */
#ifndef EVENT_RECORD_H
#define EVENT_RECORD_H

#include <stdint.h>

#include "event/event.h"

struct event_set;
struct err;

/* header->size bytes must be readable. */
int record_decode(const struct event_set *set, const struct perf_event_header *header,
		  struct event *ret, struct err *err);
/* The event a record belongs to, by its id alone; NULL = unknown. */
const struct event_desc *record_desc(const struct event_set *set,
				     const struct perf_event_header *header);
/* Only the time of a record (for ordering), much cheaper than record_decode(). False when it
 * carries none. */
bool record_time(const struct event_set *set, const struct perf_event_header *header,
		 uint64_t *ret_ns);

#endif
