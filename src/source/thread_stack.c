/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of sleeping threads (see thread_stack.h). */
#include "source/thread_stack.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"

#define PAGE 4096u

/* The position of a thread, from the kernel: the same before and after means that it has not moved
 * in between, or is back. */
static bool read_place(uint32_t pid, uint32_t tid, char place[128])
{
	char path[64];
	ssize_t len;
	AUTO_CLOSE int fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memset(place, 0, 128);
	len = fd < 0 ? -1 : read(fd, place, 127);
	return len > 0 && place[0] != 'r'; /* running */
}

/* Page by page, so that what is there is read up to the first page that is not. */
static size_t read_pages(uint32_t pid, uint64_t sp, uint64_t top, uint8_t *ret)
{
	size_t want = top > sp && top - sp < THREAD_STACK_MOST ? (size_t)(top - sp)
							       : THREAD_STACK_MOST,
	       done = 0;

	while (done < want) {
		size_t len = PAGE - (size_t)((sp + done) & (PAGE - 1));
		struct iovec from = { (void *)(uintptr_t)(sp + done), len },
			     to = { ret + done, len };

		if (len > want - done)
			from.iov_len = to.iov_len = len = want - done;
		if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) != (ssize_t)len)
			break;
		done += len;
	}
	return done;
}

size_t thread_stack_read(uint32_t pid, uint32_t tid, uint64_t sp, uint64_t top, uint8_t *ret)
{
	char before[128], after[128];
	size_t got;

	if (!read_place(pid, tid, before))
		return 0;
	got = read_pages(pid, sp, top, ret);
	return read_place(pid, tid, after) && memcmp(before, after, sizeof(before)) == 0 ? got : 0;
}
