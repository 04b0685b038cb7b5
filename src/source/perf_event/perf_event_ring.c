/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ring buffer shared with the kernel. Forward rings are drained: the kernel writes at
 * data_head, we free up to data_tail. Backward rings are never freed: the kernel writes downwards
 * and overwrites the oldest records, and a snapshot walks up from the newest.
 * ABI: struct perf_event_mmap_page in include/uapi/linux/perf_event.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "source/perf_event/perf_event.h"

/* The reader wakes up when a quarter is full, which leaves the rest for what comes meanwhile; of
 * large rings at a size that still fits into the caches when it is copied. */
#define WAKEUP_DIVISOR	 4
#define WAKEUP_MAX_BYTES ((size_t)256 << 10)
#define CRAMPED_DIVISOR	 2

static uint32_t wakeup_bytes(size_t ring_bytes)
{
	size_t bytes = ring_bytes / WAKEUP_DIVISOR;

	return (uint32_t)(bytes < WAKEUP_MAX_BYTES ? bytes : WAKEUP_MAX_BYTES);
}

static int map_ring(struct perf_ring *ring, size_t bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int prot = ring->backward ? PROT_READ : PROT_READ | PROT_WRITE;
	void *base = mmap(NULL, page_bytes + bytes, prot, MAP_SHARED, ring->fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	ring->page = base;
	ring->data = (uint8_t *)base + page_bytes;
	ring->bytes = bytes;
	return 0;
}

static int open_carrier(struct perf_ring *ring, const struct perf_ring_options *options,
			size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = options->prompt ? 1 : wakeup_bytes(bytes),
		.write_backward = ring->backward,
		.use_clockid = options->use_clockid,
		.clockid = options->clockid,
	};
	int fd = perf_event_open(&attr, ring->pid, ring->cpu, -1, 0);

	if (fd < 0)
		return -errno;
	ring->fd = fd;
	return 0;
}

int perf_ring_open(struct perf_ring *ring, const struct perf_ring_options *options, struct err *err)
{
	size_t bytes = options->bytes;
	int code;

	ring->fd = -1;
	for (;; bytes /= 2) {
		code = open_carrier(ring, options, bytes);
		if (code)
			break;
		code = map_ring(ring, bytes);
		if (code != -EPERM && code != -ENOMEM)
			break;
		if (bytes / 2 < options->least_bytes)
			break;
		(void)close(take_fd(&ring->fd)); /* a smaller ring needs its own watermark */
	}
	if (!code)
		return 0;
	fd_close(&ring->fd);
	ring->fd = -1;
	(void)err_set(err, code, "ring buffer of %zu KiB for CPU %d: %s", bytes / 1024, ring->cpu,
		      strerror(-code));
	if (code == -EPERM)
		return err_hint(
			err,
			"sysctl kernel.perf_event_mlock_kb=%zu, or a smaller -m; see: cupel doctor",
			bytes / 1024 + (size_t)sysconf(_SC_PAGESIZE) / 1024);
	return code;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->page)
		(void)munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
	fd_close(&ring->fd);
	ring->page = NULL;
	ring->fd = -1;
}

/* The records from..to of a ring that may wrap between them. */
static struct record_span ring_span(const struct perf_ring *ring, uint64_t from, size_t len)
{
	size_t at = from & (ring->bytes - 1);
	size_t first = ring->bytes - at < len ? ring->bytes - at : len;

	return (struct record_span){
		.cpu = ring->cpu,
		.data = { ring->data + at, ring->data },
		.len = { first, len - first },
	};
}

int64_t perf_ring_drain(struct perf_ring *ring, struct sink *sink, struct err *err)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->tail;
	struct record_span span;
	int code;

	if (head == tail)
		return 0;
	if (head - tail > ring->bytes / CRAMPED_DIVISOR)
		ring->cramped = true;
	span = ring_span(ring, tail, (size_t)(head - tail));
	code = sink->records(sink, &span, err);
	if (code)
		return code;
	ring->tail = head;
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return (int64_t)(head - tail);
}

static uint16_t record_size_at(const struct perf_ring *ring, uint64_t at)
{
	/* Records are 8-byte aligned, so a header never wraps. */
	const struct perf_event_header *header =
		(const void *)(ring->data + (at & (ring->bytes - 1)));

	return header->size;
}

int64_t perf_ring_snapshot(struct perf_ring *ring, struct sink *sink, struct err *err)
{
	uint64_t head, at, end;
	struct record_span span;
	int code = 0;

	if (ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1))
		return err_errno(err, "pausing the ring of CPU %d", ring->cpu);
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	/* data_head counts down from 0. What lies before ring->tail was delivered by the snapshot
	 * before this one. */
	end = ring->tail - head > ring->bytes ? head + ring->bytes : ring->tail;
	for (at = head; at != end;) {
		uint16_t size = record_size_at(ring, at);

		if (size == 0 || size > end - at)
			break; /* the oldest one is overwritten in part */
		at += size;
	}
	if (at != head) {
		span = ring_span(ring, head, (size_t)(at - head));
		code = sink->records(sink, &span, err);
	}
	ring->tail = head;
	if (ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) && !code)
		code = err_errno(err, "resuming the ring of CPU %d", ring->cpu);
	return code ? code : (int64_t)(at - head);
}
