/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of the unwind tables in BPF maps (bpf/walk/unwind_tables.h): the kernel part
 * sees published tables at once. Tables and ranges are plain stores to mapped memory; only
 * assigning another address space to a process costs a system call. All functions are
 * thread-safe. */
#ifndef SOURCE_UNWIND_POOL_H
#define SOURCE_UNWIND_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/walk/unwind_tables.h"

struct compact;
struct err;
struct unwind_pool;

/* Descriptors of the maps in bpf/walk/unwind_maps.bpf.h, open for as long as the pool. */
struct unwind_pool_maps {
	int shards, binaries, spaces, processes;
	int first_shard_plus_one; /* in its place already; stays the caller's. 0 = none is */
};

struct unwind_pool_stats {
	uint64_t bytes;		      /* of tables and ranges in use */
	uint64_t reserved;	      /* of shards */
	uint32_t binaries;	      /* with a table in the pool */
	uint32_t evictions;	      /* tables given up for others */
	uint32_t refused;	      /* tables that found no place */
	uint32_t spaces, lost_spaces; /* in use; that found no place */
};

/* Description of an address space: see struct unwind_space. */
struct unwind_pool_space {
	const struct unwind_range *ranges; /* sorted */
	size_t count;
	uint64_t stack_top, as_of_ns;
	uint32_t flags;
};

/* maps NULL: memory of our own instead, to search in user space. cap_bytes is rounded to MiB, at
 * least 1. */
int unwind_pool_open(const struct unwind_pool_maps *maps, uint64_t cap_bytes,
		     struct unwind_pool **ret, struct err *err);
void unwind_pool_close(struct unwind_pool *pool); /* NULL is fine */
void unwind_pool_stats(struct unwind_pool *pool, struct unwind_pool_stats *ret);

/* A binary that may get a table. -ENOSPC when there are UNWIND_BINARIES already. */
int unwind_pool_add_binary(struct unwind_pool *pool, uint32_t *ret);
/* Its table, copied. Tables that were not used for longest make room: -ENOSPC when that is not
 * enough, -E2BIG when nothing would be. */
int unwind_pool_load(struct unwind_pool *pool, uint32_t binary, const struct compact *table);
/* It has no table, and never will have. */
void unwind_pool_set_none(struct unwind_pool *pool, uint32_t binary);
/* How often the kernel part missed its table since the last call; 0 when it has one. */
uint32_t unwind_pool_take_wanted(struct unwind_pool *pool, uint32_t binary);
/* Records which tables were used since the last call. Call it about once per second. */
void unwind_pool_age(struct unwind_pool *pool);

/* Copies an address space into the pool. Returns -ENOSPC if it is full. */
int unwind_pool_add_space(struct unwind_pool *pool, const struct unwind_pool_space *given,
			  uint32_t *ret);
/* Other ranges for a space; on failure it has none. */
int unwind_pool_set_space(struct unwind_pool *pool, uint32_t space,
			  const struct unwind_pool_space *given);
/* No process may refer to it any more. */
void unwind_pool_drop_space(struct unwind_pool *pool, uint32_t space);
int unwind_pool_set_process(struct unwind_pool *pool, uint32_t tgid, uint32_t space);
void unwind_pool_drop_process(struct unwind_pool *pool, uint32_t tgid);

/* The published memory, as the kernel part sees it: for searching in user space. NULL = none. */
const uint8_t *unwind_pool_shard(const struct unwind_pool *pool, uint32_t shard);
struct unwind_binary *unwind_pool_binary(const struct unwind_pool *pool, uint32_t binary);
/* Of a process; only without maps in the kernel. */
const struct unwind_space *unwind_pool_space_of(const struct unwind_pool *pool, uint32_t tgid);

#endif
