/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "stack_counts": how often places and tracepoints (options->probes) are passed, as
 * samples with whole stacks and the number of hits as weight (bpf/stack_counts.bpf.c). It works for
 * a sampler (options->sampler), which follows processes and fills tables. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/cpu.h"
#include "bpf/stack_counts.h"
#include "bpf/stack_counts.skel.h"
#include "event/stop.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/bpf_walker.h"
#include "source/bpf/own_processes.h"
#include "source/bpf/sum_maps.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define WHAT "counting stacks"
/* Before a program's unwind tables are there, its stacks are copied, and come fast. */
#define RING_BYTES	(8u << 20)
#define RINGS_MAX_BYTES (64u << 20) /* all together */

struct stack_counts {
	struct source source; /* first */
	const struct bpf_cpu *sampler;
	struct stack_counts_bpf *program;
	struct bpf_walker *walker;
	struct sum_maps *sums;
	struct probe_links links;
	struct probe_attach attach;
	uint64_t round_ns; /* the time of samples of sums */
	int64_t sum_bytes; /* of those of a drain */
	bool running;	   /* what is probed ran before the recording */
	bool attached, stopped;
	/* During a drain. */
	struct sink *sink;
	struct err *err;
};

/* A sample of a sum, as the kernel part would have sent it. */
struct sum_sample {
	struct cpu_sample head;
	uint64_t count;
};

static struct stack_counts *self_of(struct source *source)
{
	return (struct stack_counts *)source;
}

static void stack_counts_close(struct source *source)
{
	struct stack_counts *self = self_of(source);

	probe_links_close(&self->links);
	sum_maps_free(self->sums);
	bpf_walker_close(self->walker);
	stack_counts_bpf__destroy(self->program);
	free(self);
}

/* A power of two. */
static uint32_t ring_bytes(const struct stack_counts *self)
{
	uint32_t bytes = RING_BYTES;

	while (bytes > BPF_WALKER_RING_BYTES && bytes * self->sampler->cpus > RINGS_MAX_BYTES)
		bytes /= 2;
	return bytes;
}

static int load(struct stack_counts *self, const struct source_options *options, struct err *err)
{
	const struct probe_choice *choice = options->probes;
	struct stack_counts_bpf *program = stack_counts_bpf__open();
	int code;

	self->program = program;
	if (!program)
		return bpf_fail(err, -errno, "opening the BPF programs");
	BPF_WALKER_CONFIGURE(program->rodata, self->sampler);
	program->rodata->wakeup_bytes = ring_bytes(self) / 4;
	THREAD_FILTER_SET_UP(program, options);
	probe_links_prepare(program->skeleton, &self->attach);
	program->rodata->many_events = false;
	own_processes_put(program->bss->own_processes);
	program->rodata->with_kernel_part = self->sampler->settings.with_kernel;
	program->rodata->slot_cpus = (uint32_t)self->sampler->cpus;
	(void)bpf_program__set_autoload(program->progs.on_place, choice->places.count != 0);
	(void)bpf_program__set_autoload(program->progs.on_tracepoint,
					choice->tracepoints.count != 0);
	kernel_links_prepare(program->progs.on_kernel, choice);
	code = bpf_walker_share(program->obj, self->sampler);
	if (!code)
		code = bpf_walker_add_slots(program->obj, self->sampler);
	if (code)
		return bpf_fail(err, code, "sizing the maps");
	code = bpf_load(program->skeleton, "loading the BPF programs", err);
	return code ? code : thread_filter_fill(program->maps.targets, options, err);
}

static int open_reader(struct stack_counts *self, struct err *err)
{
	const struct bpf_walker_options options = { .sampler = self->sampler,
						    .object = self->program->obj,
						    .what = WHAT,
						    .ring_bytes = ring_bytes(self),
						    .seen = (uint64_t *)self->program->bss->seen };
	const struct sum_maps_options sums = {
		.map_fd = { bpf_map__fd(self->program->maps.sums),
			    bpf_map__fd(self->program->maps.odd_sums) },
		.odd_turn = &self->program->bss->odd_turn,
		.key_size = sizeof(struct stack_count_key),
		.sum_size = sizeof(uint64_t),
	};

	self->sums = sum_maps_new(&sums);
	return bpf_walker_open(&self->walker, &options, err);
}

static int stack_counts_open(struct source **ret, const struct source_options *options,
			     struct err *err)
{
	struct stack_counts *self;
	int code;

	if (!options->sampler || !options->probes)
		return err_set(err, -EINVAL, WHAT ": no sampler to work for, or no probes");
	self = mem_zalloc(sizeof(*self));
	bpf_be_quiet();
	self->source.ops = source_find("stack_counts");
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->attach = probe_attach_to(options->probes, options);
	self->running = !options->program;
	code = load(self, options, err);
	if (!code)
		code = open_reader(self, err);
	if (code) {
		stack_counts_close(&self->source);
		return err_wrap(err, WHAT);
	}
	self->source.fd = bpf_walker_fd(self->walker);
	*ret = &self->source;
	return 0;
}

static int attach_probes(struct stack_counts *self, struct err *err)
{
	struct stack_counts_bpf *program = self->program;
	const struct probe_choice *choice = self->attach.choice;
	int code = 0;

	self->attached = true;
	if (choice->places.count)
		code = probe_links_places(&self->links, bpf_program__fd(program->progs.on_place),
					  &self->attach, err);
	if (!code)
		code = kernel_links_attach(&self->links, program->progs.on_kernel, choice, false,
					   err);
	/* Raw tracepoints have the kernel's own frames on top of the stack. */
	if (!code && choice->tracepoints.count)
		code = probe_links_tracepoints(&self->links, -1,
					       bpf_program__fd(program->progs.on_tracepoint),
					       choice, err);
	if (!code)
		probe_links_note(&self->links, choice, &self->source);
	return code ? err_wrap(err, "attaching probes") : 0;
}

/* Probes in what runs already are put when the tables of its stacks are there, with enable(). */
static int stack_counts_start(struct source *source, struct err *err)
{
	struct stack_counts *self = self_of(source);
	int code = thread_filter_follow(self->program->skeleton, err);

	own_processes_put(self->program->bss->own_processes);
	if (code)
		return err_wrap(err, "attaching probes");
	return self->running ? 0 : attach_probes(self, err);
}

static int stack_counts_enable(struct source *source, bool on, struct err *err)
{
	struct stack_counts *self = self_of(source);

	return on && !self->attached ? attach_probes(self, err) : 0;
}

static int take_sum(void *context, const void *of, const void *what)
{
	const struct stack_count_key *key = of;
	const uint64_t count = *(const uint64_t *)what;
	struct stack_counts *self = context;
	const uint64_t seed = self->program->rodata->seed;
	struct sum_sample sample = {
		.head = { .time_ns = self->round_ns,
			  .base = key->stack ? key->stack
					     : cpu_node_root(seed, STACK_STOP_NOT_TAKEN),
			  .pid = key->pid,
			  .tid = key->tid,
			  .kind = CPU_WALKED,
			  .period = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX },
		.count = count,
	};
	const struct bpf_stacks_record record = {
		-1, &sample, sizeof(sample.head) + (count < UINT32_MAX ? 0 : sizeof(sample.count))
	};

	self->sum_bytes += (int64_t)record.len;
	return bpf_walker_take(self->walker, &record, self->sink, self->err);
}

/* The rings first: what a sum names is known from them. */
static int64_t drain(struct stack_counts *self, struct sink *sink, struct err *err)
{
	int64_t bytes = bpf_walker_drain(self->walker, sink, err);
	bool reported = false;
	int code;

	if (bytes < 0)
		return bytes;
	self->sink = sink;
	self->err = err;
	self->sum_bytes = 0;
	self->round_ns = clock_ns(self->sampler->source.clock.id);
	code = sum_maps_read(self->sums, self->stopped, take_sum, self, &reported);
	if (code)
		return reported ? code : bpf_fail(err, code, WHAT ": reading sums");
	return bytes + self->sum_bytes;
}

static int64_t stack_counts_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct stack_counts *self = self_of(source);

	return self->stopped ? 0 : drain(self, sink, err);
}

static uint64_t lost(const struct stack_counts *self)
{
	return self->program->bss->lost + probe_links_missed(self->program->progs.on_tracepoint) +
	       probe_links_missed(self->program->progs.on_kernel);
}

/* The probes stay until close(): removing them takes long, and what was counted comes first. */
static int stack_counts_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct stack_counts *self = self_of(source);
	int64_t code;

	self->program->bss->stopped = true;
	self->stopped = true;
	code = drain(self, sink, err);
	if (code >= 0) /* samples that waited for the name of their stack */
		code = bpf_walker_drain(self->walker, sink, err);
	bpf_walker_report(self->walker, source, lost(self));
	return code < 0 ? (int)code : 0;
}

static void stack_counts_detach(struct source *source)
{
	struct stack_counts *self = self_of(source);

	probe_links_close(&self->links);
	stack_counts_bpf__detach(self->program);
}

const struct source_ops source_stack_counts = {
	.name = "stack_counts",
	.help = "passes of places and tracepoints by whole stack, for a CPU sampler",
	.open = stack_counts_open,
	.start = stack_counts_start,
	.enable = stack_counts_enable,
	.ready = stack_counts_ready,
	.stop = stack_counts_stop,
	.detach = stack_counts_detach,
	.close = stack_counts_close,
};
