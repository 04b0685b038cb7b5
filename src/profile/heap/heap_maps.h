/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Anonymous memory that programs map and give back (mmap, munmap, mremap, mprotect, brk), as blocks
 * of heap.h. A block is a range that became writable by one call, or the part of it that ends at
 * one moment. Address space is counted, whether touched or not; memory of files is not. */
#ifndef PROFILE_HEAP_MAPS_H
#define PROFILE_HEAP_MAPS_H

#include <stdint.h>

struct heap_summary;
struct profile;

struct heap_maps_input {
	uint32_t pid; /* of a process that was running before; 0 = none */
	uint64_t brk; /* of it, then; 0 = unknown */
	uint64_t page_bytes;
};

/* The profile has PROFILE_KEEP_TIME and PROFILE_ADDR_IS_VALUES, of samples as heap_maps_watch.c
 * asks for them. Its samples become those of heap_sum_up(), with whole stacks. */
void heap_maps_sum_up(struct profile *profile, const struct heap_maps_input *input,
		      struct heap_summary *ret);

/* Of samples, by event, in profile->values. */
enum heap_maps_value {
	HEAP_MAPS_START = 0, /* of the entries of system calls; the break of brk */
	HEAP_MAPS_LEN,
	HEAP_MAPS_PROT,			    /* of mmap and mprotect */
	HEAP_MAPS_FLAGS,		    /* of mmap */
	HEAP_MAPS_NEW_LEN = HEAP_MAPS_PROT, /* of mremap */
	HEAP_MAPS_RESULT = 0,		    /* of the exits */
};

#endif
