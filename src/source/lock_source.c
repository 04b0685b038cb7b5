/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "lock": waits for locks as samples of lock-wait and lock-holder, which carry the sums
 * of event/lock_wait.h (bpf/lock.bpf.c). It works for a sampler (options->sampler) with events that
 * only provide ids, and that follows processes and fills tables. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/cpu.h"
#include "bpf/lock.skel.h"
#include "event/desc.h"
#include "event/lock_wait.h"
#include "event/stop.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/bpf_walker.h"
#include "source/bpf/sum_maps.h"
#include "source/bpf/thread_filter.h"
#include "source/ledger/wait_class.h"
#include "source/lock_choice.h"
#include "source/lock_source_kernel.h"
#include "source/perf_event/perf_event.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define WHAT	   "waits for locks"
#define RING_BYTES (1u << 20) /* of each CPU */

struct lock_source {
	struct source source; /* first */
	const struct bpf_cpu *sampler;
	struct lock_bpf *program;
	struct bpf_walker *walker;
	struct sum_maps *sums;
	bool many_events, enabled, stopped;
	uint64_t wait_id, holder_id; /* of the events */
	uint64_t round_ns;	     /* the time of samples of sums */
	uint64_t number;	     /* of the last sum */
	int64_t sum_bytes;	     /* of those of a drain */
	struct probe_links links;
	struct probe_attach attach;
	struct lock_kernel_hold kernel_hold;
	/* During a drain. */
	struct sink *sink;
	struct err *err;
};

/* A sample as the kernel part would have sent it: id, period, and the payload with its length. */
struct lock_sample {
	struct cpu_sample head;
	uint64_t word[3 + sizeof(struct lock_wait_data) / 8];
};

/* What is summed up later in user space has numbers of its own, apart from the kernel part's. */
#define FIRST_NUMBER (1ull << 48)

static struct lock_source *self_of(struct source *source)
{
	return (struct lock_source *)source;
}

static void lock_close(struct source *source)
{
	struct lock_source *self = self_of(source);

	probe_links_close(&self->links);
	lock_kernel_hold_close(&self->kernel_hold);
	sum_maps_free(self->sums);
	bpf_walker_close(self->walker);
	lock_bpf__destroy(self->program);
	free(self);
}

static const struct perf_source *rings_of(const struct lock_source *self)
{
	return (const struct perf_source *)self->sampler->rings;
}

static void choose_events(struct lock_source *self, const struct perf_source *rings)
{
	for (size_t i = 0; i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];
		uint64_t id = selected->desc->ids.count ? selected->desc->ids.item[0] : 0;

		if (selected->spec->kind == EVENT_KIND_LOCK_WAIT)
			self->wait_id = id;
		if (selected->spec->kind == EVENT_KIND_LOCK_HOLDER)
			self->holder_id = id;
	}
}

/* Whether waits that are on at the beginning can be found: a program that may sleep is needed. */
static bool has_standing(const struct lock_choice *choice)
{
	return choice->user && bpf_kernel_since(5, 18);
}

static uint8_t hold_action(const char *name)
{
	size_t len = strlen(name);
	bool mutex = strstr(name, "pthread_mutex_") != NULL;

	if (strstr(name, "pthread_cond_"))
		return HOLD_CONDITION;
	if (!mutex && !strstr(name, "pthread_rwlock_"))
		return HOLD_NOTHING;
	if (len > 6 && strcmp(name + len - 6, "unlock") == 0)
		return HOLD_LET_GO;
	return mutex ? HOLD_TAKE_MUTEX : HOLD_TAKE_RWLOCK;
}

static void configure_hold(struct lock_source *self, const struct source_options *options)
{
	const struct probe_choice *hold = options->lock ? options->lock->hold : NULL;
	struct lock_bpf *program = self->program;

	(void)bpf_program__set_autoload(program->progs.on_hold, hold != NULL);
	bpf_program__set_autoattach(program->progs.on_hold, false);
	program->rodata->with_hold = hold != NULL;
	if (!hold)
		return;
	self->attach = probe_attach_to(hold, options);
	probe_links_prepare(program->skeleton, &self->attach);
	for (size_t i = 0; i < hold->names.count && i < HOLD_FUNCTIONS; i++)
		((uint8_t *)program->rodata->hold_action)[i] = hold_action(hold->names.item[i]);
}

static void configure(struct lock_source *self, const struct source_options *options)
{
	static const struct lock_choice usual = { .user = true, .kernel = true };
	const struct lock_choice *choice = options->lock ? options->lock : &usual;
	const struct perf_source *rings = rings_of(self);
	struct lock_bpf *program = self->program;

	BPF_WALKER_CONFIGURE(program->rodata, self->sampler);
	program->rodata->wakeup_bytes = RING_BYTES / 4;
	program->rodata->many_events = self->many_events;
	program->rodata->with_payload = true;
	program->rodata->slot_cpus = (uint32_t)self->sampler->cpus;
	program->rodata->wait_id = self->wait_id;
	program->rodata->belief_ns = 0; /* each wait has the stack that it came by */
	program->rodata->everybody = rings->target.pid.item[0] == -1;
	program->rodata->inherit = !options->no_inherit && !options->per_thread;
	program->rodata->program = rings->plan.on_exec ? (uint32_t)options->program : 0;
	program->rodata->with_user_locks = choice->user;
	program->rodata->with_kernel_locks = choice->kernel;
	program->rodata->least_ns = choice->least_ns;
	program->rodata->lock_wanted = choice->address;
	program->rodata->cgroup_id = choice->cgroup_id;
	wait_classes((uint8_t *)program->rodata->class_of);
	/* Before Linux 5.19 there is no tracepoint for kernel locks. */
	bpf_program__set_autoattach(program->progs.on_lock, false);
	(void)bpf_program__set_autoload(program->progs.begin_waits, has_standing(choice));
	bpf_program__set_autoattach(program->progs.on_lock_end, false);
	configure_hold(self, options);
	lock_kernel_hold_configure(&self->kernel_hold, program, choice->kernel_hold);
	if (choice->no_user_stacks)
		program->rodata->with_user = false;
}

static int load(struct lock_source *self, const struct source_options *options, struct err *err)
{
	int code;

	bpf_be_quiet();
	self->program = lock_bpf__open();
	if (!self->program)
		return bpf_fail(err, -errno, WHAT ": opening the BPF programs");
	configure(self, options);
	code = bpf_walker_share(self->program->obj, self->sampler);
	if (!code)
		code = bpf_walker_add_slots(self->program->obj, self->sampler);
	if (code)
		return bpf_fail(err, code, WHAT ": sizing the maps");
	return bpf_load(self->program->skeleton, WHAT ": loading the BPF programs", err);
}

static int name_targets(const struct lock_source *self, struct err *err)
{
	if (self->program->rodata->everybody)
		return 0;
	if (thread_filter_put(self->program->maps.targets, &rings_of(self)->target, err))
		return err_wrap(err, WHAT);
	return 0;
}

static int open_reader(struct lock_source *self, struct err *err)
{
	const struct bpf_walker_options options = { .sampler = self->sampler,
						    .object = self->program->obj,
						    .what = WHAT,
						    .many_events = self->many_events,
						    .with_payload = true,
						    .ring_bytes = RING_BYTES,
						    .seen = (uint64_t *)self->program->bss->seen };
	const struct sum_maps_options sums = {
		.map_fd = { bpf_map__fd(self->program->maps.sums),
			    bpf_map__fd(self->program->maps.odd_sums) },
		.odd_turn = &self->program->bss->odd_turn,
		.key_size = sizeof(struct lock_sum_key),
		.sum_size = sizeof(struct lock_sum),
	};

	self->sums = sum_maps_new(&sums);
	return bpf_walker_open(&self->walker, &options, err);
}

static int lock_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct lock_source *self;
	int code;

	if (!options->sampler)
		return err_set(err, -EINVAL, WHAT ": no CPU sampler to work for");
	self = mem_zalloc(sizeof(*self));
	self->source.ops = source_find("lock");
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->many_events = self->sampler->settings.many_events;
	self->number = FIRST_NUMBER;
	choose_events(self, rings_of(self));
	code = load(self, options, err);
	if (!code)
		code = name_targets(self, err);
	if (!code)
		code = open_reader(self, err);
	if (code) {
		lock_close(&self->source);
		return code;
	}
	self->source.fd = bpf_walker_fd(self->walker);
	*ret = &self->source;
	return 0;
}

static int lock_start(struct source *source, struct err *err)
{
	struct lock_source *self = self_of(source);
	struct lock_bpf *program = self->program;
	int code = lock_bpf__attach(program);

	program->links.on_lock_end = bpf_program__attach(program->progs.on_lock_end);
	program->links.on_lock = bpf_program__attach(program->progs.on_lock);
	if (!program->links.on_lock && program->rodata->with_kernel_locks)
		source_note(source,
			    "this kernel has no tracepoints for its locks (Linux 5.19 has): "
			    "only locks of programs are seen");
	if (!code)
		code = bpf_iterate(program->progs.begin, 0, NULL, NULL);
	if (!code && program->rodata->with_hold) {
		if (probe_links_places(&self->links, bpf_program__fd(program->progs.on_hold),
				       &self->attach, err))
			return err_wrap(err, "probing the C library for hold times");
		probe_links_note(&self->links, self->attach.choice, source);
	}
	if (!code && lock_kernel_hold_attach(&self->kernel_hold, program, err))
		return err->code;
	if (!code && bpf_program__autoload(program->progs.begin_waits))
		code = bpf_iterate(program->progs.begin_waits, 0, NULL, NULL);
	return code ? bpf_fail(err, code, WHAT ": attaching") : 0;
}

static int lock_enable(struct source *source, bool on, struct err *err)
{
	(void)err;
	*(volatile bool *)&self_of(source)->program->bss->enabled = on;
	return 0;
}

/* What follows the head of a sample. Returns the length of all. */
static size_t put_words(const struct lock_source *self, struct lock_sample *sample, uint64_t id,
			const void *data, size_t len)
{
	size_t words = 0;

	if (self->many_events)
		sample->word[words++] = id;
	if (sample->head.period == UINT32_MAX)
		sample->word[words++] = ((const struct lock_wait_data *)data)->sum.ns;
	sample->word[words++] = len;
	memcpy(&sample->word[words], data, len);
	return sizeof(sample->head) + words * 8 + len;
}

static int deliver(struct lock_source *self, struct lock_sample *sample, uint64_t id,
		   const struct lock_wait_data *data, size_t len)
{
	struct bpf_stacks_record record = { -1, sample, put_words(self, sample, id, data, len) };

	self->sum_bytes += (int64_t)record.len;
	return bpf_walker_take(self->walker, &record, self->sink, self->err);
}

static void set_stack(const struct lock_source *self, struct lock_sample *sample, uint64_t stack,
		      bool raw)
{
	sample->head.base =
		stack && !raw ? stack
			      : cpu_node_root(self->program->rodata->seed, STACK_STOP_NOT_TAKEN);
}

static int take_sum(void *context, const void *of, const void *what)
{
	struct lock_source *self = context;
	struct lock_wait_data data;
	const struct lock_sum_key *key = &data.key;
	struct lock_sample sample;
	int code;

	memcpy(&data.key, of, sizeof(data.key));
	memcpy(&data.sum, what, sizeof(data.sum));
	if (!data.sum.count)
		return 0;
	data.number = ++self->number;
	sample.head = (struct cpu_sample){
		.time_ns = self->round_ns,
		.pid = key->pid,
		.tid = key->tid,
		.kind = CPU_WALKED,
		.flags = key->kind == LOCK_KIND_KERNEL ? CPU_IN_KERNEL : 0,
		.period = data.sum.ns < UINT32_MAX ? (uint32_t)data.sum.ns : UINT32_MAX,
	};
	set_stack(self, &sample, key->stack, key->flags & LOCK_RAW_STACK);
	code = deliver(self, &sample, self->wait_id, &data, sizeof(data));
	if (code < 0 || !key->holder_tid || !self->holder_id)
		return code < 0 ? code : 0;
	sample.head.pid = key->holder_pid;
	sample.head.tid = key->holder_tid;
	set_stack(self, &sample, key->holder_stack, key->flags & LOCK_RAW_HOLDER);
	code = deliver(self, &sample, self->holder_id, &data, sizeof(data.number));
	return code < 0 ? code : 0;
}

/* The rings first: what a sum names is known from them. */
static int64_t drain(struct lock_source *self, struct sink *sink, struct err *err)
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

static int64_t lock_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct lock_source *self = self_of(source);

	return self->stopped ? 0 : drain(self, sink, err);
}

static void note_hold(struct lock_source *self)
{
	bool with_hold = self->program->rodata->with_hold;
	uint64_t calls = self->program->bss->hold_calls + self->program->bss->kernel_hold_calls;

	if (with_hold && !calls)
		source_note(&self->source,
			    "hold times: no call of the C library's lock functions was seen; those "
			    "of a statically linked program are not probed");
	else if (with_hold || self->kernel_hold.take.kernel.count)
		source_note(&self->source,
			    "hold times: %" PRIu64 " calls of lock functions stopped for a probe",
			    calls);
}

static int lock_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct lock_source *self = self_of(source);
	bool was_enabled = self->program->bss->enabled;
	int64_t code = 0;

	self->program->bss->end_ns = clock_ns(self->sampler->source.clock.id);
	/* A program that is killed at the same time ends its waits before they are read, or by
	 * itself: the programs that see that are still there. */
	if (was_enabled)
		code = bpf_iterate(self->program->progs.end, 0, NULL, NULL);
	lock_bpf__detach(self->program);
	self->stopped = true;
	note_hold(self);
	if (code)
		code = bpf_fail(err, (int)code, WHAT ": iterating over threads");
	else
		code = drain(self, sink, err);
	if (code >= 0) /* samples that waited for the name of their stack */
		code = bpf_walker_drain(self->walker, sink, err);
	bpf_walker_report(self->walker, source, self->program->bss->lost_waits);
	return code < 0 ? (int)code : 0;
}

static void lock_detach(struct source *source)
{
	struct lock_source *self = self_of(source);

	probe_links_close(&self->links);
}

const struct source_ops source_lock = {
	.name = "lock",
	.help = "waits for locks with their holders and stacks, for a CPU sampler",
	.open = lock_open,
	.start = lock_start,
	.enable = lock_enable,
	.ready = lock_ready,
	.stop = lock_stop,
	.detach = lock_detach,
	.close = lock_close,
};
