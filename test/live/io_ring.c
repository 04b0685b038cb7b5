/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known requests of io_uring, by system calls alone: READS reads of 4096 bytes of FILE one by one,
 * ASYNC of which a worker thread makes, and a read of a pipe into which a thread writes after a
 * tenth of a second. Exits with 77 where there is no io_uring. */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES 4u
#define READS	20
#define ASYNC	5

static struct io_uring_params ring;
static struct io_uring_sqe *entries;
static char *queue, *done;
static int ring_fd, pipe_fd[2];

static int set_up(void)
{
	ring_fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring);
	if (ring_fd < 0)
		return 77;
	queue = mmap(NULL, ring.sq_off.array + ENTRIES * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		     MAP_SHARED, ring_fd, IORING_OFF_SQ_RING);
	done = mmap(NULL, ring.cq_off.cqes + ring.cq_entries * sizeof(struct io_uring_cqe),
		    PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, IORING_OFF_CQ_RING);
	entries = mmap(NULL, ENTRIES * sizeof(*entries), PROT_READ | PROT_WRITE, MAP_SHARED,
		       ring_fd, IORING_OFF_SQES);
	return queue == MAP_FAILED || done == MAP_FAILED || entries == MAP_FAILED;
}

/* Returns the result of the request. */
static int request(int fd, uint64_t offset, unsigned char flags)
{
	static char page[4096];
	uint32_t *tail = (uint32_t *)(queue + ring.sq_off.tail), at = *tail & (ENTRIES - 1);
	uint32_t *head = (uint32_t *)(done + ring.cq_off.head), seen = *head;
	struct io_uring_cqe *cqes = (struct io_uring_cqe *)(done + ring.cq_off.cqes);

	memset(&entries[at], 0, sizeof(entries[at]));
	entries[at].opcode = IORING_OP_READ;
	entries[at].flags = flags;
	entries[at].fd = fd;
	entries[at].off = offset;
	entries[at].addr = (uintptr_t)page;
	entries[at].len = sizeof(page);
	((uint32_t *)(queue + ring.sq_off.array))[at] = at;
	__atomic_add_fetch(tail, 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring_fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		abort();
	__atomic_store_n(head, seen + 1, __ATOMIC_RELEASE);
	return cqes[seen & (ring.cq_entries - 1)].res;
}

static void *write_late(void *unused)
{
	usleep(100000);
	return write(pipe_fd[1], "x", 1) == 1 ? unused : NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1, code = set_up();
	pthread_t thread;

	if (code)
		return code;
	for (int i = 0; i < READS; i++)
		if (request(fd, 4096 * (uint64_t)i, i < ASYNC ? IOSQE_ASYNC : 0) != 4096)
			return 1;
	if (pipe(pipe_fd) || pthread_create(&thread, NULL, write_late, NULL))
		return 1;
	return request(pipe_fd[0], 0, 0) != 1;
}
