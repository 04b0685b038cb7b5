/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of the scheduler core (see scheduler.h). Everything it makes in the kernel
 * belongs to descriptors of this process, so nothing stays behind whatever ends it. */
#include "source/scheduler/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "bpf/scheduler.skel.h"
#include "source/bpf_error.h"
#include "source/scheduler/scheduler_class.h"

struct scheduler {
	struct scheduler_bpf *skeleton;
	struct ring_buffer *ring;
	struct scheduler_reader *reader; /* during a call */
};

static int fail(struct err *err, int code, const char *step)
{
	(void)bpf_fail(err, code, step);
	if (!err->hint[0])
		(void)err_hint(err, "this needs Linux 5.15 or newer");
	return err_wrap(err, "watching the scheduler");
}

static int take_ended(void *context, void *data, size_t size)
{
	struct scheduler *scheduler = context;

	if (size == sizeof(struct ledger_thread))
		scheduler->reader->thread(scheduler->reader, data);
	return 0;
}

static int take_span(void *context, void *data, size_t size)
{
	struct scheduler *scheduler = context;

	if (size == sizeof(struct ledger_span) && scheduler->reader->span)
		scheduler->reader->span(scheduler->reader, data);
	return 0;
}

static int map_rings(struct scheduler *scheduler, struct err *err)
{
	struct scheduler_bpf *skeleton = scheduler->skeleton;

	scheduler->ring =
		ring_buffer__new(bpf_map__fd(skeleton->maps.ended), take_ended, scheduler, NULL);
	if (!scheduler->ring || ring_buffer__add(scheduler->ring, bpf_map__fd(skeleton->maps.spans),
						 take_span, scheduler))
		return fail(err, -errno, "mapping the ring buffers");
	return 0;
}

static int load(struct scheduler *scheduler, const struct scheduler_target *target, struct err *err)
{
	struct scheduler_bpf *skeleton = scheduler_bpf__open();
	const uint8_t yes = 1;
	int code;

	if (!skeleton)
		return fail(err, -errno, "opening the BPF programs");
	scheduler->skeleton = skeleton;
	skeleton->rodata->everybody = target->everybody;
	skeleton->rodata->cgroup_id = target->cgroup_id;
	skeleton->rodata->with_idle = target->idle;
	skeleton->rodata->tell_spans = target->spans;
	if (target->spans) /* a second of 170,000 of them */
		(void)bpf_map__set_max_entries(skeleton->maps.spans, 8 << 20);
	if (target->histogram_unit_ns)
		skeleton->rodata->interval_unit_ns = target->histogram_unit_ns;
	scheduler_classes((uint8_t *)skeleton->rodata->class_of);
	if (target->everybody)
		(void)bpf_map__set_max_entries(skeleton->maps.edges, 65536); /* not loaded yet */
	code = scheduler_bpf__load(skeleton);
	if (code)
		return fail(err, code, "loading the BPF programs");
	for (size_t i = 0; i < target->count; i++)
		if (bpf_map__update_elem(skeleton->maps.targets, &target->pid[i],
					 sizeof(*target->pid), &yes, sizeof(yes), BPF_ANY))
			return fail(err, -errno, "naming the processes");
	return map_rings(scheduler, err);
}

int scheduler_open(const struct scheduler_target *target, struct scheduler **ret, struct err *err)
{
	struct scheduler *scheduler = mem_zalloc(sizeof(*scheduler));
	int code;

	bpf_be_quiet();
	code = load(scheduler, target, err);
	if (code) {
		scheduler_close(scheduler);
		return code;
	}
	*ret = scheduler;
	return 0;
}

/* Runs an iterator program over all threads; what it writes goes to the reader. */
static int iterate(struct scheduler *scheduler, struct bpf_program *program, struct err *err)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	struct ledger_thread thread;
	int code = link ? 0 : -errno;
	ssize_t got = 0;

	if (!code) {
		AUTO_CLOSE int fd = bpf_iter_create(bpf_link__fd(link));

		if (fd < 0)
			code = -errno;
		while (!code && (got = fd_read_full(fd, &thread, sizeof(thread))) > 0)
			if (got == (ssize_t)sizeof(thread) && scheduler->reader)
				scheduler->reader->thread(scheduler->reader, &thread);
		if (got < 0)
			code = (int)got;
	}
	(void)bpf_link__destroy(link);
	return code ? fail(err, code, "going through the threads") : 0;
}

/* The map's values begin with the ledger. */
static int read_idle(struct scheduler *scheduler, struct err *err)
{
	const struct bpf_map *map = scheduler->skeleton->maps.idle_tasks;
	size_t size = ((size_t)bpf_map__value_size(map) + 7) / 8 * 8;
	int cpus = libbpf_num_possible_cpus();
	const __u32 zero = 0;
	char *values;

	if (!scheduler->skeleton->rodata->with_idle || cpus < 0)
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
			scheduler->reader->thread(scheduler->reader, &thread);
	}
	free(values);
	return 0;
}

static int attach(struct bpf_program *program, struct bpf_link **ret, struct err *err)
{
	*ret = bpf_program__attach(program);
	return *ret ? 0 : fail(err, -errno, bpf_program__name(program));
}

int scheduler_start(struct scheduler *scheduler, uint64_t *ret_ns, struct err *err)
{
	struct scheduler_bpf *skeleton = scheduler->skeleton;
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
		{ skeleton->progs.on_fork, &skeleton->links.on_fork },
	};

	*ret_ns = clock_ns(CLOCK_MONOTONIC);
	/* Before Linux 5.19 nothing tells of kernel locks. */
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
	scheduler->reader = NULL;
	return iterate(scheduler, skeleton->progs.begin, err);
}

int scheduler_fd(const struct scheduler *scheduler)
{
	return ring_buffer__epoll_fd(scheduler->ring);
}

int scheduler_drain(struct scheduler *scheduler, struct scheduler_reader *reader, struct err *err)
{
	int code;

	scheduler->reader = reader;
	code = ring_buffer__consume(scheduler->ring);
	return code < 0 ? fail(err, code, "reading the ring buffer") : 0;
}

int scheduler_peek(struct scheduler *scheduler, struct scheduler_reader *reader, struct err *err)
{
	int code;

	scheduler->reader = reader;
	code = iterate(scheduler, scheduler->skeleton->progs.collect, err);
	return code ? code : read_idle(scheduler, err);
}

/* Closes the open accounts of threads that are alive. */
struct closing_reader {
	struct scheduler_reader reader; /* first */
	struct scheduler_reader *next;
	uint64_t end_ns;
};

static void close_account(struct scheduler_reader *reader, const struct ledger_thread *thread)
{
	struct closing_reader *closing = (struct closing_reader *)reader;
	struct ledger_thread copy = *thread;

	if (copy.account < LEDGER_ACCOUNTS && closing->end_ns > copy.since_ns) {
		struct ledger_cell *cell = &copy.cell[copy.account];
		uint64_t ns = closing->end_ns - copy.since_ns;

		cell->ns += ns;
		cell->count++;
		if (ns > cell->max_ns)
			cell->max_ns = ns;
	}
	closing->next->thread(closing->next, &copy);
}

static int read_edges(struct scheduler *scheduler, struct scheduler_reader *reader)
{
	int fd = bpf_map__fd(scheduler->skeleton->maps.edges);
	struct ledger_edge_key key, *last = NULL;
	struct ledger_edge edge;

	while (bpf_map_get_next_key(fd, last, &key) == 0) {
		if (bpf_map_lookup_elem(fd, &key, &edge) == 0)
			reader->edge(reader, &key, &edge);
		last = &key;
	}
	return errno == ENOENT ? 0 : -errno;
}

int scheduler_stop(struct scheduler *scheduler, struct scheduler_reader *reader, uint64_t *ret_ns,
		   struct err *err)
{
	struct closing_reader closing = { .reader.thread = close_account, .next = reader };
	int code;

	scheduler_bpf__detach(scheduler->skeleton);
	*ret_ns = closing.end_ns = clock_ns(CLOCK_MONOTONIC);
	scheduler->skeleton->bss->stopped_ns = closing.end_ns;
	code = scheduler_drain(scheduler, reader, err);
	if (code)
		return code;
	scheduler->reader = &closing.reader;
	code = iterate(scheduler, scheduler->skeleton->progs.collect, err);
	if (!code)
		code = read_idle(scheduler, err);
	if (code)
		return code;
	code = read_edges(scheduler, reader);
	return code ? fail(err, code, "reading who waited for whom") : 0;
}

struct ledger_counts scheduler_counts(const struct scheduler *scheduler)
{
	return scheduler->skeleton->bss->counts;
}

void scheduler_close(struct scheduler *scheduler)
{
	if (!scheduler)
		return;
	ring_buffer__free(scheduler->ring);
	scheduler_bpf__destroy(scheduler->skeleton);
	free(scheduler);
}
