/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of the unwind pool: shards made on demand, granules handed out in runs, and runs given
 * back that rest for a while, because the kernel part may be reading them. Not locked. */
#ifndef SOURCE_UNWIND_POOL_MEMORY_H
#define SOURCE_UNWIND_POOL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "bpf/walk/unwind_tables.h"

#define POOL_GRANULE	    4096u
#define POOL_SHARD_GRANULES (UNWIND_SHARD_BYTES / POOL_GRANULE)

/* Granules side by side in one shard. */
struct pool_run {
	uint32_t addr; /* pool address */
	uint32_t granules;
};

struct pool_retired {
	struct pool_run run;
	uint64_t time_ns;
};

struct pool_memory {
	int shards_fd; /* the map of maps; -1 = memory of our own */
	uint32_t limit;
	uint32_t count;
	uint8_t *shard[UNWIND_SHARDS];
	uint8_t used[UNWIND_SHARDS][POOL_SHARD_GRANULES]; /* 1 = handed out or resting */
	uint32_t free[UNWIND_SHARDS];
	uint64_t in_use; /* granules handed out */
	VEC(struct pool_retired) retired;
};

static inline uint32_t pool_granules(uint64_t bytes)
{
	return (uint32_t)((bytes + POOL_GRANULE - 1) / POOL_GRANULE);
}

static inline void *pool_at(const struct pool_memory *memory, uint32_t addr)
{
	return memory->shard[addr >> UNWIND_SHARD_SHIFT] + (addr & (UNWIND_SHARD_BYTES - 1));
}

void pool_memory_init(struct pool_memory *memory, int shards_fd, uint64_t cap_bytes);
/* Uses a first shard that is in place already; when it cannot be mapped, another takes its place.
 */
void pool_memory_adopt(struct pool_memory *memory, int fd);
/* A map that can be a shard. Returns its descriptor or -errno. */
int pool_memory_new_shard(void);
void pool_memory_done(struct pool_memory *memory);
/* The longest run of at most `most` and at least `least` granules, both up to a shard's. Returns
 * -ENOSPC if there is none below the cap; resting memory may become one soon. */
int pool_memory_take(struct pool_memory *memory, uint32_t most, uint32_t least,
		     struct pool_run *ret);
void pool_memory_give(struct pool_memory *memory, struct pool_run run);
/* Whether granules rest that the next pool_memory_take() may have. */
bool pool_memory_rests(const struct pool_memory *memory);

#endif
