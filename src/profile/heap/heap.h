/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples of heap-alloc and heap-free say about memory: how much was allocated, what was live
 * at the end and when most was. Each sampled block stands for weight / size blocks of its size;
 * blocks are followed by process and address, up to the process's next program. The intervals are
 * of the sampling alone: if every block is sampled they are points. */
#ifndef PROFILE_HEAP_HEAP_H
#define PROFILE_HEAP_HEAP_H

#include <stdint.h>

#include "profile/heap/heap_grown.h"
#include "profile/heap/heap_life.h"

struct profile;

#define HEAP_COUNT_EVENT      "heap-count"
#define HEAP_LIVE_EVENT	      "heap-live"
#define HEAP_PEAK_EVENT	      "heap-peak"
#define HEAP_LIVE_COUNT_EVENT "heap-live-count"
#define HEAP_LEAKED_EVENT     "heap-leaked"
#define HEAP_TEMPORARY_EVENT  "heap-temporary"

/* Resident memory of a process at a moment, as the kernel counts it. */
struct heap_memory {
	uint64_t anonymous, file, shared, swapped; /* bytes */
	uint64_t time_ns;
	int64_t after_peak_ns; /* of the heap */
};

/* Processes of a cgroup that the kernel killed for lack of memory. */
struct heap_oom_kill {
	const char *cgroup; /* its folder */
	uint64_t kills;
	uint64_t limit, most; /* bytes; 0 = unknown; most: that were ever used */
	uint32_t spared; /* the watched process, which is not one of them; 0 = it is, or ended */
};

struct heap_summary {
	uint64_t rate; /* bytes from sample to sample on average; 0: exact */
	struct heap_estimate allocated, live, peak; /* bytes */
	struct heap_estimate allocations;
	uint64_t samples;    /* sampled blocks */
	uint64_t processes;  /* that have any; one that becomes another program is two */
	uint32_t peak_pid;   /* the peak is of the process that has the highest */
	uint64_t peak_ns;    /* when, from the first sample on; UINT64_MAX: not known */
	uint64_t unfollowed; /* sampled blocks with an end that is not seen; not in live and peak */
	struct heap_lives lives; /* of those that are followed */
	struct heap_grown_rows grown;
};

/* Frees what is in it. */
void heap_summary_done(struct heap_summary *summary);

/* The same of a profile that has the events, but no blocks: another tool counted them. */
void heap_take_sums(const struct profile *profile, struct heap_summary *ret);
/* Sums up a profile with PROFILE_KEEP_TIME, PROFILE_ADDR_IS_BLOCK and samples that have a time.
 * Adds the events HEAP_COUNT_EVENT, HEAP_LIVE_EVENT, HEAP_LIVE_COUNT_EVENT, HEAP_PEAK_EVENT,
 * HEAP_LEAKED_EVENT (held by stacks that surely grow) and HEAP_TEMPORARY_EVENT (freed within 1 ms),
 * removes the samples of heap-free, and from stacks the frames of the library that picks the
 * blocks, which are at the leaf. rate: see struct heap_summary. */
void heap_sum_up(struct profile *profile, uint64_t rate, struct heap_summary *ret);
/* The same of blocks that are not from our library: stacks stay as they are. */
void heap_sum_up_whole(struct profile *profile, uint64_t rate, struct heap_summary *ret);

#endif
