/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bpf_cpu source: samples with whole stacks, walked in the kernel (see bpf_cpu.h). Events,
 * their rates and targets, and the records that follow processes are perf_event's; only samples
 * take another way. Tracepoints stay with perf's rings, and get their stacks from
 * bpf_sample_stacks.h; events with more in a sample than the programs have stay there too. */
#include "source/bpf/bpf_cpu.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/cpu.h"
#include "bpf/cpu.skel.h"
#include "event/desc.h"
#include "source/bpf/bpf_cpu_tee.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_sample_stacks.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/thread_filter.h"
#include "source/perf_event/perf_event.h"

#define RING_BYTES	((size_t)1 << 20)
#define RING_LEAST	((size_t)128 << 10)
#define RINGS_MAX_BYTES ((size_t)64 << 20) /* all together */
/* Consumers hold samples back for up to two rounds. */
#define ROUNDS_OWED 3
#define WINDOW_NS   100000000u /* of the budget */
/* Reading and writing a sample takes no more; nor does unwinding one that was handed up. */
#define SAMPLE_MOST_NS 4000u
#define RAW_MOST_NS    40000u

static struct bpf_cpu *self_of(struct source *source)
{
	return (struct bpf_cpu *)source;
}

static struct perf_source *rings_of(const struct bpf_cpu *self)
{
	return (struct perf_source *)self->rings;
}

/* The program supports two clocks, and perf must use the same. */
static int choose_clock(struct bpf_cpu *self, struct err *err)
{
	struct recording_clock *clock = &self->options.clock;

	if (!clock->given)
		*clock = (struct recording_clock){ .given = true, .id = CLOCK_MONOTONIC };
	if (clock->id != CLOCK_MONOTONIC && clock->id != CLOCK_BOOTTIME)
		return err_set(err, -EINVAL, "-k: BPF programs support mono and boot only");
	self->settings.boottime = clock->id == CLOCK_BOOTTIME;
	return 0;
}

static int configure(struct bpf_cpu *self, const struct source_options *options, struct err *err)
{
	struct bpf_cpu_settings *settings = &self->settings;
	size_t rings = (size_t)libbpf_num_possible_cpus();

	self->options = *options;
	self->options.call_graph.mode = RECORDING_CALL_GRAPH_BPF;
	settings->with_kernel = !options->user_callchains;
	settings->with_user = !options->kernel_callchains;
	settings->with_addr = (options->data || options->faults) && !options->registers;
	settings->with_faults = settings->with_addr && options->faults;
	settings->with_registers = options->registers;
	settings->max_frames = options->max_stack && options->max_stack < CPU_USER_FRAMES
				       ? options->max_stack
				       : CPU_USER_FRAMES;
	settings->ring_bytes = RING_BYTES;
	while (settings->ring_bytes > RING_LEAST && settings->ring_bytes * rings > RINGS_MAX_BYTES)
		settings->ring_bytes /= 2;
	if (getrandom(&settings->seed, sizeof(settings->seed), 0) < 0)
		return err_errno(err, "getrandom");
	if (thread_filter_check(err)) /* perf sees the process ids of ours */
		return err->code;
	return choose_clock(self, err);
}

static int watch(const struct bpf_cpu *self, int fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? err_errno(err, "epoll") : 0;
}

static int open_reader(struct bpf_cpu *self, struct err *err)
{
	const struct bpf_stacks_options stacks = {
		.events = self->rings->events,
		.seed = self->settings.seed,
		.many_events = self->settings.many_events,
		.with_ip = !self->settings.with_kernel,
		.with_payload = self->settings.with_addr || self->settings.with_registers,
		.payload_is_addr = self->settings.with_addr,
		.seen = (uint64_t *)self->program->bss->seen,
	};
	int code;

	self->stacks = bpf_stacks_new(&stacks);
	self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (self->epoll_fd < 0)
		return err_errno(err, "epoll");
	code = watch(self, self->rings->fd, err);
	return code ? code : watch(self, ring_reader_fd(self->reader), err);
}

/* Whose samples come from other programs: waits, or hits of probes. */
static bool has_helper(const struct bpf_cpu *self, const struct source_ops *ops)
{
	for (size_t i = 0; i < self->helper.count; i++)
		if (self->helper.item[i]->ops == ops)
			return true;
	return false;
}

static int open_helpers(struct bpf_cpu *self, struct err *err)
{
	const struct perf_source *rings = rings_of(self);
	struct source_options options = self->options;
	int code = 0;

	options.sampler = &self->source;
	for (size_t i = 0; !code && i < rings->selected_count; i++) {
		const char *name = rings->selected[i].spec->served_by;
		const struct source_ops *ops = name ? source_find(name) : NULL;
		struct source *helper;

		if (!ops || has_helper(self, ops))
			continue;
		code = ops->open(&helper, &options, err);
		if (!code) {
			vec_push(&self->helper, helper);
			code = watch(self, helper->fd, err);
		}
	}
	return code;
}

static int open_walked(struct bpf_cpu *self, struct err *err)
{
	const struct perf_source *rings = rings_of(self);
	bool any = false;
	int code;

	for (size_t i = 0; i < rings->selected_count; i++)
		any |= rings->selected[i].walked;
	if (!any)
		return 0;
	code = sample_stacks_open(&self->walked, self, err);
	return code ? code : watch(self, sample_stacks_fd(self->walked), err);
}

/* The rings' part of the source's state. */
static void show(struct bpf_cpu *self)
{
	self->source = *self->rings;
	self->source.ops = &source_bpf_cpu;
	self->source.fd = self->epoll_fd;
	self->source.clock = self->options.clock;
	self->source.tables = &self->tables;
	self->source.python_fd_plus_one = bpf_map__fd(self->program->maps.python_processes) + 1;
}

static bool any_by_bpf(const struct perf_source *rings)
{
	for (size_t i = 0; i < rings->selected_count; i++)
		if (rings->selected[i].by_bpf || rings->selected[i].walked)
			return true;
	return false;
}

/* One record of a ring. */
static void take_record(void *context, void *data, size_t len)
{
	const struct bpf_cpu_ring *ring = context;
	struct bpf_cpu *self = ring->owner;
	const struct bpf_stacks_record record = { ring->cpu, data, len };

	if (!self->sink_error) /* what cannot be delivered is gone */
		self->sink_error = bpf_stacks_take(self->stacks, &record, self->to, self->err);
}

static int on_ready(void *context, const struct perf_source *rings, struct err *err)
{
	struct bpf_cpu *self = context;
	const struct perf_target *target = &rings->target;
	bool some = target->sampled.count, threads = target->cpu.item[0] < 0;
	int code;

	if (self->program)
		return 0;
	if (!any_by_bpf(rings))
		return err_set(err, -ENOTSUP, "%s: event not supported by the BPF program",
			       rings->selected[0].spec->name);
	self->settings.many_events = rings->selected_count > 1;
	for (size_t i = 0; i < rings->selected_count; i++)
		self->settings.counted += rings->selected[i].counted;
	self->settings.tick_ns = (uint32_t)rings->tick_ns;
	if (perf_source_by_cpu(rings))
		self->settings.program = (uint32_t)self->options.program;
	self->reader = ring_reader_new(take_record);
	if (some)
		code = bpf_cpu_load(self, target->sampled.item, target->sampled.count, err);
	else
		code = bpf_cpu_load(self, target->cpu.item, threads ? 0 : target->cpu.count, err);
	if (!code)
		bpf_cpu_slow_counted(self, rings);
	return code;
}

static int on_opened(void *context, const struct perf_selected *selected, int fd, struct err *err)
{
	const struct bpf_cpu *self = context;
	int program = bpf_program__fd(self->program->progs.on_sample);

	if (selected->counted && bpf_cpu_count(self, selected, fd, err))
		return err->code;
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)
		       ? err_errno(err, "attaching the BPF program")
		       : 0;
}

static void on_replaced(void *context, const struct perf_ring *ring)
{
	const struct bpf_cpu *self = context;

	if (self->walked)
		sample_stacks_ring(self->walked, ring);
}

static int open_all(struct bpf_cpu *self, struct err *err)
{
	int code;

	self->hooks = (struct perf_hooks){ self, on_ready, true, on_opened, on_replaced };
	code = perf_source_open(&self->rings, &self->options, &self->hooks, err);
	if (!code)
		code = open_reader(self, err);
	if (code)
		return code;
	show(self);
	code = open_walked(self, err);
	return code ? code : open_helpers(self, err);
}

static void bpf_cpu_detach(struct source *source)
{
	struct bpf_cpu *self = self_of(source);

	self->rings->ops->detach(self->rings); /* events first: they use the program */
	for (size_t i = 0; i < self->helper.count; i++)
		source_detach(self->helper.item[i]);
	if (self->walked)
		sample_stacks_detach(self->walked);
	cpu_bpf__detach(self->program);
}

static void bpf_cpu_close(struct source *source)
{
	struct bpf_cpu *self = self_of(source);

	if (self->epoll_fd >= 0)
		(void)close(self->epoll_fd);
	if (self->rings)
		self->rings->ops->close(self->rings); /* events first: they use the program */
	for (size_t i = 0; i < self->helper.count; i++)
		source_close(self->helper.item[i]);
	vec_done(&self->helper);
	sample_stacks_close(self->walked);
	bpf_stacks_free(self->stacks);
	bpf_cpu_unload(self);
	buf_done(&self->span);
	free(self->loss);
	free(self);
}

static int bpf_cpu_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct bpf_cpu *self = mem_zalloc(sizeof(*self));
	int code;

	self->epoll_fd = -1;
	bpf_cpu_open_tee(self);
	code = configure(self, options, err);
	if (!code)
		code = open_all(self, err);
	if (code) {
		bpf_cpu_close(&self->source);
		return code;
	}
	*ret = &self->source;
	return 0;
}

/* Without these, it is unknown what page faults were about. */
static void follow_faults(struct cpu_bpf *program)
{
	program->links.on_fault = bpf_program__attach(program->progs.on_fault);
	program->links.on_fault_page = bpf_program__attach(program->progs.on_fault_page);
	program->links.on_fault_count = bpf_program__attach(program->progs.on_fault_count);
}

static int bpf_cpu_start(struct source *source, struct err *err)
{
	struct bpf_cpu *self = self_of(source);
	int code = self->settings.program ? bpf_cpu_follow(self, err) : 0;

	if (self->walked)
		sample_stacks_start(self->walked, &self->source);
	if (!code)
		code = self->rings->ops->start(self->rings, err);
	/* Kernels without these tracepoints do not report code that replaces other code. */
	self->program->links.on_unmapped_area =
		bpf_program__attach(self->program->progs.on_unmapped_area);
	if (self->settings.with_faults)
		follow_faults(self->program);
	self->program->links.on_map_write = bpf_program__attach(self->program->progs.on_map_write);
	for (size_t i = 0; !code && i < self->helper.count; i++)
		code = self->helper.item[i]->ops->start(self->helper.item[i], err);
	return code;
}

static int bpf_cpu_enable(struct source *source, bool on, struct err *err)
{
	struct bpf_cpu *self = self_of(source);
	int code = 0;

	for (size_t i = 0; !code && i < self->helper.count; i++)
		code = source_enable(self->helper.item[i], on, err);
	return code ? code : self->rings->ops->enable(self->rings, on, err);
}

/* What sampling has taken so far. */
static void measure(const struct bpf_cpu *self, struct bpf_cpu_used *ret)
{
	int fd = bpf_map__fd(self->program->maps.counts);
	const uint64_t *writer = self->source.writer_cpu_ns;

	ret->threads_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (writer)
		ret->threads_ns += __atomic_load_n(writer, __ATOMIC_RELAXED);
	for (uint32_t cpu = 0; cpu < self->cpus; cpu++) {
		struct cpu_counts counts;

		if (bpf_map_lookup_elem(fd, &cpu, &counts))
			continue;
		ret->ticks += counts.ticks;
		ret->samples += counts.samples;
		ret->raw += counts.raw;
		ret->spent_ns += counts.spent_ns;
	}
}

static uint64_t taken_ns(const struct bpf_cpu_used *last, const struct bpf_cpu_used *now,
			 uint64_t tick_ns)
{
	uint64_t threads = now->threads_ns - last->threads_ns;
	uint64_t most = (now->samples - last->samples) * SAMPLE_MOST_NS +
			(now->raw - last->raw) * RAW_MOST_NS;

	return now->spent_ns - last->spent_ns + (now->ticks - last->ticks) * tick_ns +
	       (threads < most ? threads : most);
}

static int keep_to_budget(struct bpf_cpu *self, struct err *err)
{
	struct perf_source *rings = rings_of(self);
	struct bpf_cpu_used now = { .at_ns = clock_ns(CLOCK_MONOTONIC) };
	const struct bpf_cpu_used *last = &self->used;
	double rate = perf_source_rate(rings);
	struct sampling_use use;

	if (!rings->budget.share || now.at_ns - last->at_ns < WINDOW_NS)
		return 0;
	measure(self, &now);
	use = (struct sampling_use){
		.elapsed_ns = now.at_ns - last->at_ns,
		.taken_ns = taken_ns(last, &now, rings->tick_ns),
	};
	/* A target with a period in another unit than time is assumed to run all the
	 * time. */
	use.sampled_ns = rate > 0 ? (uint64_t)((double)(now.samples - last->samples) * 1e9 / rate)
				  : use.elapsed_ns;
	if (!last->at_ns) { /* what came before sampling is not accounted */
		self->used = now;
		return 0;
	}
	self->used = now;
	if (!sampling_budget_update(&rings->budget, &use))
		return 0;
	*(volatile bool *)&self->program->bss->rate_changed = true;
	bpf_cpu_slow_counted(self, rings);
	return perf_source_slow_down(rings, err);
}

/* Reads the program's rings and ends the round that began at start_ns. */
static int64_t finish_round(struct bpf_cpu *self, int64_t bytes, uint64_t start_ns, struct err *err)
{
	const struct event round = { .type = EVENT_ROUND, .has_time = true, .time_ns = start_ns };
	uint64_t before = bpf_stacks_stats(self->stacks)->bytes;
	int code;

	self->sink_error = 0;
	self->err = err;
	(void)ring_reader_drain(self->reader);
	code = self->sink_error;
	if (!code)
		code = bpf_stacks_round(self->stacks, self->to, err);
	if (!code && self->walked) {
		int64_t walked = sample_stacks_round(self->walked, self->stopped, self->to, err);

		code = walked < 0 ? (int)walked : 0;
		bytes += walked;
	}
	for (size_t i = 0; !code && i < self->helper.count; i++) {
		int64_t more = source_ready(self->helper.item[i], self->to, err);

		code = more < 0 ? (int)more : 0;
		bytes += more;
	}
	if (code)
		return code;
	bytes += (int64_t)(bpf_stacks_stats(self->stacks)->bytes - before);
	code = keep_to_budget(self, err);
	if (code)
		return code;
	if (bytes)
		self->owed_rounds = ROUNDS_OWED;
	if (!self->owed_rounds)
		return 0;
	self->owed_rounds--;
	code = self->to->event(self->to, &round, err);
	return code ? code : bytes;
}

static int64_t bpf_cpu_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct bpf_cpu *self = self_of(source);
	uint64_t start_ns = clock_ns(self->options.clock.id);
	int64_t bytes;

	self->to = sink;
	bytes = source_ready(self->rings, &self->tee, err);
	return bytes < 0 ? bytes : finish_round(self, bytes, start_ns, err);
}

static int bpf_cpu_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct bpf_cpu *self = self_of(source);
	uint64_t start_ns = clock_ns(self->options.clock.id);
	int64_t bytes;

	self->to = sink;
	bytes = self->rings->ops->snapshot(self->rings, &self->tee, err);
	if (bytes >= 0)
		bytes = finish_round(self, 1, start_ns, err);
	return bytes < 0 ? (int)bytes : 0;
}

static void add_counts(struct walk_cost *cost, const struct cpu_counts *counts)
{
	static_assert(WALK_COST_BUCKETS == CPU_COST_BUCKETS, "same buckets on both sides");
	cost->walked += counts->walked;
	cost->handed_up += counts->raw;
	cost->handed_up_refused += counts->raw_refused;
	cost->replaced += counts->replaced;
	cost->cache_hits += counts->cache_hits;
	cost->cache_misses += counts->cache_misses;
	for (size_t i = 0; i < WALK_COST_BUCKETS; i++)
		cost->by_time[i] += counts->cost[i];
}

static void add_loss(struct bpf_cpu *self, const struct source *part, size_t *count)
{
	for (size_t i = 0; i < part->loss_count; i++)
		if (part->loss[i].lost)
			self->loss[(*count)++] = part->loss[i];
}

static void note_rate(struct bpf_cpu *self)
{
	const struct perf_source *rings = rings_of(self);
	const struct sampling_budget *budget = &rings->budget;

	if (!budget->changes)
		return;
	perf_source_put_rate(rings, &self->cost);
	perf_source_note_rate(rings, &self->source);
}

/* What the rings lost and what the program did. */
static void collect_counts(struct bpf_cpu *self)
{
	int fd = bpf_map__fd(self->program->maps.counts);
	size_t count = 0;

	self->loss = mem_zalloc((self->rings->loss_count + (2 + self->helper.count) * self->cpus) *
				sizeof(*self->loss));
	add_loss(self, self->rings, &count);
	if (self->walked)
		sample_stacks_counts(self->walked, &self->cost);
	for (size_t i = 0; i < self->helper.count; i++) {
		add_loss(self, self->helper.item[i], &count);
		walk_cost_add(&self->cost, self->helper.item[i]->walks);
		if (self->helper.item[i]->notes[0])
			source_note(&self->source, "%.*s",
				    (int)strcspn(self->helper.item[i]->notes, "\n"),
				    self->helper.item[i]->notes);
	}
	for (uint32_t cpu = 0; cpu < self->cpus; cpu++) {
		struct cpu_counts counts;

		if (bpf_map_lookup_elem(fd, &cpu, &counts))
			continue;
		add_counts(&self->cost, &counts);
		if (counts.lost)
			self->loss[count++] = (struct source_loss){ .cpu = (int)cpu,
								    .lost = counts.lost,
								    .unreported = true };
	}
	note_rate(self);
	self->cost.ring_bytes = bpf_stacks_stats(self->stacks)->bytes;
	self->source.walks = &self->cost;
	self->source.loss = self->loss;
	self->source.loss_count = count;
}

static int bpf_cpu_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct bpf_cpu *self = self_of(source);
	uint64_t start_ns = clock_ns(self->options.clock.id);
	int64_t rest;
	int code = 0;

	self->to = sink;
	for (size_t i = 0; !code && i < self->helper.count; i++)
		code = self->helper.item[i]->ops->stop(self->helper.item[i], sink, err);
	if (!code)
		code = self->rings->ops->stop(self->rings, &self->tee, err);
	self->stopped = true;
	rest = finish_round(self, 1, start_ns, err);
	self->source.ring_bytes = self->rings->ring_bytes;
	collect_counts(self);
	return code ? code : rest < 0 ? (int)rest : 0;
}

const struct source_ops source_bpf_cpu = {
	.name = "bpf_cpu",
	.help = "sampling events with user stacks walked in the kernel",
	.open = bpf_cpu_open,
	.start = bpf_cpu_start,
	.enable = bpf_cpu_enable,
	.ready = bpf_cpu_ready,
	.snapshot = bpf_cpu_snapshot,
	.stop = bpf_cpu_stop,
	.detach = bpf_cpu_detach,
	.close = bpf_cpu_close,
};
