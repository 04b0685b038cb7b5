/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks in blocks of the heap, named by who allocated the block. */
#ifndef PROFILE_LOCK_LOCK_BLOCKS_H
#define PROFILE_LOCK_LOCK_BLOCKS_H

struct lock_table;
struct profile;

/* Names the rows of programs that have no name yet: "block of 64 bytes from make_queue()", with the
 * offset of the lock in it. The profile has PROFILE_KEEP_TIME, PROFILE_ADDR_IS_VALUES and samples
 * of heap-alloc and heap-free, of every block. A block counts if it was live from before the first
 * wait for the lock to after the last. */
void lock_blocks_name(struct lock_table *table, struct profile *profile);

#endif
