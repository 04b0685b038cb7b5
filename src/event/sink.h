/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where events go. A consumer implements event(). Events arrive in time order unless the producer
 * says otherwise. Returns 0 or -errno with err set, which stops the producer. */
#ifndef EVENT_SINK_H
#define EVENT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct event;

/* Whole records in kernel ABI; one of them may straddle the two parts (the ring's end). */
struct record_span {
	int cpu; /* whose ring; -1 = a ring that follows one thread */
	const uint8_t *data[2];
	size_t len[2]; /* [1] is 0 when the ring did not wrap */
};

/* A record of a file and when its turn is. */
struct timed_record {
	uint64_t time_ns;
	const uint8_t *record;
	uint64_t note[2]; /* the sink's own (see sink.note); all zero = nothing noted */
};

static inline bool timed_record_is_noted(const struct timed_record *item)
{
	return item->note[0] || item->note[1];
}

struct timed_records {
	const struct timed_record *item;
	size_t count;
	uint64_t file_offset; /* of the first */
};

struct sink {
	int (*event)(struct sink *sink, const struct event *event, struct err *err);
	/* Optional: records as they lay in one ring buffer, not decoded. A producer prefers this
	 * when set (the perf.data writer copies bytes instead of decoding them). */
	int (*records)(struct sink *sink, const struct record_span *span, struct err *err);
	/* Optional pair, for who needs little of many samples. note() sees samples where they are
	 * found, in the file's order, on the reader's thread while the other functions may run on
	 * another. They are host-endian and 8-byte aligned. What it notes comes to noted() in time
	 * order: the first of the records, and the others up to one without a note; it leaves in
	 * count how many it took. A sample without a note goes to event(), and one of which it says
	 * false to nobody. */
	bool (*note)(struct sink *sink, struct timed_record *item);
	int (*noted)(struct sink *sink, struct timed_records *records, struct err *err);
	/* Optional: what the pointers of past events point at stays valid until flush() returns; a
	 * producer calls it before it lets go of those bytes, and at the end. Lets a consumer work
	 * on batches without copying. A sink without it must be done with an event when event()
	 * returns. */
	int (*flush)(struct sink *sink, struct err *err);
};

#endif
