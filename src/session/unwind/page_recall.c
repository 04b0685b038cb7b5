/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a process's memory faults its pages in, as it would itself (see page_recall.h). */
#include "session/unwind/page_recall.h"

#include <stddef.h>
#include <sys/uio.h>
#include <time.h>

#define PAGES	 64u
#define PAGE	 4096u
#define PAUSE_NS 2000000u

void page_recall(struct page_recall *recall, uint32_t pid, uint64_t addr)
{
	struct iovec remote[PAGES], local;
	char byte[PAGES];
	struct timespec now;
	uint64_t now_ns;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (now_ns - recall->last_ns < PAUSE_NS)
		return;
	recall->last_ns = now_ns;
	for (size_t i = 0; i < PAGES; i++)
		remote[i] = (struct iovec){ (void *)(uintptr_t)(addr + i * PAGE), 1 };
	local = (struct iovec){ byte, sizeof(byte) };
	/* What cannot be read ends it; the process may be gone, or not for us to read. */
	(void)process_vm_readv((pid_t)pid, &local, 1, remote, PAGES, 0);
}
