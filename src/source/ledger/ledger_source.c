/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of the scheduler core (see scheduler.h). Everything it makes in the kernel
 * belongs to descriptors of this process, so nothing stays behind whatever ends it. */
#include "source/ledger/ledger_source.h"

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
#include "bpf/ledger.skel.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/ledger/wait_class.h"

struct ledger_source {
	struct ledger_bpf *skeleton;
	struct ring_buffer *ring;
	struct ledger_source_reader *reader; /* during a call */
};

static int explain(struct err *err)
{
	if (!err->hint[0])
		(void)err_hint(err, "this needs Linux 5.15 or newer");
	return err_wrap(err, "watching the scheduler");
}

static int fail(struct err *err, int code, const char *step)
{
	(void)bpf_fail(err, code, step);
	return explain(err);
}

static int take_ended(void *context, void *data, size_t size)
{
	struct ledger_source *source = context;

	if (size == sizeof(struct ledger_thread))
		source->reader->thread(source->reader, data);
	return 0;
}

static int take_span(void *context, void *data, size_t size)
{
	struct ledger_source *source = context;

	if (size == sizeof(struct ledger_span) && source->reader->span)
		source->reader->span(source->reader, data);
	return 0;
}

static int map_rings(struct ledger_source *source, struct err *err)
{
	struct ledger_bpf *skeleton = source->skeleton;

	source->ring =
		ring_buffer__new(bpf_map__fd(skeleton->maps.ended), take_ended, source, NULL);
	if (!source->ring ||
	    ring_buffer__add(source->ring, bpf_map__fd(skeleton->maps.spans), take_span, source))
		return fail(err, -errno, "mapping the ring buffers");
	return 0;
}

static int load(struct ledger_source *source, const struct ledger_source_target *target,
		struct err *err)
{
	struct ledger_bpf *skeleton = ledger_bpf__open();
	const uint8_t yes = 1;

	if (!skeleton)
		return fail(err, -errno, "opening the BPF programs");
	source->skeleton = skeleton;
	skeleton->rodata->everybody = target->everybody;
	skeleton->rodata->cgroup_id = target->cgroup_id;
	skeleton->rodata->with_idle = target->idle;
	skeleton->rodata->tell_spans = target->spans;
	if (target->spans) /* a second of 170,000 of them */
		(void)bpf_map__set_max_entries(skeleton->maps.spans, 8 << 20);
	if (target->histogram_unit_ns)
		skeleton->rodata->interval_unit_ns = target->histogram_unit_ns;
	wait_classes((uint8_t *)skeleton->rodata->class_of);
	if (target->everybody)
		(void)bpf_map__set_max_entries(skeleton->maps.edges, 65536); /* not loaded yet */
	if (bpf_load(skeleton->skeleton, "loading the BPF programs", err))
		return explain(err);
	for (size_t i = 0; i < target->count; i++)
		if (bpf_map__update_elem(skeleton->maps.targets, &target->pid[i],
					 sizeof(*target->pid), &yes, sizeof(yes), BPF_ANY))
			return fail(err, -errno, "naming the processes");
	return map_rings(source, err);
}

int ledger_source_open(const struct ledger_source_target *target, struct ledger_source **ret,
		       struct err *err)
{
	struct ledger_source *source = mem_zalloc(sizeof(*source));
	int code;

	bpf_be_quiet();
	code = load(source, target, err);
	if (code) {
		ledger_source_close(source);
		return code;
	}
	*ret = source;
	return 0;
}

/* Runs an iterator program over all threads; what it writes goes to the reader. */
static int iterate(struct ledger_source *source, struct bpf_program *program, struct err *err)
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
			if (got == (ssize_t)sizeof(thread) && source->reader)
				source->reader->thread(source->reader, &thread);
		if (got < 0)
			code = (int)got;
	}
	(void)bpf_link__destroy(link);
	return code ? fail(err, code, "going through the threads") : 0;
}

/* The map's values begin with the ledger. */
static int read_idle(struct ledger_source *source, struct err *err)
{
	const struct bpf_map *map = source->skeleton->maps.idle_tasks;
	size_t size = ((size_t)bpf_map__value_size(map) + 7) / 8 * 8;
	int cpus = libbpf_num_possible_cpus();
	const __u32 zero = 0;
	char *values;

	if (!source->skeleton->rodata->with_idle || cpus < 0)
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
			source->reader->thread(source->reader, &thread);
	}
	free(values);
	return 0;
}

static int attach(struct bpf_program *program, struct bpf_link **ret, struct err *err)
{
	*ret = bpf_program__attach(program);
	return *ret ? 0 : fail(err, -errno, bpf_program__name(program));
}

int ledger_source_start(struct ledger_source *source, uint64_t *ret_ns, struct err *err)
{
	struct ledger_bpf *skeleton = source->skeleton;
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
	source->reader = NULL;
	return iterate(source, skeleton->progs.begin, err);
}

int ledger_source_fd(const struct ledger_source *source)
{
	return ring_buffer__epoll_fd(source->ring);
}

int ledger_source_drain(struct ledger_source *source, struct ledger_source_reader *reader,
			struct err *err)
{
	int code;

	source->reader = reader;
	code = ring_buffer__consume(source->ring);
	return code < 0 ? fail(err, code, "reading the ring buffer") : 0;
}

int ledger_source_peek(struct ledger_source *source, struct ledger_source_reader *reader,
		       struct err *err)
{
	int code;

	source->reader = reader;
	code = iterate(source, source->skeleton->progs.collect, err);
	return code ? code : read_idle(source, err);
}

/* Closes the open accounts of threads that are alive. */
struct closing_reader {
	struct ledger_source_reader reader; /* first */
	struct ledger_source_reader *next;
	uint64_t end_ns;
};

static void close_account(struct ledger_source_reader *reader, const struct ledger_thread *thread)
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

static int read_edges(struct ledger_source *source, struct ledger_source_reader *reader)
{
	int fd = bpf_map__fd(source->skeleton->maps.edges);
	struct ledger_edge_key key, *last = NULL;
	struct ledger_edge edge;

	while (bpf_map_get_next_key(fd, last, &key) == 0) {
		if (bpf_map_lookup_elem(fd, &key, &edge) == 0)
			reader->edge(reader, &key, &edge);
		last = &key;
	}
	return errno == ENOENT ? 0 : -errno;
}

int ledger_source_stop(struct ledger_source *source, struct ledger_source_reader *reader,
		       uint64_t *ret_ns, struct err *err)
{
	struct closing_reader closing = { .reader.thread = close_account, .next = reader };
	int code;

	ledger_bpf__detach(source->skeleton);
	*ret_ns = closing.end_ns = clock_ns(CLOCK_MONOTONIC);
	source->skeleton->bss->stopped_ns = closing.end_ns;
	code = ledger_source_drain(source, reader, err);
	if (code)
		return code;
	source->reader = &closing.reader;
	code = iterate(source, source->skeleton->progs.collect, err);
	if (!code)
		code = read_idle(source, err);
	if (code)
		return code;
	code = read_edges(source, reader);
	return code ? fail(err, code, "reading who waited for whom") : 0;
}

struct ledger_counts ledger_source_counts(const struct ledger_source *source)
{
	return source->skeleton->bss->counts;
}

void ledger_source_close(struct ledger_source *source)
{
	if (!source)
		return;
	ring_buffer__free(source->ring);
	ledger_bpf__destroy(source->skeleton);
	free(source);
}
