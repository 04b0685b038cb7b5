/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading the CPU sampler's program (see bpf_cpu.h). Nothing is pinned: programs and maps are gone
 * with the last descriptor, however this process ends. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/thread.h"
#include "bpf/cpu.h"
#include "bpf/cpu.skel.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_types.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/unwind_pool_memory.h"

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
	program->rodata->with_payload = settings->with_addr || settings->with_registers;
	program->rodata->payload_is_registers = settings->with_registers;
	program->rodata->payload_has_fault = settings->with_faults;
	program->rodata->many_events = settings->many_events;
	program->rodata->clock_boottime = settings->boottime;
	program->rodata->raw_bytes_per_second = RAW_BYTES_PER_SECOND;
	program->rodata->program = settings->program;
	program->rodata->tick_ns = settings->tick_ns;
	program->rodata->any_counted = settings->counted > 0;
	program->rodata->wakeup_bytes = (uint32_t)(settings->ring_bytes / WAKEUP_DIVISOR);
}

/* From Linux 6.1 on, hashes that programs of perf events look into can be made an element at a
 * time. 40,000 of them at once take a millisecond, and 3 MB. */
static int make_elements_late(struct cpu_bpf *program)
{
	struct utsname kernel;
	unsigned major, minor;
	int code;

	if (uname(&kernel) || sscanf(kernel.release, "%u.%u", &major, &minor) != 2 || major < 6 ||
	    (major == 6 && minor < 1))
		return 0;
	code = bpf_map__set_map_flags(program->maps.unwind_processes, BPF_F_NO_PREALLOC);
	if (!code)
		code = bpf_map__set_map_flags(program->maps.followed, BPF_F_NO_PREALLOC);
	return code ? code
		    : bpf_map__set_map_flags(program->maps.python_processes, BPF_F_NO_PREALLOC);
}

static int size_maps(struct bpf_cpu *self)
{
	struct cpu_bpf *program = self->program;
	struct bpf_map *const by_cpu[] = { program->maps.memories, program->maps.counts,
					   program->maps.caches, program->maps.rings };
	int code = make_elements_late(program);

	for (size_t i = 0; !code && i < sizeof(by_cpu) / sizeof(by_cpu[0]); i++)
		code = bpf_map__set_max_entries(by_cpu[i], (uint32_t)self->cpus);
	if (!code && self->settings.counted)
		code = bpf_map__set_max_entries(program->maps.counted,
						self->settings.counted * (uint32_t)self->cpus);
	return code;
}

/* With the few types that it names (see bpf_types.h), or else with libbpf's way to all of them. */
static struct cpu_bpf *open_with(struct bpf_types *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types->path);
	struct cpu_bpf *program = bpf_types_open(types) ? cpu_bpf__open_opts(&options) : NULL;

	if (program && bpf_types_fill(types, program->obj))
		return program;
	cpu_bpf__destroy(program);
	return cpu_bpf__open();
}

/* No process is followed. */
static void leave_out(struct cpu_bpf *program)
{
	(void)bpf_program__set_autoload(program->progs.on_exec, false);
	(void)bpf_program__set_autoload(program->progs.on_fork, false);
	(void)bpf_program__set_autoload(program->progs.on_free, false);
	(void)bpf_map__set_max_entries(program->maps.followed, 1);
}

static void leave_out_faults(struct cpu_bpf *program)
{
	(void)bpf_program__set_autoload(program->progs.on_fault, false);
	(void)bpf_program__set_autoload(program->progs.on_fault_page, false);
	(void)bpf_program__set_autoload(program->progs.on_fault_count, false);
	(void)bpf_map__set_max_entries(program->maps.faults, 1);
}

static int open_program(struct bpf_cpu *self, struct bpf_types *types, struct err *err)
{
	int code;

	self->program = open_with(types);
	if (!self->program)
		return bpf_fail(err, -errno, "opening the BPF program");
	configure(self);
	if (!self->settings.program)
		leave_out(self->program);
	if (!self->settings.with_faults)
		leave_out_faults(self->program);
	code = size_maps(self);
	return code ? bpf_fail(err, code, "sizing BPF maps") : 0;
}

static int load_program(struct bpf_cpu *self, struct err *err)
{
	return bpf_load(self->program->skeleton, "loading the BPF program", err);
}

static int open_ring(struct bpf_cpu *self, int cpu, struct err *err)
{
	struct bpf_cpu_ring *ring = &self->ring[cpu];

	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "cupel_samples", 0, 0,
				  (uint32_t)self->settings.ring_bytes, NULL);
	if (ring->fd < 0)
		return bpf_fail(err, -errno, "ring buffer for BPF samples");
	return ring_reader_add(self->reader, ring->fd, ring, err);
}

/* The kernel waits for all CPUs, some 10 ms each, after a change of a map of maps and at the first
 * event of a thread for a while. That passes on other threads while the program is loaded: so the
 * maps of maps are made before it. */
struct early {
	struct bpf_cpu *self;
	int rings, shards; /* maps of maps; -1 = none */
	int code;	   /* of placing the rings */
	pthread_t thread[3];
	size_t threads;
};

/* Puts the rings where the program looks for them, together where the kernel can do that (5.13). */
static void *place_rings(void *context)
{
	struct early *early = context;
	const struct bpf_cpu *self = early->self;
	uint32_t *key = mem_alloc(self->cpus * sizeof(*key)), count = 0, placed;
	int *fd = mem_alloc(self->cpus * sizeof(*fd));

	for (size_t i = 0; i < self->cpus; i++) {
		if (self->ring[i].fd < 0)
			continue;
		key[count] = (uint32_t)i;
		fd[count++] = self->ring[i].fd;
	}
	placed = count;
	if (bpf_map_update_batch(early->rings, key, fd, &placed, NULL))
		for (uint32_t i = 0; !early->code && i < count; i++)
			if (bpf_map_update_elem(early->rings, &key[i], &fd[i], BPF_ANY))
				early->code = -errno;
	free(key);
	free(fd);
	return NULL;
}

/* The pool's first shard. */
static void *place_shard(void *context)
{
	struct early *early = context;
	uint32_t zero = 0;

	if (early->shards < 0 ||
	    !bpf_map_update_elem(early->shards, &zero, &early->self->first_shard_fd, BPF_ANY))
		return NULL;
	(void)close(early->self->first_shard_fd); /* nothing was written to it */
	early->self->first_shard_fd = -1;
	return NULL;
}

/* Failing is no harm: the first real event waits then. */
static void *wake_events(void *context)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = PERF_ATTR_SIZE_VER5,
					.config = PERF_COUNT_SW_DUMMY,
					.exclude_kernel = 1 };
	int fd = perf_event_open(&attr, 0, -1, -1, 0);

	(void)context;
	if (fd >= 0)
		(void)close(fd); /* it counted nothing */
	return NULL;
}

/* Makes a map of maps for the program; -1 = that is left to libbpf. */
static int make_outer(struct bpf_map *map, int inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = (uint32_t)inner);
	int fd = inner < 0 ? -1
			   : bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, bpf_map__name(map),
					    sizeof(uint32_t), sizeof(uint32_t),
					    bpf_map__max_entries(map), &options);

	if (fd >= 0 && bpf_map__reuse_fd(map, fd)) {
		(void)close(fd); /* empty */
		fd = -1;
	}
	return fd;
}

static void spread(struct early *early, void *(*work)(void *))
{
	struct err ignored = { 0 };

	if (thread_start(&early->thread[early->threads], "loader", work, early, &ignored))
		(void)work(early);
	else
		early->threads++;
}

static int begin_early(struct bpf_cpu *self, struct early *early, struct err *err)
{
	int some = -1;

	for (size_t i = 0; i < self->cpus && some < 0; i++)
		some = self->ring[i].fd;
	early->rings = make_outer(self->program->maps.rings, some);
	if (early->rings < 0)
		return bpf_fail(err, -errno, "map of ring buffers");
	self->first_shard_fd = pool_memory_new_shard();
	early->shards = make_outer(self->program->maps.unwind_shards, self->first_shard_fd);
	spread(early, wake_events);
	spread(early, place_rings);
	spread(early, place_shard);
	return 0;
}

static int end_early(struct early *early, struct err *err)
{
	for (size_t i = 0; i < early->threads; i++)
		(void)pthread_join(early->thread[i], NULL); /* made and never joined */
	fd_close(&early->rings); /* the program has its own descriptors */
	fd_close(&early->shards);
	return early->code ? bpf_fail(err, early->code, "ring buffer for BPF samples") : 0;
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

static int open_rings(struct bpf_cpu *self, const int *cpu, size_t count, struct err *err)
{
	int possible = (int)self->cpus, code = 0;

	for (int i = 0; i < possible; i++)
		self->ring[i] = (struct bpf_cpu_ring){ .owner = self, .cpu = i, .fd = -1 };
	for (size_t i = 0; !code && i < count; i++)
		if (cpu[i] < possible)
			code = open_ring(self, cpu[i], err);
	for (int i = 0; !code && !count && i < possible; i++)
		code = open_ring(self, i, err);
	return code;
}

static int load(struct bpf_cpu *self, const int *cpu, size_t count, struct err *err)
{
	struct early early = { .self = self, .rings = -1, .shards = -1 };
	struct err early_err = { 0 };
	struct bpf_types types;
	int code = open_program(self, &types, err);

	if (!code)
		code = open_rings(self, cpu, count, err);
	if (!code)
		code = begin_early(self, &early, err);
	if (!code)
		code = load_program(self, err);
	bpf_types_close(&types);
	if (end_early(&early, code ? &early_err : err) && !code)
		code = err->code;
	if (code)
		return code;
	show_tables(self);
	self->tables.first_shard_plus_one = self->first_shard_fd + 1;
	return 0;
}

int bpf_cpu_load(struct bpf_cpu *self, const int *cpu, size_t count, struct err *err)
{
	int possible;

	bpf_be_quiet();
	possible = libbpf_num_possible_cpus();
	self->first_shard_fd = -1;
	if (possible < 0)
		return bpf_fail(err, possible, "counting CPUs");
	self->cpus = (size_t)possible;
	self->ring = mem_zalloc(self->cpus * sizeof(*self->ring));
	return load(self, cpu, count, err);
}

int bpf_cpu_follow(struct bpf_cpu *self, struct err *err)
{
	struct cpu_bpf *program = self->program;

	program->links.on_exec = bpf_program__attach(program->progs.on_exec);
	program->links.on_fork = bpf_program__attach(program->progs.on_fork);
	program->links.on_free = bpf_program__attach(program->progs.on_free);
	if (program->links.on_exec && program->links.on_fork && program->links.on_free)
		return 0;
	return bpf_fail(err, -errno, "following the program's processes");
}

int bpf_cpu_count(const struct bpf_cpu *self, const struct perf_selected *selected, int fd,
		  struct err *err)
{
	bool freq = selected->attr.freq;
	const struct cpu_hits hits = { .hz = freq ? selected->asked : 0,
				       .period = freq ? 1 : selected->asked };
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return err_errno(err, "%s: event id", selected->spec->name);
	if (bpf_map_update_elem(bpf_map__fd(self->program->maps.counted), &id, &hits, BPF_ANY))
		return bpf_fail(err, -errno, "counting an event's hits");
	return 0;
}

void bpf_cpu_slow_counted(struct bpf_cpu *self, const struct perf_source *rings)
{
	*(volatile uint32_t *)&self->program->data->slow_256ths =
		(uint32_t)(rings->budget.slow * 256);
}

void bpf_cpu_unload(struct bpf_cpu *self)
{
	ring_reader_free(self->reader);
	for (size_t i = 0; i < self->cpus; i++)
		if (self->ring[i].fd >= 0)
			(void)close(self->ring[i].fd); /* nothing is left to lose */
	free(self->ring);
	if (self->first_shard_fd >= 0)
		(void)close(self->first_shard_fd); /* the map of shards holds it */
	cpu_bpf__destroy(self->program);
}
