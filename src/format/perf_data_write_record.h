/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct event as record bytes in perf ABI: the reverse of event/record.h, for the events that
 * recorders make up (what existed before the recording, build ids). */
#ifndef FORMAT_PERF_DATA_WRITE_RECORD_H
#define FORMAT_PERF_DATA_WRITE_RECORD_H

struct buf;
struct event;
struct event_set;

/* Appends one record with the sample_id trailer of the set's first event. The trailer's id is 0,
 * which readers take as "the first event"; its time is 0 ("before all else") unless has_time.
 * -EINVAL for types nobody makes up (samples), -E2BIG when a name does not fit a record. */
int perf_data_encode(const struct event_set *events, const struct event *event, struct buf *ret);

#endif
