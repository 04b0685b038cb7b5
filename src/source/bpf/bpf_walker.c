/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See bpf_walker.h. */
#include "source/bpf/bpf_walker.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "bpf/cpu.h"
#include "bpf/walk/walk_slot.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/ring_wake.h"
#include "source/bpf/unwind_pool.h"

struct walker_ring {
	struct bpf_walker *owner;
	int cpu, fd;
};

struct bpf_walker {
	struct bpf_walker_options options;
	struct walker_ring *ring; /* by CPU, cpus of them */
	size_t cpus;
	struct ring_reader *reader;
	struct bpf_stacks *stacks;
	struct source_loss *loss;
	struct walk_cost cost;
	/* During a drain. */
	struct sink *sink;
	struct err *err;
	int error;
};

static struct bpf_map *map_of(const struct bpf_object *object, const char *name)
{
	return bpf_object__find_map_by_name(object, name);
}

int bpf_walker_share(const struct bpf_object *object, const struct bpf_cpu *sampler)
{
	const struct unwind_pool_maps *tables = sampler->source.tables;
	static const char *const by_cpu[] = { "memories", "counts", "caches", "rings" };
	const struct {
		const char *name;
		int fd;
	} shared[] = {
		{ "unwind_shards", tables->shards },
		{ "unwind_binaries", tables->binaries },
		{ "unwind_spaces", tables->spaces },
		{ "unwind_processes", tables->processes },
		{ "python_processes", sampler->source.python_fd_plus_one - 1 },
	};
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(by_cpu) / sizeof(by_cpu[0]); i++)
		code = bpf_map__set_max_entries(map_of(object, by_cpu[i]), (uint32_t)sampler->cpus);
	for (size_t i = 0; !code && i < sizeof(shared) / sizeof(shared[0]); i++)
		code = bpf_map__reuse_fd(map_of(object, shared[i].name), shared[i].fd);
	return code;
}

int bpf_walker_add_slots(const struct bpf_object *object, const struct bpf_cpu *sampler)
{
	static const char *const by_slot[] = { "walk_slots", "memories", "caches" };
	uint32_t slots = (uint32_t)sampler->cpus + WALK_SPARE_SLOTS;
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(by_slot) / sizeof(by_slot[0]); i++)
		code = bpf_map__set_max_entries(map_of(object, by_slot[i]), slots);
	return code;
}

/* One record of a ring. */
static void take_record(void *context, void *data, size_t len)
{
	const struct walker_ring *ring = context;
	struct bpf_walker *walker = ring->owner;
	const struct bpf_stacks_record record = { ring->cpu, data, len };

	if (!walker->error) /* what cannot be delivered is gone */
		walker->error = bpf_stacks_take(walker->stacks, &record, walker->sink, walker->err);
}

static int open_ring(struct bpf_walker *walker, uint32_t cpu, struct err *err)
{
	struct walker_ring *ring = &walker->ring[cpu];
	int rings = bpf_map__fd(map_of(walker->options.object, "rings")), code = 0;

	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "cupel_walker", 0, 0,
				  walker->options.ring_bytes, NULL);
	if (ring->fd < 0 || bpf_map_update_elem(rings, &cpu, &ring->fd, BPF_ANY))
		code = bpf_fail(err, -errno, "ring buffer");
	if (!code)
		code = ring_reader_add(walker->reader, ring->fd, ring, err);
	return code ? code : ring_wake_by_edge(ring_reader_fd(walker->reader), ring->fd, err);
}

int bpf_walker_open(struct bpf_walker **ret, const struct bpf_walker_options *options,
		    struct err *err)
{
	struct bpf_walker *walker = mem_zalloc(sizeof(*walker));
	const struct bpf_cpu *sampler = options->sampler;
	const struct bpf_stacks_options stacks = {
		.events = sampler->source.events,
		.seed = sampler->settings.seed ^ BPF_WALKER_SEED,
		.many_events = options->many_events,
		.with_payload = options->with_payload,
		.seen = options->seen,
	};
	int code = 0;

	walker->options = *options;
	if (!options->ring_bytes)
		walker->options.ring_bytes = BPF_WALKER_RING_BYTES;
	walker->cpus = sampler->cpus;
	walker->stacks = bpf_stacks_new(&stacks);
	walker->reader = ring_reader_new(take_record);
	walker->ring = mem_zalloc(walker->cpus * sizeof(*walker->ring));
	for (size_t cpu = 0; cpu < walker->cpus; cpu++)
		walker->ring[cpu] = (struct walker_ring){ walker, (int)cpu, -1 };
	for (uint32_t cpu = 0; !code && cpu < walker->cpus; cpu++)
		code = open_ring(walker, cpu, err);
	if (code) {
		bpf_walker_close(walker);
		return err_wrap(err, "%s", options->what);
	}
	*ret = walker;
	return 0;
}

void bpf_walker_close(struct bpf_walker *walker)
{
	if (!walker)
		return;
	ring_reader_free(walker->reader);
	for (size_t i = 0; i < walker->cpus; i++)
		if (walker->ring[i].fd >= 0)
			(void)close(walker->ring[i].fd); /* nothing is left to lose */
	free(walker->ring);
	free(walker->loss);
	bpf_stacks_free(walker->stacks);
	free(walker);
}

int bpf_walker_fd(const struct bpf_walker *walker)
{
	return ring_reader_fd(walker->reader);
}

int64_t bpf_walker_drain(struct bpf_walker *walker, struct sink *sink, struct err *err)
{
	uint64_t before = bpf_stacks_stats(walker->stacks)->bytes;
	int code;

	walker->sink = sink;
	walker->err = err;
	walker->error = 0;
	ring_wake_forget(ring_reader_fd(walker->reader));
	(void)ring_reader_drain(walker->reader);
	code = walker->error < 0 ? walker->error : bpf_stacks_round(walker->stacks, sink, err);
	return code < 0 ? code : (int64_t)(bpf_stacks_stats(walker->stacks)->bytes - before);
}

int bpf_walker_take(struct bpf_walker *walker, const struct bpf_stacks_record *record,
		    struct sink *sink, struct err *err)
{
	int code = bpf_stacks_take(walker->stacks, record, sink, err);

	return code < 0 ? code : 0;
}

void bpf_walker_counts(const struct bpf_walker *walker, struct walk_cost *cost,
		       struct source_loss *loss)
{
	int fd = bpf_map__fd(map_of(walker->options.object, "counts"));

	for (uint32_t cpu = 0; cpu < walker->cpus; cpu++) {
		struct cpu_counts counts;

		if (bpf_map_lookup_elem(fd, &cpu, &counts))
			continue;
		cost->walked += counts.walked;
		cost->handed_up += counts.raw;
		cost->handed_up_refused += counts.raw_refused;
		cost->replaced += counts.replaced;
		cost->cache_hits += counts.cache_hits;
		cost->cache_misses += counts.cache_misses;
		if (loss)
			loss[cpu] = (struct source_loss){ .cpu = (int)cpu,
							  .lost = counts.lost,
							  .unreported = true };
	}
	if (loss)
		loss[0].lost += bpf_stacks_stats(walker->stacks)->unresolved;
	cost->ring_bytes += bpf_stacks_stats(walker->stacks)->bytes;
}

void bpf_walker_report(struct bpf_walker *walker, struct source *source, uint64_t lost)
{
	size_t cpus = walker->cpus;

	walker->loss = mem_zalloc((cpus + 1) * sizeof(*walker->loss));
	bpf_walker_counts(walker, &walker->cost, walker->loss);
	walker->loss[cpus] = (struct source_loss){ -1, lost, true };
	source->loss = walker->loss;
	source->loss_count = cpus + 1;
	source->walks = &walker->cost;
}
