/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress of long work on stderr, only when that is a terminal and only after half a second, so
 * that short work stays silent. Not thread-safe: one at a time, from one thread. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdint.h>

struct progress {
	const char *what; /* "reading perf.data"; NULL = off */
	uint64_t total;	  /* 0 = unknown */
	uint64_t shown_ns;
};

void progress_start(struct progress *progress, const char *what, uint64_t total);
void progress_update(struct progress *progress, uint64_t done);
void progress_finish(struct progress *progress); /* wipes the line */

#endif
