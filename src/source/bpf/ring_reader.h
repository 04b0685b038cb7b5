/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads BPF ring buffers (BPF_MAP_TYPE_RINGBUF). Unlike libbpf's reader, which continues until a
 * ring is empty, a drain ends with the record that was last when it began; records caused by
 * reading itself are left for the next drain. So a recorder that samples its own threads
 * terminates. Used from one thread. */
#ifndef SOURCE_BPF_RING_READER_H
#define SOURCE_BPF_RING_READER_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct ring_reader;

/* A record of `len` bytes, borrowed for the call. */
typedef void (*ring_record_fn)(void *context, void *data, size_t len);

/* A ring as it lies in memory. */
struct ring_view {
	void *context;
	size_t bytes; /* of data, a power of two; data is mapped twice in a row */
	unsigned long *consumer, *producer;
	uint8_t *data;
};

/* Delivers the current contents of one ring. Returns the number of records. */
size_t ring_view_drain(const struct ring_view *ring, ring_record_fn record);

struct ring_reader *ring_reader_new(ring_record_fn record);
void ring_reader_free(struct ring_reader *reader);
/* Adds the map behind `fd`, which stays the caller's; records come with `context`. */
int ring_reader_add(struct ring_reader *reader, int fd, void *context, struct err *err);
/* For poll(2). */
int ring_reader_fd(const struct ring_reader *reader);
/* Delivers the current contents of the rings. Returns the number of records. */
size_t ring_reader_drain(struct ring_reader *reader);

#endif
