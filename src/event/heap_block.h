/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampled blocks of memory: what the preloaded library (heap/preload.c) tells to the place that is
 * watched, and what samples of heap-alloc and heap-free carry. */
#ifndef EVENT_HEAP_BLOCK_H
#define EVENT_HEAP_BLOCK_H

#include <linux/types.h>

/* Payload of a sample of heap-alloc or heap-free. The address is 0 if the block's end will not be
 * seen, because too many blocks are followed. Sizes of freed blocks are not known. */
struct heap_block {
	__u64 address, size;
};

/* Instead of a size: the block that was freed last is still there, because realloc() failed. */
#define HEAP_KEPT (~(__u64)0)

/* Of a sample of heap-free without an address: a program began, and blocks that the process had
 * before are gone. */
#define HEAP_BEGUN (~(__u64)0 - 1)

/* Likewise, after a sample of heap-alloc of the same thread: that block is one that realloc() made
 * larger or smaller. The address is the bytes that the block had room for before, and
 * HEAP_GROWN_MOVED. */
#define HEAP_GROWN	 (~(__u64)0 - 2)
#define HEAP_GROWN_MOVED ((__u64)1 << 63) /* it is at another address now */

/* A program begins: at its first allocation, and when all its libraries are there. */
#define HEAP_START_BEGIN 0
#define HEAP_START_FOUND 1
#define HEAP_START_GROWN 2 /* see HEAP_GROWN */

/* What the library found then. */
#define HEAP_START_OWN_MALLOC 1 /* the program's malloc is not the library's */

#endif
