/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's half of off-CPU samples (see bpf_off_cpu.h): a tree of stacks of their own, because
 * a thread may sleep long before its stack is asked for; raw stacks, kept until their wait is over;
 * and sums of short waits. */
#include "source/bpf/bpf_off_cpu.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "bpf/cpu.h"
#include "bpf/off_cpu.h"
#include "bpf/off_cpu.skel.h"
#include "event/event.h"
#include "event/ledger_account.h"
#include "event/stop.h"
#include "event/walk_cost.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/raw_waits.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/ring_wake.h"
#include "source/bpf/unwind_pool.h"
#include "source/bpf/wait_sums.h"
#include "source/ledger/wait_class.h"
#include "source/perf_event/perf_event.h"

#define DEFAULT_THRESHOLD_NS 1000000u
#define BLOCKED_ACCOUNTS     ((1u << LEDGER_POLL) - (1u << LEDGER_LOCK))
#define RING_BYTES	     (512u << 10)
#define MAX_NODES	     (1u << 20)
#define MAX_TRIES	     3			 /* rounds that a sample waits for its raw stack */
#define SEED_OF_STACKS	     0x0ff0ff0ff0ff0ff1u /* names unlike those of the sampler */

struct off_cpu_ring {
	struct bpf_off_cpu *owner;
	int cpu, fd;
};

/* A sample whose raw stack has not come yet. */
struct raw_sample {
	struct cpu_sample head;
	uint64_t id, ns;
	int cpu;
	unsigned tries;
};

struct bpf_off_cpu {
	struct off_cpu_bpf *program;
	struct off_cpu_ring *ring;
	size_t cpus;
	struct ring_reader *reader;
	struct bpf_stacks *stacks;
	bool many_events;
	uint64_t off_cpu_id, wakeup_id;
	bool enabled;
	struct raw_waits *raw;
	VEC(struct raw_sample) raw_samples;
	VEC(struct off_cpu_rest) rest; /* waits that are on at the end, which is end_ns */
	uint64_t end_ns;
	bool stopped;
	struct wait_sums *sums;
	uint64_t raw_lost;
	/* During a drain. */
	struct sink *sink;
	struct err *err;
	int error;
};

static void choose_events(struct bpf_off_cpu *self, const struct perf_source *rings)
{
	for (size_t i = 0; i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];
		uint64_t id = selected->desc->ids.count ? selected->desc->ids.item[0] : 0;

		if (selected->spec->kind == EVENT_KIND_OFF_CPU)
			self->off_cpu_id = id;
		if (selected->spec->kind == EVENT_KIND_WAKEUP)
			self->wakeup_id = id;
	}
}

static bool selects(const struct perf_source *rings, enum event_kind kind)
{
	for (size_t i = 0; i < rings->selected_count; i++)
		if (rings->selected[i].spec->kind == kind)
			return true;
	return false;
}

static void configure(struct bpf_off_cpu *self, const struct bpf_off_cpu_options *options)
{
	const struct bpf_cpu_settings *settings = options->settings;
	const struct recording_off_cpu *choice = &options->record->off_cpu;
	const struct perf_source *rings = options->rings;
	struct off_cpu_bpf *program = self->program;

	program->rodata->seed = settings->seed ^ SEED_OF_STACKS;
	program->rodata->max_frames = settings->max_frames;
	program->rodata->with_kernel = settings->with_kernel;
	program->rodata->with_user = settings->with_user;
	program->rodata->many_events = self->many_events;
	program->rodata->clock_boottime = settings->boottime;
	program->rodata->wakeup_bytes = RING_BYTES / 4;
	program->rodata->threshold_ns = choice->thresh_given ? choice->thresh_ns
							     : DEFAULT_THRESHOLD_NS;
	program->rodata->accounts = choice->accounts ? choice->accounts : BLOCKED_ACCOUNTS;
	program->rodata->off_cpu_id = self->off_cpu_id;
	program->rodata->wakeup_id = self->wakeup_id;
	program->rodata->until_running = choice->until_running;
	program->rodata->min_ns = choice->min_ns;
	program->rodata->max_ns = choice->max_ns ? choice->max_ns : UINT64_MAX;
	program->rodata->task_states = choice->task_states;
	program->rodata->without_user_threads = choice->no_user_threads;
	program->rodata->without_kernel_threads = choice->no_kernel_threads;
	program->rodata->cgroup_id = choice->cgroup_id;
	program->rodata->with_sleepers = selects(rings, EVENT_KIND_OFF_CPU);
	program->rodata->with_wakers = selects(rings, EVENT_KIND_WAKEUP);
	program->rodata->everybody = rings->target.pid.item[0] == -1;
	program->rodata->inherit = !options->record->no_inherit && !options->record->per_thread;
	program->rodata->program = rings->plan.on_exec ? (uint32_t)options->record->program : 0;
	wait_classes((uint8_t *)program->rodata->class_of);
}

/* Who serves an interrupt matters to wake-ups only. */
static void leave_out(struct bpf_off_cpu *self)
{
	struct off_cpu_bpf *program = self->program;
	struct bpf_program *const of_interrupts[] = {
		program->progs.on_irq,	   program->progs.on_irq_done,
		program->progs.on_softirq, program->progs.on_softirq_done,
		program->progs.on_hrtimer, program->progs.on_hrtimer_done,
		program->progs.on_timer,   program->progs.on_timer_done,
	};

	for (size_t i = 0; i < sizeof(of_interrupts) / sizeof(of_interrupts[0]); i++)
		(void)bpf_program__set_autoload(of_interrupts[i], false); /* not loaded yet */
}

/* Maps of our own by CPU; tables are the sampler's. */
static int size_maps(struct bpf_off_cpu *self, const struct bpf_off_cpu_options *options)
{
	const struct unwind_pool_maps *tables = options->tables;
	struct off_cpu_bpf *program = self->program;
	struct bpf_map *const by_cpu[] = { program->maps.memories, program->maps.counts,
					   program->maps.caches, program->maps.rings };
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(by_cpu) / sizeof(by_cpu[0]); i++)
		code = bpf_map__set_max_entries(by_cpu[i], (uint32_t)self->cpus);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_shards, tables->shards);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_binaries, tables->binaries);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_spaces, tables->spaces);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_processes, tables->processes);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.python_processes, options->python_fd);
	return code;
}

static int load(struct bpf_off_cpu *self, const struct bpf_off_cpu_options *options,
		struct err *err)
{
	int code = 0;

	bpf_be_quiet();
	self->program = off_cpu_bpf__open();
	if (!self->program) {
		code = -errno;
	} else {
		bpf_program__set_autoattach(self->program->progs.on_contention, false);
		bpf_program__set_autoattach(self->program->progs.on_contention_end, false);
		configure(self, options);
		if (!self->program->rodata->with_wakers)
			leave_out(self);
		code = size_maps(self, options);
	}
	if (code)
		return bpf_fail(err, code, "off-CPU samples: opening the BPF programs");
	return bpf_load(self->program->skeleton, "off-CPU samples: loading the BPF programs", err);
}

static int name_targets(const struct bpf_off_cpu *self, const struct perf_target *target,
			struct err *err)
{
	const uint8_t yes = 1;

	if (self->program->rodata->everybody)
		return 0;
	for (size_t i = 0; i < target->pid.count; i++) {
		uint32_t tid = (uint32_t)target->pid.item[i];

		if (bpf_map__update_elem(self->program->maps.targets, &tid, sizeof(tid), &yes,
					 sizeof(yes), BPF_ANY))
			return bpf_fail(err, -errno, "off-CPU samples: filling the thread filter");
	}
	return 0;
}

static void take_record(void *context, void *data, size_t len);

static int open_ring(struct bpf_off_cpu *self, uint32_t cpu, struct err *err)
{
	struct off_cpu_ring *ring = &self->ring[cpu];

	ring->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "cupel_off_cpu", 0, 0, RING_BYTES, NULL);
	if (ring->fd < 0 ||
	    bpf_map_update_elem(bpf_map__fd(self->program->maps.rings), &cpu, &ring->fd, BPF_ANY))
		return bpf_fail(err, -errno, "off-CPU samples: ring buffer");
	if (!self->reader)
		self->reader = ring_reader_new(take_record);
	if (ring_reader_add(self->reader, ring->fd, ring, err))
		return err_wrap(err, "off-CPU samples");
	return ring_wake_by_edge(ring_reader_fd(self->reader), ring->fd, err);
}

static int open_reader(struct bpf_off_cpu *self, const struct bpf_off_cpu_options *options,
		       struct err *err)
{
	const struct bpf_stacks_options stacks = {
		.events = options->rings->source.events,
		.seed = self->program->rodata->seed,
		.many_events = self->many_events,
		.max_nodes = MAX_NODES,
		.seen = (uint64_t *)self->program->bss->seen,
	};
	const int sums_fd[] = { bpf_map__fd(self->program->maps.sums),
				bpf_map__fd(self->program->maps.odd_sums) };
	int code = 0;

	self->stacks = bpf_stacks_new(&stacks);
	self->raw = raw_waits_new();
	self->sums = wait_sums_new(sums_fd, &self->program->bss->odd_turn);
	self->ring = mem_zalloc(self->cpus * sizeof(*self->ring));
	for (uint32_t cpu = 0; cpu < self->cpus; cpu++)
		self->ring[cpu] = (struct off_cpu_ring){ self, (int)cpu, -1 };
	for (uint32_t cpu = 0; !code && cpu < self->cpus; cpu++)
		code = open_ring(self, cpu, err);
	return code;
}

int bpf_off_cpu_open(const struct bpf_off_cpu_options *options, struct bpf_off_cpu **ret,
		     struct err *err)
{
	struct bpf_off_cpu *self = mem_zalloc(sizeof(*self));
	int code;

	self->cpus = options->cpus;
	self->many_events = options->settings->many_events;
	choose_events(self, options->rings);
	code = load(self, options, err);
	if (!code)
		code = name_targets(self, &options->rings->target, err);
	if (!code)
		code = open_reader(self, options, err);
	if (code) {
		bpf_off_cpu_close(self);
		return code;
	}
	*ret = self;
	return 0;
}

void bpf_off_cpu_close(struct bpf_off_cpu *self)
{
	if (!self)
		return;
	ring_reader_free(self->reader);
	for (size_t i = 0; self->ring && i < self->cpus; i++)
		if (self->ring[i].fd >= 0)
			(void)close(self->ring[i].fd); /* nothing is left to lose */
	free(self->ring);
	off_cpu_bpf__destroy(self->program);
	bpf_stacks_free(self->stacks);
	raw_waits_free(self->raw);
	wait_sums_free(self->sums);
	vec_done(&self->raw_samples);
	vec_done(&self->rest);
	free(self);
}

int bpf_off_cpu_fd(const struct bpf_off_cpu *self)
{
	return ring_reader_fd(self->reader);
}

/* Runs an iterator over all threads; records of `size` bytes that it writes are taken. */
static int iterate(struct bpf_off_cpu *self, struct bpf_program *program, size_t size,
		   void (*take)(struct bpf_off_cpu *, const void *))
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	AUTO_FREE uint8_t *record = mem_alloc(size);
	int code = link ? 0 : -errno;

	if (!code) {
		AUTO_CLOSE int fd = bpf_iter_create(bpf_link__fd(link));
		ssize_t got = fd < 0 ? -errno : 0;

		while (fd >= 0 && (got = fd_read_full(fd, record, size)) == (ssize_t)size)
			take(self, record);
		code = got < 0 ? (int)got : 0;
	}
	(void)bpf_link__destroy(link);
	return code;
}

static void take_open(struct bpf_off_cpu *self, const void *record)
{
	raw_waits_keep_open(self->raw, record);
}

static void take_rest(struct bpf_off_cpu *self, const void *record)
{
	const struct off_cpu_rest *rest = record;

	vec_push(&self->rest, *rest);
}

int bpf_off_cpu_start(struct bpf_off_cpu *self, struct err *err)
{
	struct off_cpu_bpf *program = self->program;
	int code = off_cpu_bpf__attach(program);

	/* Before Linux 5.19 nothing tells of kernel locks. */
	program->links.on_contention_end = bpf_program__attach(program->progs.on_contention_end);
	program->links.on_contention = bpf_program__attach(program->progs.on_contention);
	if (!code) /* every thread of the targets gets its storage */
		code = iterate(self, self->program->progs.begin, 1, NULL);
	return code ? bpf_fail(err, code, "off-CPU samples: attaching") : 0;
}

int bpf_off_cpu_enable(struct bpf_off_cpu *self, bool on, struct err *err)
{
	int code;

	*(volatile bool *)&self->program->bss->enabled = on;
	if (!on || self->enabled) {
		self->enabled = on;
		return 0;
	}
	self->enabled = on;
	code = iterate(self, self->program->progs.begin_waits, sizeof(struct off_cpu_open),
		       take_open);
	return code ? bpf_fail(err, code, "off-CPU samples: iterating over threads") : 0;
}

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

/* A sample of a sum, as the kernel half would have sent it. */
struct sum_sample {
	struct cpu_sample head;
	uint64_t word[2];
};

static int tell_sum(struct bpf_off_cpu *self, struct sum_sample *sample, uint64_t ns, uint64_t id)
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

static int take_sum(void *context, const struct off_cpu_sum_key *key, const struct off_cpu_sum *sum)
{
	struct bpf_off_cpu *self = context;
	struct sum_sample sample = { 0 };
	int code = 0;

	if (key->waker_stack) {
		sample.head = (struct cpu_sample){ .time_ns = sum->last_ns,
						   .base = key->waker_stack,
						   .pid = key->waker_pid,
						   .tid = key->waker_tid };
		code = tell_sum(self, &sample, sum->ns, self->wakeup_id);
	}
	sample.head = (struct cpu_sample){
		.time_ns = sum->last_ns, .base = key->stack, .pid = key->pid, .tid = key->tid
	};
	if (code >= 0 && self->program->rodata->with_sleepers)
		code = tell_sum(self, &sample, sum->ns, self->off_cpu_id);
	return code < 0 ? code : 0;
}

static int take_sums(struct bpf_off_cpu *self)
{
	bool told = false;
	int code = wait_sums_read(self->sums, self->stopped, take_sum, self, &told);

	return code && !told ? bpf_fail(self->err, code, "off-CPU samples: reading sums") : code;
}

/* Waits that were on at the end. */
static int tell_rest(struct bpf_off_cpu *self)
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
			code = tell_sum(self, &sample, rest->ns, self->off_cpu_id);
		}
	}
	self->rest.count = 0;
	return code < 0 ? code : 0;
}

int64_t bpf_off_cpu_drain(struct bpf_off_cpu *self, struct sink *sink, struct err *err)
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
	if (!code)
		code = tell_rest(self);
	if (!code)
		code = finish_raw_samples(self);
	raw_waits_round(self->raw, clock_ns(CLOCK_MONOTONIC));
	if (!code)
		code = bpf_stacks_round(self->stacks, sink, err);
	return code < 0 ? code : (int64_t)(bpf_stacks_stats(self->stacks)->bytes - before);
}

int bpf_off_cpu_stop(struct bpf_off_cpu *self, uint64_t now_ns, struct err *err)
{
	bool was_enabled = self->program->bss->enabled;
	int code;

	self->end_ns = self->program->bss->end_ns = now_ns;
	off_cpu_bpf__detach(self->program);
	self->stopped = true;
	if (!was_enabled)
		return 0;
	code = iterate(self, self->program->progs.end_waits, sizeof(struct off_cpu_rest),
		       take_rest);
	return code ? bpf_fail(err, code, "off-CPU samples: iterating over threads") : 0;
}

uint64_t bpf_off_cpu_counts(const struct bpf_off_cpu *self, uint32_t cpu, struct walk_cost *cost)
{
	uint64_t lost = cpu ? 0 : self->raw_lost + bpf_stacks_stats(self->stacks)->unresolved;
	struct cpu_counts counts;

	if (!bpf_map_lookup_elem(bpf_map__fd(self->program->maps.counts), &cpu, &counts)) {
		lost += counts.lost;
		cost->walked += counts.walked;
		cost->handed_up += counts.raw;
		cost->handed_up_refused += counts.raw_refused;
		cost->reused += counts.reused;
		cost->believed += counts.believed;
	}
	return lost;
}
