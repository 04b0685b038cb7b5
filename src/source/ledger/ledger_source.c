/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of the scheduler core (see ledger_source.h). Everything it makes in the kernel
 * belongs to descriptors of this process, so nothing stays behind whatever ends it. */
#include "source/ledger/ledger_source.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/ledger.skel.h"
#include "event/event.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/thread_filter.h"
#include "source/id_list.h"
#include "source/ledger/wait_class.h"

#define SWEEP_NS     1000000000ull
#define MOST_EXIT_NS 1000000000ull
#define SPANS_NS     50000000ull /* between readings of intervals, of which there are many */

struct ledger_source {
	struct source source; /* first */
	struct ledger_bpf *skeleton;
	struct ring_reader *ring;
	struct id_list pid;
	/* during a call */
	struct sink *sink;
	struct err *err;
	int code;	    /* of the sink */
	uint64_t closes_ns; /* open accounts are closed as of then; 0 = left open */
};

static struct ledger_source *self_of(struct source *source)
{
	return (struct ledger_source *)source;
}

static int explain(struct err *err)
{
	if (!err->hint[0] && !bpf_kernel_since(5, 15))
		(void)err_hint(err, "requires Linux 5.15 or newer");
	return err_wrap(err, "opening the scheduler programs");
}

static int fail(struct err *err, int code, const char *step)
{
	(void)bpf_fail(err, code, step);
	return explain(err);
}

static void deliver(struct ledger_source *self, const struct event *event)
{
	if (!self->code)
		self->code = self->sink->event(self->sink, event, self->err);
}

static void add_wait(struct ledger_cell *cell, uint64_t ns)
{
	cell->ns += ns;
	cell->count++;
	if (ns > cell->max_ns)
		cell->max_ns = ns;
}

static void close_account(struct ledger_thread *thread, uint64_t end_ns)
{
	uint64_t ns = end_ns - thread->since_ns;

	if (thread->account >= LEDGER_ACCOUNTS || end_ns <= thread->since_ns)
		return;
	add_wait(&thread->cell[thread->account], ns);
	if (thread->account == LEDGER_CONDITION)
		add_wait(&thread->event[thread->event_kind % LEDGER_EVENTS], ns);
}

/* A thread that is alive. */
static void take_living(void *context, const void *thread)
{
	struct ledger_source *self = context;
	struct ledger_thread copy = *(const struct ledger_thread *)thread;
	const struct event event = { .type = EVENT_LEDGER_THREAD, .ledger_thread = &copy };

	if (!self->sink)
		return; /* it is met the first time */
	if (self->closes_ns) {
		close_account(&copy, self->closes_ns);
		copy.end_ns = self->closes_ns;
	}
	deliver(self, &event);
}

/* An exited thread, an interval, or a lock: distinguished by size. */
static void take_record(void *context, void *data, size_t size)
{
	const struct event ended = { .type = EVENT_LEDGER_THREAD, .ledger_thread = data };
	const struct event span = { .type = EVENT_LEDGER_SPAN, .ledger_span = data };

	const struct event lock = { .type = EVENT_LEDGER_LOCK, .ledger_lock = data };
	const struct event code = { .type = EVENT_LEDGER_CODE, .ledger_code = data };

	static_assert(sizeof(struct ledger_thread) != sizeof(struct ledger_span) &&
			      sizeof(struct ledger_code) < sizeof(struct ledger_span) &&
			      sizeof(struct ledger_lock) < sizeof(struct ledger_code),
		      "distinguished by size");
	if (size == sizeof(struct ledger_thread))
		deliver(context, &ended);
	else if (size == sizeof(struct ledger_span))
		deliver(context, &span);
	else if (size == sizeof(struct ledger_lock))
		deliver(context, &lock);
	else if (size == sizeof(struct ledger_code))
		deliver(context, &code);
}

static int map_rings(struct ledger_source *self, struct err *err)
{
	struct ledger_bpf *skeleton = self->skeleton;
	int code;

	self->ring = ring_reader_new(take_record);
	code = ring_reader_add(self->ring, bpf_map__fd(skeleton->maps.ended), self, err);
	if (!code)
		code = ring_reader_add(self->ring, bpf_map__fd(skeleton->maps.spans), self, err);
	return code ? explain(err) : 0;
}

static void set_up(struct ledger_bpf *skeleton, const struct source_options *options)
{
	const struct ledger_choice *choice = &options->ledger;

	skeleton->rodata->everybody = options->system_wide;
	skeleton->rodata->cgroup_id = options->cgroup_id;
	skeleton->rodata->with_idle = choice->idle;
	skeleton->rodata->emit_spans = choice->spans;
	/* None of these fail before loading. */
	if (choice->spans) /* a second of 170,000 of them */
		(void)bpf_map__set_max_entries(skeleton->maps.spans, 8 << 20);
	if (choice->histogram_unit_ns)
		skeleton->rodata->interval_unit_ns = choice->histogram_unit_ns;
	wait_classes((uint8_t *)skeleton->rodata->class_of);
	(void)bpf_program__set_autoload(skeleton->progs.begin_waits, bpf_kernel_since(5, 18));
	if (options->system_wide)
		(void)bpf_map__set_max_entries(skeleton->maps.edges, 65536);
}

static int name_processes(struct ledger_source *self, const struct source_options *options,
			  struct err *err)
{
	const uint8_t yes = 1;
	int code = id_list_parse(options->pids, "process", &self->pid, err);

	if (code)
		return code;
	for (size_t i = 0; i < self->pid.count; i++)
		if (kill(self->pid.item[i], 0) && errno == ESRCH)
			return err_set(err, -ESRCH, "process %d: no such process",
				       self->pid.item[i]);
	if (options->program)
		vec_push(&self->pid, options->program);
	if (self->pid.count && !options->system_wide && thread_filter_check(err))
		return err->code;
	for (size_t i = 0; i < self->pid.count; i++) {
		const uint32_t pid = (uint32_t)self->pid.item[i];

		if (bpf_map__update_elem(self->skeleton->maps.targets, &pid, sizeof(pid), &yes,
					 sizeof(yes), BPF_ANY))
			return fail(err, -errno, "filling the process filter");
	}
	return 0;
}

static int load(struct ledger_source *self, const struct source_options *options, struct err *err)
{
	int code;

	self->skeleton = ledger_bpf__open();
	if (!self->skeleton)
		return fail(err, -errno, "opening the BPF programs");
	set_up(self->skeleton, options);
	if (bpf_load(self->skeleton->skeleton, "loading the BPF programs", err))
		return explain(err);
	code = name_processes(self, options, err);
	return code ? code : map_rings(self, err);
}

static void ledger_close(struct source *source)
{
	struct ledger_source *self = self_of(source);

	ring_reader_free(self->ring);
	ledger_bpf__destroy(self->skeleton);
	vec_done(&self->pid);
	free(self);
}

static int ledger_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct ledger_source *self = mem_zalloc(sizeof(*self));
	int code;

	bpf_be_quiet();
	code = load(self, options, err);
	if (code) {
		ledger_close(&self->source);
		return code;
	}
	self->source.ops = &source_ledger;
	self->source.fd = ring_reader_fd(self->ring);
	self->source.sweep_ns = options->ledger.spans ? SPANS_NS : SWEEP_NS;
	*ret = &self->source;
	return 0;
}

void ledger_source_answer(struct source *source, const struct ledger_code *question,
			  const struct wait_code *code)
{
	const struct wait_code_key key = { .pc = question->pc, .tgid = question->tgid };

	/* full: unknown, as before */
	(void)bpf_map__update_elem(self_of(source)->skeleton->maps.wait_codes, &key, sizeof(key),
				   code, sizeof(*code), BPF_ANY);
}

/* What the program writes goes to the sink. */
static int iterate(struct ledger_source *self, struct bpf_program *program, struct err *err)
{
	int code = bpf_iterate(program, sizeof(struct ledger_thread), take_living, self);

	return code ? fail(err, code, "iterating over threads") : 0;
}

/* The map's values begin with the ledger. */
static int read_idle(struct ledger_source *self, struct err *err)
{
	const struct bpf_map *map = self->skeleton->maps.idle_tasks;
	size_t size = ((size_t)bpf_map__value_size(map) + 7) / 8 * 8;
	int cpus = libbpf_num_possible_cpus();
	const __u32 zero = 0;
	char *values;

	if (!self->skeleton->rodata->with_idle || cpus < 0)
		return 0;
	values = mem_zalloc(size * (size_t)cpus);
	if (bpf_map_lookup_elem(bpf_map__fd(map), &zero, values)) {
		free(values);
		return fail(err, -errno, "reading the ledgers of idle tasks");
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct ledger_thread thread;

		memcpy(&thread, values + size * (size_t)cpu, sizeof(thread));
		(void)snprintf(thread.comm, sizeof(thread.comm), "swapper/%u",
			       (unsigned)cpu % 100000);
		if (thread.born_ns)
			take_living(self, &thread);
	}
	free(values);
	return 0;
}

static int attach(struct bpf_program *program, struct bpf_link **ret, struct err *err)
{
	*ret = bpf_program__attach(program);
	return *ret ? 0 : fail(err, -errno, bpf_program__name(program));
}

static int ledger_start(struct source *source, struct err *err)
{
	struct ledger_source *self = self_of(source);
	struct ledger_bpf *skeleton = self->skeleton;
	struct {
		struct bpf_program *program;
		struct bpf_link **link;
	} parts[] = {
		/* Ends first, or the end of an interrupt that is being served would be missed. */
		{ skeleton->progs.on_irq_done, &skeleton->links.on_irq_done },
		{ skeleton->progs.on_softirq_done, &skeleton->links.on_softirq_done },
		{ skeleton->progs.on_hrtimer_done, &skeleton->links.on_hrtimer_done },
		{ skeleton->progs.on_timer_done, &skeleton->links.on_timer_done },
		{ skeleton->progs.on_irq, &skeleton->links.on_irq },
		{ skeleton->progs.on_softirq, &skeleton->links.on_softirq },
		{ skeleton->progs.on_hrtimer, &skeleton->links.on_hrtimer },
		{ skeleton->progs.on_timer, &skeleton->links.on_timer },
		{ skeleton->progs.on_switch, &skeleton->links.on_switch },
		{ skeleton->progs.on_waking, &skeleton->links.on_waking },
		{ skeleton->progs.on_exit, &skeleton->links.on_exit },
		{ skeleton->progs.on_fork, &skeleton->links.on_fork },
	};

	int code;

	source->start_ns = clock_ns(CLOCK_MONOTONIC);
	/* Before Linux 5.19 there is no tracepoint for kernel locks. */
	skeleton->links.on_contention_end = bpf_program__attach(skeleton->progs.on_contention_end);
	skeleton->links.on_contention = bpf_program__attach(skeleton->progs.on_contention);
	/* Nor of devices where the kernel has none. */
	skeleton->links.on_request_complete =
		bpf_program__attach(skeleton->progs.on_request_complete);
	skeleton->links.on_bio_complete = bpf_program__attach(skeleton->progs.on_bio_complete);
	skeleton->links.on_bio_queue = bpf_program__attach(skeleton->progs.on_bio_queue);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (attach(parts[i].program, parts[i].link, err))
			return err->code;
	self->sink = NULL;
	code = iterate(self, skeleton->progs.begin, err);
	if (!code && bpf_program__autoload(skeleton->progs.begin_waits))
		code = iterate(self, skeleton->progs.begin_waits, err);
	return code;
}

static void begin_call(struct ledger_source *self, struct sink *sink, struct err *err)
{
	self->sink = sink;
	self->err = err;
	self->code = 0;
}

static int64_t ledger_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct ledger_source *self = self_of(source);

	begin_call(self, sink, err);
	(void)ring_reader_drain(self->ring);
	return self->code;
}

/* All threads that are alive. */
static int read_living(struct ledger_source *self, struct err *err)
{
	int code = iterate(self, self->skeleton->progs.collect, err);

	if (!code)
		code = read_idle(self, err);
	return code ? code : self->code;
}

static int ledger_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct ledger_source *self = self_of(source);

	begin_call(self, sink, err);
	return read_living(self, err);
}

static int read_edges(struct ledger_source *self, struct err *err)
{
	int fd = bpf_map__fd(self->skeleton->maps.edges);
	struct ledger_edge_key key, *last = NULL;
	struct ledger_edge edge;
	const struct event event = { .type = EVENT_LEDGER_EDGE, .ledger_edge = { &key, &edge } };

	while (bpf_map_get_next_key(fd, last, &key) == 0) {
		if (bpf_map_lookup_elem(fd, &key, &edge) == 0)
			deliver(self, &event);
		last = &key;
	}
	if (errno != ENOENT)
		return fail(err, -errno, "reading wait edges");
	return self->code;
}

/* Waits for the ledgers of threads that are about to end. */
static void wait_for_exits(const struct ledger_source *self)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + MOST_EXIT_NS;

	while (__atomic_load_n(&self->skeleton->bss->exiting, __ATOMIC_ACQUIRE) &&
	       clock_ns(CLOCK_MONOTONIC) < until)
		(void)nanosleep(&pause, NULL);
}

/* Detaching takes long, and threads may end meanwhile. The program that sees their ends goes last.
 */
static void detach(struct ledger_source *self)
{
	struct bpf_link *last = self->skeleton->links.on_switch;

	self->skeleton->links.on_switch = NULL;
	ledger_bpf__detach(self->skeleton);
	(void)bpf_link__destroy(last);
}

static int ledger_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct ledger_source *self = self_of(source);
	struct ledger_counts counts;
	const struct event event = { .type = EVENT_LEDGER_COUNTS, .ledger_counts = &counts };
	int64_t code;

	source->end_ns = clock_ns(CLOCK_MONOTONIC);
	__atomic_store_n(&self->skeleton->bss->stopped_ns, source->end_ns, __ATOMIC_RELEASE);
	code = ledger_ready(source, sink, err);
	self->closes_ns = source->end_ns;
	if (!code)
		code = read_living(self, err);
	wait_for_exits(self);
	detach(self);
	if (!code)
		code = ledger_ready(source, sink, err);
	if (!code)
		code = read_edges(self, err);
	counts = self->skeleton->bss->counts;
	counts.lost_threads += self->skeleton->bss->exiting;
	deliver(self, &event);
	return code ? (int)code : self->code;
}

const struct source_ops source_ledger = {
	.name = "ledger",
	.help = "where the time of threads goes, accounted in the kernel",
	.open = ledger_open,
	.start = ledger_start,
	.ready = ledger_ready,
	.snapshot = ledger_snapshot,
	.stop = ledger_stop,
	.close = ledger_close,
};
