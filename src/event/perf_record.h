/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes one record in perf ABI (kernel or perf.data user space, type < 64 only) into a
 * struct event. Never reads outside the record; a record that lies about its size is an error.
 * The record must be host-endian (format/perf_data swaps foreign ones first) and 8-byte aligned. */
#ifndef EVENT_PERF_RECORD_H
#define EVENT_PERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "event/desc.h"
#include "event/event.h"

struct err;

/* header->size bytes must be readable. */
int perf_record_decode(const struct event_set *set, const struct perf_event_header *header,
		       struct event *ret, struct err *err);
/* The event a record belongs to, by its id alone; NULL = unknown. */
const struct event_desc *perf_record_desc(const struct event_set *set,
					  const struct perf_event_header *header);
/* The same for a sample. */
static inline const struct event_desc *
perf_record_sample_desc(const struct event_set *set, const struct perf_event_header *header)
{
	const uint64_t *body = (const uint64_t *)(header + 1);

	if (set->sample_id < 0 ||
	    header->size < sizeof(*header) + (size_t)(set->sample_id + 1) * sizeof(*body) ||
	    !body[set->sample_id])
		return perf_record_desc(set, header);
	return event_set_find(set, body[set->sample_id]);
}

/* A sample's tracepoint payload, for events with other parts of variable length too. */
bool perf_record_any_payload(const struct event_desc *desc, const struct perf_event_header *header,
			     const uint8_t **ret, uint32_t *ret_len);

/* A sample's tracepoint payload, NULL = none; false when the record is shorter than it claims, or
 * than the fixed part that its event has (see struct perf_record_plan). */
static inline bool perf_record_payload(const struct event_desc *desc,
				       const struct perf_event_header *header, const uint8_t **ret,
				       uint32_t *ret_len)
{
	size_t skip = sizeof(*header) + desc->plan.fixed_words * sizeof(uint64_t);
	uint32_t len;

	if (!desc->plan.only_raw)
		return perf_record_any_payload(desc, header, ret, ret_len);
	if (header->size < skip + sizeof(len))
		return false;
	memcpy(&len, (const uint8_t *)header + skip, sizeof(len));
	*ret = (const uint8_t *)header + skip + sizeof(len);
	*ret_len = len;
	return len <= header->size - skip - sizeof(len);
}

/* "SAMPLE", "FINISHED_ROUND"; an unknown type is written into `number`. */
const char *perf_record_name(unsigned type, char *number, size_t size);

/* Only the time of a record (for ordering), much cheaper than perf_record_decode(). False when it
 * carries none. */
bool perf_record_time(const struct event_set *set, const struct perf_event_header *header,
		      uint64_t *ret_ns);

#endif
