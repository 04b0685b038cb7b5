/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct event as record bytes in perf ABI: the reverse of event/perf_record.h, for synthetic
 * events (processes and maps from before the recording, build ids). */
#ifndef FORMAT_PERF_DATA_WRITE_RECORD_H
#define FORMAT_PERF_DATA_WRITE_RECORD_H

#include <stddef.h>

struct buf;
struct event;
struct event_set;

/* Appends one record with the sample_id trailer of the set's first event. The trailer's id is 0,
 * which readers interpret as the first event; its time is 0 (before everything else) unless
 * has_time. Returns -EINVAL for types that cannot be encoded (samples), -E2BIG if a name exceeds a
 * record. */
int perf_data_encode(const struct event_set *events, const struct event *event, struct buf *ret);

/* Samples that came as events: identifier, ip, tid, time, address, id, CPU, period, call chain and
 * payload. Bytes of the record; 0 when the chain is too long for one. */
size_t perf_data_sample_bytes(const struct event *event);
/* Writes that many to place, which is 8-byte aligned. event->desc is set and has nothing else in
 * its samples. */
void perf_data_put_sample(const struct event *event, void *place);

#endif
