/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading the CPU sampler's program (see bpf_cpu.h). Nothing is pinned: programs and maps are gone
 * with the last descriptor, however this process ends. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "bpf/cpu.h"
#include "bpf/cpu.skel.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf_error.h"
#include "source/unwind_pool_memory.h"

/* Raw stacks from one CPU. */
#define RAW_BYTES_PER_SECOND (64u << 20)
#define WAKEUP_DIVISOR	     4

static void configure(struct bpf_cpu *self)
{
	const struct bpf_cpu_settings *settings = &self->settings;
	struct cpu_bpf *program = self->program;

	program->rodata->seed = settings->seed;
	program->rodata->max_frames = settings->max_frames;
	program->rodata->with_kernel = settings->with_kernel;
	program->rodata->with_user = settings->with_user;
	program->rodata->many_events = settings->many_events;
	program->rodata->clock_boottime = settings->boottime;
	program->rodata->raw_bytes_per_second = RAW_BYTES_PER_SECOND;
	program->rodata->wakeup_bytes = (uint32_t)(settings->ring_bytes / WAKEUP_DIVISOR);
}

static int size_maps(struct bpf_cpu *self)
{
	struct cpu_bpf *program = self->program;
	struct bpf_map *const by_cpu[] = { program->maps.memories, program->maps.counts,
					   program->maps.caches, program->maps.rings };
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(by_cpu) / sizeof(by_cpu[0]); i++)
		code = bpf_map__set_max_entries(by_cpu[i], (uint32_t)self->cpus);
	return code;
}

static int load_program(struct bpf_cpu *self, struct err *err)
{
	int code = 0;

	bpf_be_quiet();
	self->program = cpu_bpf__open();
	if (!self->program) {
		code = -errno;
	} else {
		configure(self);
		code = size_maps(self);
	}
	if (!code)
		code = cpu_bpf__load(self->program);
	return code ? bpf_fail(err, code, "loading the BPF program") : 0;
}

static int open_ring(struct bpf_cpu *self, int cpu, struct err *err)
{
	struct bpf_cpu_ring *ring = &self->ring[cpu];
	int code;

	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "cupel_samples", 0, 0,
				  (uint32_t)self->settings.ring_bytes, NULL);
	if (ring->fd < 0)
		return bpf_fail(err, -errno, "ring buffer for BPF samples");
	if (!self->reader) {
		self->reader = ring_buffer__new(ring->fd, bpf_cpu_record, ring, NULL);
		code = self->reader ? 0 : -errno;
	} else {
		code = ring_buffer__add(self->reader, ring->fd, bpf_cpu_record, ring);
	}
	return code ? bpf_fail(err, code, "mapping a BPF ring buffer") : 0;
}

/* Puts the rings where the program looks for them. The kernel waits for all CPUs after each change
 * of such a map, some 10 ms, so they are put there together where it can do that (Linux 5.13). */
static int place_rings(struct bpf_cpu *self, struct err *err)
{
	int map = bpf_map__fd(self->program->maps.rings), code = 0;
	uint32_t *key = mem_alloc(self->cpus * sizeof(*key)), count = 0;
	int *fd = mem_alloc(self->cpus * sizeof(*fd));
	uint32_t placed;

	for (size_t i = 0; i < self->cpus; i++) {
		if (self->ring[i].fd < 0)
			continue;
		key[count] = (uint32_t)i;
		fd[count++] = self->ring[i].fd;
	}
	placed = count;
	if (bpf_map_update_batch(map, key, fd, &placed, NULL))
		for (uint32_t i = 0; !code && i < count; i++)
			code = bpf_map_update_elem(map, &key[i], &fd[i], BPF_ANY) ? -errno : 0;
	free(key);
	free(fd);
	return code ? bpf_fail(err, code, "ring buffer for BPF samples") : 0;
}

/* The pool's first shard, put into its place on another thread: the wait is the same one. */
struct first_shard {
	pthread_t thread;
	bool has_thread;
	int map, fd;
};

static void *place_shard(void *context)
{
	struct first_shard *first = context;
	uint32_t zero = 0;

	if (bpf_map_update_elem(first->map, &zero, &first->fd, BPF_ANY)) {
		(void)close(first->fd); /* nothing was written to it */
		first->fd = -1;
	}
	return NULL;
}

static void begin_first_shard(struct bpf_cpu *self, struct first_shard *ret)
{
	*ret = (struct first_shard){ .map = bpf_map__fd(self->program->maps.unwind_shards),
				     .fd = pool_memory_new_shard() };
	if (ret->fd >= 0)
		ret->has_thread = pthread_create(&ret->thread, NULL, place_shard, ret) == 0;
}

static void end_first_shard(struct bpf_cpu *self, struct first_shard *first)
{
	if (first->has_thread)
		(void)pthread_join(first->thread, NULL); /* it was made and never joined */
	else if (first->fd >= 0)
		(void)place_shard(first);
	self->first_shard_fd = first->fd;
	self->tables.first_shard_plus_one = first->fd + 1;
}

static void show_tables(struct bpf_cpu *self)
{
	self->tables = (struct unwind_pool_maps){
		.shards = bpf_map__fd(self->program->maps.unwind_shards),
		.binaries = bpf_map__fd(self->program->maps.unwind_binaries),
		.spaces = bpf_map__fd(self->program->maps.unwind_spaces),
		.processes = bpf_map__fd(self->program->maps.unwind_processes),
	};
}

int bpf_cpu_load(struct bpf_cpu *self, const int *cpu, size_t count, struct err *err)
{
	int possible = libbpf_num_possible_cpus(), code;
	struct first_shard first;

	self->first_shard_fd = -1;
	if (possible < 0)
		return bpf_fail(err, possible, "counting CPUs");
	self->cpus = (size_t)possible;
	self->ring = mem_zalloc(self->cpus * sizeof(*self->ring));
	for (int i = 0; i < possible; i++)
		self->ring[i] = (struct bpf_cpu_ring){ .owner = self, .cpu = i, .fd = -1 };
	code = load_program(self, err);
	if (code)
		return code;
	show_tables(self);
	begin_first_shard(self, &first);
	for (size_t i = 0; !code && i < count; i++)
		if (cpu[i] < possible)
			code = open_ring(self, cpu[i], err);
	for (int i = 0; !code && !count && i < possible; i++)
		code = open_ring(self, i, err);
	if (!code)
		code = place_rings(self, err);
	end_first_shard(self, &first);
	return code;
}

void bpf_cpu_unload(struct bpf_cpu *self)
{
	ring_buffer__free(self->reader);
	for (size_t i = 0; i < self->cpus; i++)
		if (self->ring[i].fd >= 0)
			(void)close(self->ring[i].fd); /* nothing is left to lose */
	free(self->ring);
	if (self->first_shard_fd >= 0)
		(void)close(self->first_shard_fd); /* the map of shards holds it */
	cpu_bpf__destroy(self->program);
}
