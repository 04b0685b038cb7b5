/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The executable mappings of a live process as mmap events, for helper programs that unwind
 * processes instead of recordings. */
#ifndef TEST_LIVE_MAPS_H
#define TEST_LIVE_MAPS_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "proc/proc.h"

/* text: the contents of /proc/PID/maps; it is modified. */
static inline void live_maps_apply(struct proc_table *procs, uint32_t pid, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct event event = {
			.type = EVENT_MMAP, .misc = PERF_RECORD_MISC_USER, .pid = pid, .tid = pid
		};
		struct event_mmap *mmap = &event.mmap;
		uint64_t end;
		char prot[8];
		int name = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
			   &mmap->start, &end, prot, &mmap->pgoff, &mmap->maj, &mmap->min,
			   &mmap->ino, &name) < 7 ||
		    prot[2] != 'x')
			continue;
		mmap->len = end - mmap->start;
		mmap->prot = PROT_READ | PROT_EXEC;
		mmap->path = line[name] ? line + name : "//anon";
		proc_table_apply(procs, &event);
	}
}

#endif
