/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The off_cpu source: samples of -e off-cpu and -e wakeup, which are stacks of waiting threads and
 * of their wakers, weighted by nanoseconds (bpf/off_cpu.bpf.c). It works for a sampler
 * (options->sampler) with events that only provide ids, and that follows processes and fills
 * tables. It has a separate tree of stacks, because a thread may sleep long before its stack is
 * needed; raw stacks, kept until their wait is over; and sums of short waits. */
#include "source/bpf/bpf_off_cpu.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/off_cpu.skel.h"
#include "event/event.h"
#include "event/stop.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/raw_waits.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/ring_wake.h"
#include "source/bpf/sum_maps.h"

#define MAX_NODES (1u << 20)
#define MAX_TRIES 3 /* rounds that a sample waits for its raw stack */

static struct bpf_off_cpu *self_of(struct source *source)
{
	return (struct bpf_off_cpu *)source;
}

static void take_record(void *context, void *data, size_t len);

static int open_ring(struct bpf_off_cpu *self, uint32_t cpu, struct err *err)
{
	struct off_cpu_ring *ring = &self->ring[cpu];

	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "cupel_off_cpu", 0, 0, OFF_CPU_RING_BYTES,
				  NULL);
	if (ring->fd < 0 ||
	    bpf_map_update_elem(bpf_map__fd(self->program->maps.rings), &cpu, &ring->fd, BPF_ANY))
		return bpf_fail(err, -errno, "off-CPU samples: ring buffer");
	if (!self->reader)
		self->reader = ring_reader_new(take_record);
	if (ring_reader_add(self->reader, ring->fd, ring, err))
		return err_wrap(err, "off-CPU samples");
	return ring_wake_by_edge(ring_reader_fd(self->reader), ring->fd, err);
}

static int open_reader(struct bpf_off_cpu *self, struct err *err)
{
	const struct bpf_stacks_options stacks = {
		.events = self->sampler->source.events,
		.seed = self->program->rodata->seed,
		.many_events = self->many_events,
		.max_nodes = MAX_NODES,
		.seen = (uint64_t *)self->program->bss->seen,
	};
	const struct sum_maps_options sums = {
		.map_fd = { bpf_map__fd(self->program->maps.sums),
			    bpf_map__fd(self->program->maps.odd_sums) },
		.odd_turn = &self->program->bss->odd_turn,
		.key_size = sizeof(struct off_cpu_sum_key),
		.sum_size = sizeof(struct off_cpu_sum),
	};
	int code = 0;

	self->stacks = bpf_stacks_new(&stacks);
	self->raw = raw_waits_new();
	self->sums = sum_maps_new(&sums);
	if (self->program->rodata->with_calls)
		bpf_off_cpu_open_calls(self);
	self->ring = mem_zalloc(self->cpus * sizeof(*self->ring));
	for (uint32_t cpu = 0; cpu < self->cpus; cpu++)
		self->ring[cpu] = (struct off_cpu_ring){ self, (int)cpu, -1 };
	for (uint32_t cpu = 0; !code && cpu < self->cpus; cpu++)
		code = open_ring(self, cpu, err);
	return code;
}

static void off_cpu_close(struct source *source)
{
	struct bpf_off_cpu *self = self_of(source);

	ring_reader_free(self->reader);
	for (size_t i = 0; self->ring && i < self->cpus; i++)
		if (self->ring[i].fd >= 0)
			(void)close(self->ring[i].fd); /* nothing is left to lose */
	free(self->ring);
	off_cpu_bpf__destroy(self->program);
	bpf_stacks_free(self->stacks);
	raw_waits_free(self->raw);
	sum_maps_free(self->sums);
	sum_maps_free(self->calls);
	buf_done(&self->call_record);
	vec_done(&self->raw_samples);
	vec_done(&self->rest);
	free(self->loss);
	free(self);
}

static int off_cpu_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct bpf_off_cpu *self;
	int code;

	if (!options->sampler)
		return err_set(err, -EINVAL, "off-CPU samples: no CPU sampler to work for");
	self = mem_zalloc(sizeof(*self));
	self->source.ops = &source_off_cpu;
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->cpus = self->sampler->cpus;
	self->many_events = self->sampler->settings.many_events;
	code = bpf_off_cpu_load(self, options, err);
	if (!code)
		code = open_reader(self, err);
	if (code) {
		off_cpu_close(&self->source);
		return code;
	}
	self->source.fd = ring_reader_fd(self->reader);
	*ret = &self->source;
	return 0;
}

static void take_open(void *context, const void *record)
{
	raw_waits_keep_open(((struct bpf_off_cpu *)context)->raw, record);
}

static void take_rest(void *context, const void *record)
{
	struct bpf_off_cpu *self = context;
	const struct off_cpu_rest *rest = record;

	vec_push(&self->rest, *rest);
}

/* Begins to watch. Samples begin with enable(), with which waits that are on begin to count, or the
 * exec of the program that waits. */
static int off_cpu_start(struct source *source, struct err *err)
{
	struct bpf_off_cpu *self = self_of(source);
	struct off_cpu_bpf *program = self->program;
	int code = off_cpu_bpf__attach(program);

	/* Before Linux 5.19 there is no tracepoint for kernel locks. */
	program->links.on_contention_end = bpf_program__attach(program->progs.on_contention_end);
	program->links.on_contention = bpf_program__attach(program->progs.on_contention);
	if (!code) /* every thread of the targets gets its storage */
		code = bpf_iterate(self->program->progs.begin, 0, NULL, NULL);
	return code ? bpf_fail(err, code, "off-CPU samples: attaching") : 0;
}

static int off_cpu_enable(struct source *source, bool on, struct err *err)
{
	struct bpf_off_cpu *self = self_of(source);
	int code;

	*(volatile bool *)&self->program->bss->enabled = on;
	if (!on || self->enabled) {
		self->enabled = on;
		return 0;
	}
	self->enabled = on;
	if (self->calls) /* those that are on already have no beginning */
		return 0;
	code = bpf_iterate(self->program->progs.begin_waits, sizeof(struct off_cpu_open), take_open,
			   self);
	return code ? bpf_fail(err, code, "off-CPU samples: iterating over threads") : 0;
}

/* One record of the kernel part's; 1: it refers to what has not come yet. */
static int deliver(struct bpf_off_cpu *self, int cpu, const void *data, size_t len)
{
	const struct bpf_stacks_record record = { cpu, data, len };

	return bpf_stacks_take(self->stacks, &record, self->sink, self->err);
}

/* The kernel's frames of a thread that waited before anybody watched. */
static int deliver_frames(struct bpf_off_cpu *self, const struct raw_sample *sample,
			  const struct cpu_sample *stack)
{
	size_t words = stack->frames;
	uint64_t record[sizeof(*stack) / sizeof(uint64_t) + CPU_KERNEL_FRAMES + 2];
	struct cpu_sample *head = (void *)record;
	uint64_t *word = (uint64_t *)(head + 1);

	*head = *stack;
	head->base = cpu_node_root(self->program->rodata->seed, STACK_STOP_NONE);
	head->time_ns = sample->head.time_ns;
	head->period = sample->ns < UINT32_MAX ? (uint32_t)sample->ns : UINT32_MAX;
	memcpy(word, stack + 1, words * sizeof(*word));
	if (self->many_events)
		word[words++] = sample->id;
	if (sample->ns >= UINT32_MAX)
		word[words++] = sample->ns;
	return deliver(self, sample->cpu, record, sizeof(*head) + words * sizeof(*word));
}

/* 1: the raw stack has not come yet. */
static int deliver_raw(struct bpf_off_cpu *self, const struct raw_sample *sample)
{
	size_t len;
	struct cpu_sample *stack = raw_waits_find(self->raw, sample->head.base, &len);
	struct cpu_raw *raw;

	if (!stack)
		return 1;
	if (stack->kind == CPU_WALKED)
		return deliver_frames(self, sample, stack);
	raw = (void *)(stack + 1);
	raw->id = sample->id;
	raw->period = sample->ns;
	stack->time_ns = sample->head.time_ns;
	stack->flags &= (uint8_t)~OFF_CPU_STACK;
	return deliver(self, sample->cpu, stack, len);
}

static void take_raw_sample(struct bpf_off_cpu *self, int cpu, const struct cpu_sample *head,
			    size_t len)
{
	const uint64_t *word = (const uint64_t *)(head + 1);
	const uint64_t *end = word + (len - sizeof(*head)) / sizeof(*word);
	struct raw_sample sample = { .head = *head, .cpu = cpu, .ns = head->period };

	if (self->many_events && word < end)
		sample.id = *word++;
	if (head->period == UINT32_MAX && word < end)
		sample.ns = *word;
	vec_push(&self->raw_samples, sample);
}

static void take_record(void *context, void *data, size_t len)
{
	const struct off_cpu_ring *ring = context;
	struct bpf_off_cpu *self = ring->owner;
	const struct cpu_sample *head = data;

	if (len < sizeof(*head) || self->error)
		return; /* what cannot be delivered is gone */
	if (head->kind == CPU_RAW)
		raw_waits_keep(self->raw, head, len);
	else if (head->flags & OFF_CPU_RAW)
		take_raw_sample(self, ring->cpu, head, len);
	else
		self->error = deliver(self, ring->cpu, data, len);
}

static int finish_raw_samples(struct bpf_off_cpu *self)
{
	size_t kept = 0;
	int code = 0;

	for (size_t i = 0; i < self->raw_samples.count && code >= 0; i++) {
		struct raw_sample sample = self->raw_samples.item[i];

		code = deliver_raw(self, &sample);
		if (code > 0 && ++sample.tries < MAX_TRIES)
			self->raw_samples.item[kept++] = sample;
		else if (code > 0)
			self->raw_lost++;
	}
	self->raw_samples.count = kept;
	return code < 0 ? code : 0;
}

/* A sample of a sum, as the kernel part would have sent it. */
struct sum_sample {
	struct cpu_sample head;
	uint64_t word[2];
};

static int emit_sum(struct bpf_off_cpu *self, struct sum_sample *sample, uint64_t ns, uint64_t id)
{
	size_t words = 0;

	sample->head.kind = CPU_WALKED;
	sample->head.flags = self->program->rodata->with_kernel ? CPU_IN_KERNEL : 0;
	sample->head.period = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
	if (self->many_events)
		sample->word[words++] = id;
	if (ns >= UINT32_MAX)
		sample->word[words++] = ns;
	return deliver(self, -1, sample, sizeof(sample->head) + words * sizeof(uint64_t));
}

static int take_sum(void *context, const void *of, const void *what)
{
	const struct off_cpu_sum_key *key = of;
	const struct off_cpu_sum *sum = what;
	struct bpf_off_cpu *self = context;
	struct sum_sample sample = { 0 };
	int code = 0;

	if (!sum->ns)
		return 0;
	if (key->waker_stack) {
		sample.head = (struct cpu_sample){ .time_ns = sum->last_ns,
						   .base = key->waker_stack,
						   .pid = key->waker_pid,
						   .tid = key->waker_tid };
		code = emit_sum(self, &sample, sum->ns, self->wakeup_id);
	}
	sample.head = (struct cpu_sample){
		.time_ns = sum->last_ns, .base = key->stack, .pid = key->pid, .tid = key->tid
	};
	if (code >= 0 && self->program->rodata->with_sleepers)
		code = emit_sum(self, &sample, sum->ns, self->off_cpu_id);
	return code < 0 ? code : 0;
}

static int take_sums(struct bpf_off_cpu *self)
{
	bool reported = false;
	int code = sum_maps_read(self->sums, self->stopped, take_sum, self, &reported);

	return code && !reported ? bpf_fail(self->err, code, "off-CPU samples: reading sums")
				 : code;
}

/* Waits that were on at the end. */
static int emit_rest(struct bpf_off_cpu *self)
{
	int code = 0;

	for (size_t i = 0; i < self->rest.count && code >= 0; i++) {
		const struct off_cpu_rest *rest = &self->rest.item[i];
		struct sum_sample sample = { .head = { .time_ns = self->end_ns,
						       .base = rest->stack,
						       .pid = rest->pid,
						       .tid = rest->tid } };

		if (rest->raw) {
			struct raw_sample raw = { .head = sample.head,
						  .id = self->off_cpu_id,
						  .ns = rest->ns,
						  .cpu = -1 };

			vec_push(&self->raw_samples, raw);
		} else if (self->program->rodata->with_sleepers) {
			code = emit_sum(self, &sample, rest->ns, self->off_cpu_id);
		}
	}
	self->rest.count = 0;
	return code < 0 ? code : 0;
}

/* One round. */
static int64_t drain(struct bpf_off_cpu *self, struct sink *sink, struct err *err)
{
	uint64_t before = bpf_stacks_stats(self->stacks)->bytes;
	int code;

	self->sink = sink;
	self->err = err;
	self->error = 0;
	/* Rings first: what a sum names may be known from them; else bpf_stacks keeps it. */
	ring_wake_forget(ring_reader_fd(self->reader));
	(void)ring_reader_drain(self->reader);
	code = self->error < 0 ? self->error : take_sums(self);
	if (!code && self->calls)
		code = bpf_off_cpu_take_calls(self);
	if (!code)
		code = emit_rest(self);
	if (!code)
		code = finish_raw_samples(self);
	raw_waits_round(self->raw, clock_ns(CLOCK_MONOTONIC));
	if (!code)
		code = bpf_stacks_round(self->stacks, sink, err);
	return code < 0 ? code : (int64_t)(bpf_stacks_stats(self->stacks)->bytes - before);
}

static int64_t off_cpu_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct bpf_off_cpu *self = self_of(source);

	return self->stopped ? 0 : drain(self, sink, err);
}

/* Waits that are on end now. */
static int end_waits(struct bpf_off_cpu *self, struct err *err)
{
	bool was_enabled = self->program->bss->enabled;
	int code;

	self->end_ns = self->program->bss->end_ns = clock_ns(self->sampler->source.clock.id);
	off_cpu_bpf__detach(self->program);
	self->stopped = true;
	if (!was_enabled)
		return 0;
	code = bpf_iterate(self->program->progs.end_waits, sizeof(struct off_cpu_rest), take_rest,
			   self);
	return code ? bpf_fail(err, code, "off-CPU samples: iterating over threads") : 0;
}

/* Samples that were lost, by CPU, and what the programs did. */
static void collect_counts(struct bpf_off_cpu *self)
{
	int fd = bpf_map__fd(self->program->maps.counts);
	struct walk_cost *cost = &self->cost;

	self->loss = mem_zalloc(self->cpus * sizeof(*self->loss));
	for (uint32_t cpu = 0; cpu < self->cpus; cpu++) {
		struct cpu_counts counts = { 0 };

		if (!bpf_map_lookup_elem(fd, &cpu, &counts)) {
			cost->walked += counts.walked;
			cost->handed_up += counts.raw;
			cost->handed_up_refused += counts.raw_refused;
			cost->reused += counts.reused;
			cost->believed += counts.believed;
		}
		self->loss[cpu] = (struct source_loss){ .cpu = (int)cpu,
							.lost = counts.lost,
							.unreported = true };
	}
	self->loss[0].lost += self->program->bss->lost_calls;
	self->loss[0].lost += self->raw_lost + bpf_stacks_stats(self->stacks)->unresolved;
	self->source.loss = self->loss;
	self->source.loss_count = self->cpus;
	self->source.walks = cost;
}

static int off_cpu_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct bpf_off_cpu *self = self_of(source);
	int code = end_waits(self, err);
	struct err later = { 0 };
	int64_t rest = drain(self, sink, code ? &later : err);

	collect_counts(self);
	return code ? code : rest < 0 ? (int)rest : 0;
}

const struct source_ops source_off_cpu = {
	.name = "off_cpu",
	.help = "waits of threads and their wakers with stacks, for a CPU sampler",
	.open = off_cpu_open,
	.start = off_cpu_start,
	.enable = off_cpu_enable,
	.ready = off_cpu_ready,
	.stop = off_cpu_stop,
	.close = off_cpu_close,
};
