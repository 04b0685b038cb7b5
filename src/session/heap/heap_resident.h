/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resident memory of a process while it is watched: for what the kernel has for it at the peak of
 * its heap. Reads /proc/PID/status every 20 ms, and less often in runs of more than 20 minutes. */
#ifndef SESSION_HEAP_RESIDENT_H
#define SESSION_HEAP_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/heap/heap.h"
#include "session/run.h"

struct err;

struct heap_resident {
	int pid;	     /* 0 = the program of the run */
	uint64_t skip, turn; /* of the timer's turns, but every skip + 1st */
	struct run_timer timer;
	VEC(struct heap_memory) item;
};

/* For recording_options.attend, with the object as its context. */
int heap_resident_attend(void *context, struct run *run, struct err *err);
/* The one closest to the peak. False: the peak is of another process, or nothing was read. */
bool heap_resident_at_peak(const struct heap_resident *resident, const struct heap_summary *summary,
			   struct heap_memory *ret);
void heap_resident_done(struct heap_resident *resident);

/* Of the text of /proc/PID/status; false if it is of no process with memory. */
bool heap_memory_parse(const char *status, struct heap_memory *ret);

#endif
