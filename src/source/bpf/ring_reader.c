/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF ring buffers (see ring_reader.h). A ring's first page holds the position of the reader, the
 * second that of the writer, then its data follows twice, so that no record wraps. Layout and
 * order of accesses: Documentation/bpf/ringbuf.rst of the kernel. */
#include "source/bpf/ring_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "source/bpf/bpf_error.h"

#define HEADER_BYTES 8u

struct ring_reader {
	ring_record_fn record;
	int epoll_fd;
	VEC(struct ring_view) ring;
};

struct ring_reader *ring_reader_new(ring_record_fn record)
{
	struct ring_reader *reader = mem_zalloc(sizeof(*reader));

	reader->record = record;
	reader->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return reader;
}

static void unmap(const struct ring_view *ring, size_t page)
{
	if (ring->consumer)
		(void)munmap(ring->consumer, page);
	if (ring->producer)
		(void)munmap(ring->producer, page + 2 * ring->bytes);
}

void ring_reader_free(struct ring_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->ring.count; i++)
		unmap(&reader->ring.item[i], (size_t)sysconf(_SC_PAGESIZE));
	vec_done(&reader->ring);
	fd_close(&reader->epoll_fd);
	free(reader);
}

static int map_ring(struct ring_view *ring, int fd, size_t page, struct err *err)
{
	void *place = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (place == MAP_FAILED)
		return err_errno(err, "mapping a BPF ring buffer");
	memory_keep(place, page);
	ring->consumer = place;
	place = mmap(NULL, page + 2 * ring->bytes, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (place == MAP_FAILED)
		return err_errno(err, "mapping a BPF ring buffer");
	memory_keep(place, page + 2 * ring->bytes);
	ring->producer = place;
	ring->data = (uint8_t *)place + page;
	return 0;
}

int ring_reader_add(struct ring_reader *reader, int fd, void *context, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ring_view ring = { .context = context };
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int code = bpf_obj_get_info_by_fd(fd, &info, &len);

	if (code)
		return bpf_fail(err, -errno, "size of a BPF ring buffer");
	ring.bytes = info.max_entries;
	code = map_ring(&ring, fd, page, err);
	if (!code && epoll_ctl(reader->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		code = err_errno(err, "epoll");
	if (code)
		unmap(&ring, page);
	else
		vec_push(&reader->ring, ring);
	return code;
}

int ring_reader_fd(const struct ring_reader *reader)
{
	return reader->epoll_fd;
}

size_t ring_view_drain(const struct ring_view *ring, ring_record_fn record)
{
	unsigned long end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	unsigned long at = *ring->consumer; /* no other writer */
	size_t count = 0;

	while (at < end) {
		uint8_t *header = ring->data + (at & (ring->bytes - 1));
		uint32_t word = __atomic_load_n((uint32_t *)(void *)header, __ATOMIC_ACQUIRE);
		uint32_t len = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (word & BPF_RINGBUF_BUSY_BIT)
			break; /* being written */
		if (!(word & BPF_RINGBUF_DISCARD_BIT)) {
			record(ring->context, header + HEADER_BYTES, len);
			count++;
		}
		at += (len + HEADER_BYTES + 7) & ~7ul;
		__atomic_store_n(ring->consumer, at, __ATOMIC_RELEASE);
	}
	return count;
}

size_t ring_reader_drain(struct ring_reader *reader)
{
	size_t count = 0;

	for (size_t i = 0; i < reader->ring.count; i++)
		count += ring_view_drain(&reader->ring.item[i], reader->record);
	return count;
}
