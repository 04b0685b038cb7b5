/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface of event consumers. Events arrive in time order unless the producer documents
 * otherwise. event() returns 0, or -errno with err set, which stops the producer. */
#ifndef EVENT_SINK_H
#define EVENT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct event;

/* Whole records in kernel ABI; one of them may straddle the two parts (the ring's end). */
struct record_span {
	int cpu; /* CPU of the ring; -1: a ring that follows one thread */
	const uint8_t *data[2];
	size_t len[2]; /* [1] is 0 when the ring did not wrap */
};

/* A record of a file and when its turn is. */
struct timed_record {
	uint64_t time_ns;
	const uint8_t *record;
	uint64_t digest[2]; /* the sink's own (see sink.make_digest); all zero = there is none */
};

static inline bool timed_record_has_digest(const struct timed_record *item)
{
	return item->digest[0] || item->digest[1];
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
	/* Optional pair, for consumers that need little of many samples. make_digest() sees samples
	 * in file order, on the reader's thread, while the other functions may run on another; they
	 * are host-endian and 8-byte aligned. It stores a digest in the item. take_digests() gets
	 * the records in time order: the first has a digest, the array ends before the next one
	 * without; it sets count to the number it consumed. A sample without a digest goes to
	 * event(); if make_digest() returns false, the sample is dropped. */
	bool (*make_digest)(struct sink *sink, struct timed_record *item);
	int (*take_digests)(struct sink *sink, struct timed_records *records, struct err *err);
	/* Optional: pointers of past events stay valid until flush() returns; producers call it
	 * before they free those bytes, and at the end. This allows batches without copying. A sink
	 * without flush() must be done with an event when event() returns. */
	int (*flush)(struct sink *sink, struct err *err);
};

#endif
