/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Publishing tables, address spaces and processes (see unwind_pool.h). Order of stores matters
 * wherever the kernel part may be looking: what is referred to first, the reference last. */
#include "source/bpf/unwind_pool.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "source/bpf/unwind_pool_memory.h"
#include "unwind/compact/compact.h"

/* Rounds of eviction that wait for memory to have rested. */
#define PATIENCE    20u
#define PATIENCE_NS 10000000

/* Ours of a binary. */
struct pool_table {
	VEC(struct pool_run) runs;
	bool loaded;
	uint32_t last_used; /* in calls of unwind_pool_age() */
};

struct unwind_pool {
	pthread_mutex_t lock;
	struct pool_memory memory;
	int processes_fd;
	struct unwind_binary *binaries; /* mapped */
	struct unwind_space *spaces;	/* mapped */
	struct map processes;		/* without a map in the kernel: process → space + 1 */
	uint32_t binary_count, space_count;
	struct pool_table *tables;   /* by binary */
	struct pool_run *space_runs; /* by space */
	VEC(uint32_t) free_spaces;
	uint32_t age, generation;
	struct unwind_pool_stats stats;
};

#define STORE(place, value) \
	atomic_store_explicit((_Atomic __typeof__(place) *)&(place), value, memory_order_release)

static size_t page_round(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

/* Without a map memory of this process, with pages as they are used. */
static void *map_array(int fd, size_t bytes, struct err *err)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *data = mmap(NULL, page_round(bytes), PROT_READ | PROT_WRITE, flags, fd, 0);

	if (data != MAP_FAILED) {
		memory_keep(data, page_round(bytes));
		return data;
	}
	(void)err_errno(err, "mapping of unwind tables");
	return NULL;
}

static void unmap_array(void *data, size_t bytes)
{
	if (data)
		(void)munmap(data, page_round(bytes)); /* nothing can be done */
}

int unwind_pool_open(const struct unwind_pool_maps *maps, uint64_t cap_bytes,
		     struct unwind_pool **ret, struct err *err)
{
	static const struct unwind_pool_maps none = { -1, -1, -1, -1, 0 };
	struct unwind_pool *pool = mem_zalloc(sizeof(*pool));

	maps = maps ? maps : &none;
	(void)pthread_mutex_init(&pool->lock, NULL); /* cannot fail with default attributes */
	pool_memory_init(&pool->memory, maps->shards, cap_bytes);
	if (maps->first_shard_plus_one)
		pool_memory_adopt(&pool->memory, maps->first_shard_plus_one - 1);
	pool->processes_fd = maps->processes;
	pool->tables = map_array(-1, UNWIND_BINARIES * sizeof(*pool->tables), err);
	pool->space_runs = map_array(-1, UNWIND_SPACES * sizeof(*pool->space_runs), err);
	pool->binaries = map_array(maps->binaries, UNWIND_BINARIES * sizeof(*pool->binaries), err);
	pool->spaces = map_array(maps->spaces, UNWIND_SPACES * sizeof(*pool->spaces), err);
	if (!pool->tables || !pool->space_runs || !pool->binaries || !pool->spaces) {
		unwind_pool_close(pool);
		return err->code;
	}
	*ret = pool;
	return 0;
}

void unwind_pool_close(struct unwind_pool *pool)
{
	if (!pool)
		return;
	for (uint32_t i = 0; i < pool->binary_count; i++)
		vec_done(&pool->tables[i].runs);
	unmap_array(pool->tables, UNWIND_BINARIES * sizeof(*pool->tables));
	unmap_array(pool->space_runs, UNWIND_SPACES * sizeof(*pool->space_runs));
	unmap_array(pool->binaries, UNWIND_BINARIES * sizeof(*pool->binaries));
	unmap_array(pool->spaces, UNWIND_SPACES * sizeof(*pool->spaces));
	pool_memory_done(&pool->memory);
	vec_done(&pool->free_spaces);
	map_done(&pool->processes);
	(void)pthread_mutex_destroy(&pool->lock);
	free(pool);
}

static void lock(struct unwind_pool *pool)
{
	(void)pthread_mutex_lock(&pool->lock); /* cannot fail: not recursive, never abandoned */
}

static void unlock(struct unwind_pool *pool)
{
	(void)pthread_mutex_unlock(&pool->lock);
}

void unwind_pool_stats(struct unwind_pool *pool, struct unwind_pool_stats *ret)
{
	lock(pool);
	*ret = pool->stats;
	ret->bytes = pool->memory.in_use * POOL_GRANULE;
	ret->reserved = (uint64_t)pool->memory.count << UNWIND_SHARD_SHIFT;
	unlock(pool);
}

int unwind_pool_add_binary(struct unwind_pool *pool, uint32_t *ret)
{
	int code = -ENOSPC;

	lock(pool);
	if (pool->binary_count < UNWIND_BINARIES) {
		*ret = pool->binary_count++;
		code = 0;
	}
	unlock(pool);
	return code;
}

/* Takes the table away from the kernel part. */
static void unload(struct unwind_pool *pool, uint32_t binary)
{
	struct unwind_binary *shared = &pool->binaries[binary];
	struct pool_table *table = &pool->tables[binary];

	STORE(shared->state, UNWIND_BINARY_ABSENT);
	STORE(shared->generation, shared->generation + 1);
	for (size_t i = 0; i < table->runs.count; i++)
		pool_memory_give(&pool->memory, table->runs.item[i]);
	table->runs.count = 0;
	if (table->loaded)
		pool->stats.binaries--;
	table->loaded = false;
}

/* Gives up the table that was not used for longest; false when all are in use. */
static bool evict(struct unwind_pool *pool, uint32_t except)
{
	uint32_t oldest = UINT32_MAX;

	for (uint32_t i = 0; i < pool->binary_count; i++) {
		const struct pool_table *table = &pool->tables[i];

		if (!table->loaded || i == except || pool->binaries[i].used ||
		    pool->age - table->last_used < 2)
			continue;
		if (oldest == UINT32_MAX || table->last_used < pool->tables[oldest].last_used)
			oldest = i;
	}
	if (oldest == UINT32_MAX)
		return false;
	unload(pool, oldest);
	pool->stats.evictions++;
	return true;
}

/* Memory for the binary; waits for what was given up to have rested. */
static int take(struct unwind_pool *pool, uint32_t binary, uint32_t most, uint32_t least,
		struct pool_run *ret)
{
	const struct timespec nap = { .tv_nsec = PATIENCE_NS };
	int code;

	for (unsigned round = 0; round < PATIENCE; round++) {
		code = pool_memory_take(&pool->memory, most, least, ret);
		if (code != -ENOSPC)
			break;
		if (!evict(pool, binary) && !pool_memory_rests(&pool->memory))
			break;
		unlock(pool);
		(void)nanosleep(&nap, NULL); /* cut short by a signal: the next round waits */
		lock(pool);
	}
	if (!code)
		vec_push(&pool->tables[binary].runs, *ret);
	return code;
}

/* Where a table's rows go: the rest of the run in use. */
struct placing {
	struct unwind_pool *pool;
	const struct compact *table;
	uint32_t binary;
	uint32_t at, left;   /* pool address and bytes */
	uint32_t rows_to_do; /* of the table */
};

/* Copies the rows of a page and has it refer to them. */
static int place_rows(struct placing *placing, struct unwind_page *page)
{
	uint32_t bytes = page->count * (uint32_t)sizeof(struct unwind_row);
	uint64_t rest = (uint64_t)placing->rows_to_do * sizeof(struct unwind_row);
	struct pool_run run;
	int code;

	if (!page->count)
		return 0;
	if (bytes > placing->left) {
		uint32_t most = rest > UNWIND_SHARD_BYTES ? POOL_SHARD_GRANULES
							  : pool_granules(rest);

		code = take(placing->pool, placing->binary, most, pool_granules(bytes), &run);
		if (code)
			return code;
		placing->at = run.addr;
		placing->left = run.granules * POOL_GRANULE;
	}
	memcpy(pool_at(&placing->pool->memory, placing->at), placing->table->row + page->first,
	       bytes);
	page->first = placing->at;
	placing->at += bytes;
	placing->left -= bytes;
	placing->rows_to_do -= page->count;
	return 0;
}

/* Pages, sub-pages and rules lie side by side at addr. */
static int place_pages(struct placing *placing, uint32_t addr)
{
	const struct compact *table = placing->table;
	struct unwind_page *page = pool_at(&placing->pool->memory, addr);
	struct unwind_page *sub = page + table->page_count;
	uint32_t sub_addr = addr + table->page_count * (uint32_t)sizeof(*page);
	int code = 0;

	memcpy(page, table->page, table->page_count * sizeof(*page));
	memcpy(sub, table->sub, table->sub_count * sizeof(*sub));
	memcpy(sub + table->sub_count, table->rule, table->rule_count * sizeof(struct unwind_rule));
	for (uint32_t i = 0; i < table->page_count && !code; i++) {
		uint32_t first = page[i].first;

		if (page[i].count != UNWIND_PAGE_SPLIT) {
			code = place_rows(placing, &page[i]);
			continue;
		}
		for (uint32_t k = 0; k < UNWIND_SUBPAGES && !code; k++)
			code = place_rows(placing, &sub[first + k]);
		page[i].first = sub_addr + first * (uint32_t)sizeof(*sub);
	}
	return code;
}

static void publish(struct unwind_pool *pool, uint32_t binary, const struct compact *table,
		    uint32_t addr)
{
	struct unwind_binary *shared = &pool->binaries[binary];
	uint32_t pages = table->page_count + table->sub_count;

	shared->first = table->first;
	shared->page_count = table->page_count;
	shared->pages = addr;
	shared->rules = addr + pages * (uint32_t)sizeof(struct unwind_page);
	shared->flags = table->flags & COMPACT_GO ? UNWIND_BINARY_GO : 0;
	STORE(shared->generation, shared->generation + 1);
	STORE(shared->state, UNWIND_BINARY_READY);
	STORE(shared->wanted, 0);
	pool->tables[binary].loaded = true;
	pool->tables[binary].last_used = pool->age;
	pool->stats.binaries++;
}

static int load(struct unwind_pool *pool, uint32_t binary, const struct compact *table)
{
	uint64_t head =
		(uint64_t)(table->page_count + table->sub_count) * sizeof(struct unwind_page) +
		(uint64_t)table->rule_count * sizeof(struct unwind_rule);
	uint64_t all = head + (uint64_t)table->row_count * sizeof(struct unwind_row);
	struct placing placing = {
		.pool = pool, .table = table, .binary = binary, .rows_to_do = table->row_count
	};
	struct pool_run run;
	int code;

	if (head > UNWIND_SHARD_BYTES ||
	    all > (uint64_t)pool->memory.limit * UNWIND_SHARD_BYTES / 2)
		return -E2BIG;
	code = take(pool, binary,
		    all > UNWIND_SHARD_BYTES ? pool_granules(head) : pool_granules(all),
		    pool_granules(head), &run);
	if (code)
		return code;
	placing.at = run.addr + (uint32_t)head;
	placing.left = run.granules * POOL_GRANULE - (uint32_t)head;
	code = place_pages(&placing, run.addr);
	if (!code)
		publish(pool, binary, table, run.addr);
	return code;
}

int unwind_pool_load(struct unwind_pool *pool, uint32_t binary, const struct compact *table)
{
	int code;

	lock(pool);
	unload(pool, binary);
	code = load(pool, binary, table);
	if (code) {
		unload(pool, binary);
		pool->stats.refused++;
	}
	unlock(pool);
	return code;
}

void unwind_pool_set_none(struct unwind_pool *pool, uint32_t binary)
{
	lock(pool);
	unload(pool, binary);
	STORE(pool->binaries[binary].state, UNWIND_BINARY_NONE);
	unlock(pool);
}

uint32_t unwind_pool_take_wanted(struct unwind_pool *pool, uint32_t binary)
{
	struct unwind_binary *shared = &pool->binaries[binary];

	uint32_t wanted = shared->wanted ? atomic_exchange((_Atomic uint32_t *)&shared->wanted, 0)
					 : 0;

	return shared->state == UNWIND_BINARY_ABSENT ? wanted : 0;
}

void unwind_pool_age(struct unwind_pool *pool)
{
	lock(pool);
	pool->age++;
	for (uint32_t i = 0; i < pool->binary_count; i++) {
		if (!pool->binaries[i].used)
			continue;
		pool->tables[i].last_used = pool->age;
		STORE(pool->binaries[i].used, 0);
	}
	unlock(pool);
}

/* Publishes ranges, then gives up what was there before. */
static int set_space(struct unwind_pool *pool, uint32_t space, const struct unwind_range *ranges,
		     size_t count)
{
	struct unwind_space *shared = &pool->spaces[space];
	struct pool_run old = pool->space_runs[space], run = { 0 };
	int code = 0;

	if (count > UNWIND_SPACE_RANGES)
		code = -ENOSPC;
	else if (count)
		code = pool_memory_take(&pool->memory, pool_granules(count * sizeof(*ranges)),
					pool_granules(count * sizeof(*ranges)), &run);
	if (!code && count)
		memcpy(pool_at(&pool->memory, run.addr), ranges, count * sizeof(*ranges));
	if (code)
		count = 0;
	STORE(shared->where, (uint64_t)count << 32 | run.addr);
	pool->generation = pool->generation == UINT32_MAX ? 1 : pool->generation + 1;
	STORE(shared->generation, pool->generation);
	pool->space_runs[space] = run;
	pool_memory_give(&pool->memory, old);
	return code;
}

/* The time comes last: ranges as old as that are in place. */
static int write_space(struct unwind_pool *pool, uint32_t space,
		       const struct unwind_pool_space *given)
{
	int code;

	STORE(pool->spaces[space].stack_top, given->stack_top);
	STORE(pool->spaces[space].flags, given->flags);
	code = set_space(pool, space, given->ranges, given->count);
	STORE(pool->spaces[space].as_of_ns, given->as_of_ns);
	return code;
}

int unwind_pool_set_space(struct unwind_pool *pool, uint32_t space,
			  const struct unwind_pool_space *given)
{
	int code;

	lock(pool);
	code = write_space(pool, space, given);
	if (code)
		pool->stats.lost_spaces++;
	unlock(pool);
	return code;
}

int unwind_pool_add_space(struct unwind_pool *pool, const struct unwind_pool_space *given,
			  uint32_t *ret)
{
	uint32_t space;
	int code = -ENOSPC;

	lock(pool);
	if (pool->free_spaces.count)
		space = pool->free_spaces.item[--pool->free_spaces.count];
	else if (pool->space_count < UNWIND_SPACES)
		space = pool->space_count++;
	else
		space = UNWIND_SPACES;
	if (space < UNWIND_SPACES) {
		STORE(pool->spaces[space].replaced_ns, 0); /* of its previous user */
		code = write_space(pool, space, given);
		if (code)
			vec_push(&pool->free_spaces, space);
	}
	if (code) {
		pool->stats.lost_spaces++;
	} else {
		pool->stats.spaces++;
		*ret = space;
	}
	unlock(pool);
	return code;
}

void unwind_pool_drop_space(struct unwind_pool *pool, uint32_t space)
{
	lock(pool);
	(void)set_space(pool, space, NULL, 0); /* needs no memory */
	vec_push(&pool->free_spaces, space);
	pool->stats.spaces--;
	unlock(pool);
}

int unwind_pool_set_process(struct unwind_pool *pool, uint32_t tgid, uint32_t space)
{
	const struct unwind_process process = { .space = space, .tgid = tgid };

	if (pool->processes_fd < 0) {
		lock(pool);
		map_set(&pool->processes, tgid, space + 1);
		unlock(pool);
		return 0;
	}
	return bpf_map_update_elem(pool->processes_fd, &tgid, &process, BPF_ANY) ? -errno : 0;
}

void unwind_pool_drop_process(struct unwind_pool *pool, uint32_t tgid)
{
	if (pool->processes_fd >= 0) {
		(void)bpf_map_delete_elem(pool->processes_fd, &tgid); /* gone is gone */
		return;
	}
	lock(pool);
	map_remove(&pool->processes, tgid);
	unlock(pool);
}

const uint8_t *unwind_pool_shard(const struct unwind_pool *pool, uint32_t shard)
{
	return shard < pool->memory.count ? pool->memory.shard[shard] : NULL;
}

struct unwind_binary *unwind_pool_binary(const struct unwind_pool *pool, uint32_t binary)
{
	return binary < UNWIND_BINARIES ? &pool->binaries[binary] : NULL;
}

const struct unwind_space *unwind_pool_space_of(const struct unwind_pool *pool, uint32_t tgid)
{
	uint64_t found;

	return map_get(&pool->processes, tgid, &found) && found ? &pool->spaces[found - 1] : NULL;
}
