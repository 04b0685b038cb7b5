/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings swapped-out pages of a process's stack back into memory, which the kernel part cannot do
 * because it must not sleep. The stack that met them stays incomplete; later ones are complete. */
#ifndef SESSION_UNWIND_PAGE_RECALL_H
#define SESSION_UNWIND_PAGE_RECALL_H

#include <stdint.h>

struct page_recall {
	uint64_t last_ns; /* all 0 at first */
};

/* The pages from addr upwards, up to the first that is not mapped, 256 KiB at most. Does nothing
 * when it did so less than 2 ms ago, since it may wait for a disk. */
void page_recall(struct page_recall *recall, uint32_t pid, uint64_t addr);

#endif
