/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shards and granules (see unwind_pool_memory.h). A shard is never deleted nor replaced: kernels
 * have had bugs there, and readers in NMI context hold no reference. */
#include "source/bpf/unwind_pool_memory.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

/* A program of the kernel part runs for microseconds, but its CPU may be a virtual one that is not
 * scheduled for a while. */
#define REST_NS 50000000u

void pool_memory_init(struct pool_memory *memory, int shards_fd, uint64_t cap_bytes)
{
	uint64_t limit = cap_bytes >> UNWIND_SHARD_SHIFT;

	*memory = (struct pool_memory){ .shards_fd = shards_fd };
	memory->limit = (uint32_t)(limit > UNWIND_SHARDS ? UNWIND_SHARDS : limit ? limit : 1);
}

void pool_memory_done(struct pool_memory *memory)
{
	for (uint32_t i = 0; i < memory->count; i++)
		(void)munmap(memory->shard[i], UNWIND_SHARD_BYTES); /* nothing can be done */
	vec_done(&memory->retired);
}

static void *map_shard(int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

	void *data = mmap(NULL, UNWIND_SHARD_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (data != MAP_FAILED)
		memory_keep(data, UNWIND_SHARD_BYTES);
	return data;
}

int pool_memory_new_shard(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_shard", sizeof(uint32_t),
			      UNWIND_SHARD_BYTES, 1, &options);
}

static void use_shard(struct pool_memory *memory, void *data)
{
	memory->shard[memory->count] = data;
	memory->free[memory->count] = POOL_SHARD_GRANULES;
	memory->count++;
}

void pool_memory_adopt(struct pool_memory *memory, int fd)
{
	void *data = map_shard(fd);

	if (data != MAP_FAILED)
		use_shard(memory, data);
}

static int add_shard(struct pool_memory *memory)
{
	uint32_t index = memory->count;
	void *data;
	int fd = -1, code = 0;

	if (index == memory->limit)
		return -ENOSPC;
	if (memory->shards_fd >= 0) {
		fd = pool_memory_new_shard();
		if (fd < 0)
			return fd;
	}
	data = map_shard(fd);
	if (data == MAP_FAILED)
		code = -errno;
	else if (fd >= 0 && bpf_map_update_elem(memory->shards_fd, &index, &fd, BPF_ANY))
		code = -errno;
	if (fd >= 0)
		(void)close(fd); /* the outer map and the mapping hold it */
	if (code) {
		if (data != MAP_FAILED)
			(void)munmap(data, UNWIND_SHARD_BYTES);
		return code;
	}
	use_shard(memory, data);
	return 0;
}

static void set_used(struct pool_memory *memory, struct pool_run run, bool used)
{
	uint32_t shard = run.addr >> UNWIND_SHARD_SHIFT;
	uint32_t first = (run.addr & (UNWIND_SHARD_BYTES - 1)) / POOL_GRANULE;

	memset(&memory->used[shard][first], used, run.granules);
	if (used)
		memory->free[shard] -= run.granules;
	else
		memory->free[shard] += run.granules;
}

static void wake_rested(struct pool_memory *memory)
{
	uint64_t now = memory->retired.count ? clock_ns(CLOCK_MONOTONIC) : 0;
	size_t kept = 0;

	for (size_t i = 0; i < memory->retired.count; i++) {
		struct pool_retired retired = memory->retired.item[i];

		if (now - retired.time_ns >= REST_NS)
			set_used(memory, retired.run, false);
		else
			memory->retired.item[kept++] = retired;
	}
	memory->retired.count = kept;
}

/* The first run of `most` granules in the shard, else its longest. */
static struct pool_run longest_run(const struct pool_memory *memory, uint32_t shard, uint32_t most)
{
	struct pool_run best = { 0 };
	uint32_t len = 0;

	for (uint32_t i = 0; i < POOL_SHARD_GRANULES && best.granules < most; i++) {
		len = memory->used[shard][i] ? 0 : len + 1;
		if (len > best.granules)
			best = (struct pool_run){
				shard << UNWIND_SHARD_SHIFT | (i + 1 - len) * POOL_GRANULE, len
			};
	}
	return best;
}

int pool_memory_take(struct pool_memory *memory, uint32_t most, uint32_t least,
		     struct pool_run *ret)
{
	struct pool_run best = { 0 };
	int code;

	wake_rested(memory);
	for (uint32_t shard = 0; shard < memory->count && best.granules < most; shard++) {
		struct pool_run run;

		if (memory->free[shard] < least || memory->free[shard] <= best.granules)
			continue;
		run = longest_run(memory, shard, most);
		if (run.granules > best.granules)
			best = run;
	}
	if (best.granules < most) {
		code = add_shard(memory);
		if (!code)
			best = (struct pool_run){ (memory->count - 1) << UNWIND_SHARD_SHIFT, most };
		else if (best.granules < least)
			return code;
	}
	set_used(memory, best, true);
	memory->in_use += best.granules;
	*ret = best;
	return 0;
}

void pool_memory_give(struct pool_memory *memory, struct pool_run run)
{
	if (!run.granules)
		return;
	memory->in_use -= run.granules;
	vec_push(&memory->retired, ((struct pool_retired){ run, clock_ns(CLOCK_MONOTONIC) }));
}

bool pool_memory_rests(const struct pool_memory *memory)
{
	return memory->retired.count > 0;
}
