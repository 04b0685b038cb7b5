/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap source: samples of heap-alloc and heap-free, which are blocks of memory that a preloaded
 * library (heap/preload.c) has picked, with the stacks of the calls. It works for a sampler
 * (options->sampler) with events that only provide ids, and that follows processes and fills
 * tables. The library only calls functions that do nothing; probes on those do the rest, so that
 * nothing is left when this process ends. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "bpf/heap.skel.h"
#include "bpf/heap_probes.h"
#include "bpf/walk/walk_slot.h"
#include "event/event.h"
#include "event/heap_block.h"
#include "heap/preload.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_walker.h"
#include "source/heap/heap_choice.h"
#include "source/heap/heap_missed.h"
#include "source/source.h"

#define WHAT	   "allocations"
#define RING_BYTES (2u << 20) /* of each CPU */
#define FOLLOWERS  4

struct heap_source {
	struct source source;
	const struct heap_choice *choice;
	const struct bpf_cpu *sampler;
	struct heap_bpf *program;
	struct bpf_walker *walker;
	struct sink weigh; /* between the walker and the caller */
	struct sink *to;
	struct bpf_link *link[HEAP_PROBES], *follower[FOLLOWERS];
	bool stopped;
};

static struct heap_source *self_of(struct source *source)
{
	return (struct heap_source *)source;
}

static const struct perf_source *rings_of(const struct heap_source *self)
{
	return (const struct perf_source *)self->sampler->rings;
}

uint64_t heap_weight(uint64_t size, uint64_t rate)
{
	return rate && size ? (uint64_t)llround((double)size / -expm1(-(double)size / (double)rate))
			    : size;
}

static int weigh(struct sink *sink, const struct event *event, struct err *err)
{
	struct heap_source *self = (void *)((char *)sink - offsetof(struct heap_source, weigh));
	struct event weighed = *event;
	struct heap_block block;

	if (event->type == EVENT_SAMPLE && event->sample.raw_len == sizeof(block) &&
	    event->desc->kind == EVENT_KIND_HEAP_ALLOC) {
		memcpy(&block, event->sample.raw, sizeof(block));
		weighed.sample.period =
			block.size == HEAP_KEPT ? 0 : heap_weight(block.size, self->choice->rate);
	}
	return self->to->event(self->to, &weighed, err);
}

static void destroy(struct bpf_link **link, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		(void)bpf_link__destroy(link[i]); /* gone with the process, too */
		link[i] = NULL;
	}
}

static void heap_detach(struct source *source)
{
	struct heap_source *self = self_of(source);

	destroy(self->link, HEAP_PROBES);
	destroy(self->follower, FOLLOWERS);
}

static void heap_close(struct source *source)
{
	struct heap_source *self = self_of(source);

	heap_detach(source);
	bpf_walker_close(self->walker);
	heap_bpf__destroy(self->program);
	free(self);
}

/* The programs that follow what the program starts. */
static struct bpf_program *follower_of(const struct heap_bpf *program, size_t index)
{
	struct bpf_program *const all[FOLLOWERS] = { program->progs.on_exec, program->progs.on_fork,
						     program->progs.on_free,
						     program->progs.on_program };

	return all[index];
}

static void configure(struct heap_source *self)
{
	const struct perf_source *rings = rings_of(self);
	struct heap_bpf *program = self->program;

	BPF_WALKER_CONFIGURE(program->rodata, self->sampler);
	program->rodata->many_events = self->sampler->settings.many_events;
	program->rodata->with_payload = true;
	program->rodata->wakeup_bytes = RING_BYTES / 16;
	program->rodata->slot_cpus = (uint32_t)self->sampler->cpus;
	program->rodata->token = self->choice->token;
	program->rodata->program = (uint32_t)self->sampler->options.program;
	if (self->choice->alone ||
	    self->choice->pid) /* it is no news that the others are not sampled */
		for (size_t i = 0; i < FOLLOWERS; i++)
			(void)bpf_program__set_autoload(follower_of(program, i), false);
	for (size_t i = 0; i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];
		uint64_t id = selected->desc->ids.count ? selected->desc->ids.item[0] : 0;

		if (selected->spec->kind == EVENT_KIND_HEAP_ALLOC)
			program->rodata->ids[HEAP_AT_ALLOC] = id;
		if (selected->spec->kind == EVENT_KIND_HEAP_FREE)
			program->rodata->ids[HEAP_AT_FREE] = id;
	}
}

static int size_maps(struct heap_source *self)
{
	const struct heap_bpf *program = self->program;
	uint32_t slots = (uint32_t)self->sampler->cpus + WALK_SPARE_SLOTS;
	struct bpf_map *const by_slot[] = { program->maps.memories, program->maps.caches,
					    program->maps.walk_slots };
	int code = bpf_walker_share(program->obj, self->sampler);

	for (size_t i = 0; !code && i < sizeof(by_slot) / sizeof(by_slot[0]); i++)
		code = bpf_map__set_max_entries(by_slot[i], slots);
	return code;
}

static int load(struct heap_source *self, struct err *err)
{
	int code;

	bpf_be_quiet();
	self->program = heap_bpf__open();
	if (!self->program)
		return bpf_fail(err, -errno, WHAT ": opening the BPF program");
	configure(self);
	code = size_maps(self);
	if (code)
		return bpf_fail(err, code, WHAT ": opening the BPF program");
	return bpf_load(self->program->skeleton, WHAT ": loading the BPF program", err);
}

static int open_all(struct heap_source *self, struct err *err)
{
	struct bpf_walker_options options = {
		.sampler = self->sampler,
		.what = WHAT,
		.with_payload = true,
		.many_events = self->sampler->settings.many_events,
		.ring_bytes = RING_BYTES,
	};
	int code = load(self, err);

	if (code)
		return code;
	options.object = self->program->obj;
	options.seen = (uint64_t *)self->program->bss->seen;
	return bpf_walker_open(&self->walker, &options, err);
}

static int heap_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct heap_source *self;
	int code;

	if (!options->heap) {
		(void)err_set(err, -EINVAL, "heap-alloc, heap-free: no program with the library");
		return err_hint(err, "record them with: cupel heap -- PROGRAM");
	}
	if (!options->sampler)
		return err_set(err, -EINVAL, WHAT ": no CPU sampler to work for");
	self = mem_zalloc(sizeof(*self));
	self->source.ops = source_find("heap");
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->choice = options->heap;
	self->weigh.event = weigh;
	code = open_all(self, err);
	if (code) {
		heap_close(&self->source);
		return code;
	}
	self->source.fd = bpf_walker_fd(self->walker);
	*ret = &self->source;
	return 0;
}

static int heap_start(struct source *source, struct err *err)
{
	static const char *const names[HEAP_PROBES] = { [HEAP_AT_ALLOC] = HEAP_ALLOC_PROBE,
							[HEAP_AT_FREE] = HEAP_FREE_PROBE,
							[HEAP_AT_START] = HEAP_START_PROBE };
	struct heap_source *self = self_of(source);

	for (size_t i = 0; i < HEAP_PROBES; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = names[i], .bpf_cookie = i);

		self->link[i] = bpf_program__attach_uprobe_opts(self->program->progs.on_hit, -1,
								self->choice->object, 0, &options);
		if (!self->link[i] && errno == ENOENT && self->choice->pid)
			return err_set(err, -ESRCH,
				       "process %d has ended or executed another program",
				       self->choice->pid);
		if (!self->link[i])
			return bpf_fail(err, -errno, WHAT ": probing the library");
	}
	for (size_t i = 0; !self->choice->alone && !self->choice->pid && i < FOLLOWERS; i++) {
		self->follower[i] = bpf_program__attach(follower_of(self->program, i));
		if (!self->follower[i])
			return bpf_fail(err, -errno, WHAT ": following programs");
	}
	return 0;
}

static int64_t heap_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct heap_source *self = self_of(source);

	self->to = sink;
	return self->stopped ? 0 : bpf_walker_drain(self->walker, &self->weigh, err);
}

/* What explains that there is little or nothing to see. */
static void note_starts(struct heap_source *self)
{
	const struct heap_bpf__bss *found = self->program->bss;
	struct buf missed = { 0 };

	if (self->choice->pid)
		return;
	heap_missed_text(bpf_map__fd(self->program->maps.begun), found->unlisted, &missed);
	if (missed.len)
		source_note(&self->source, "%s", missed.data);
	else if (!found->starts)
		source_note(&self->source, "the program did not load the library");
	buf_done(&missed);
	if (found->own_malloc)
		source_note(&self->source, "the program has a malloc of its own, which the library "
					   "cannot replace: its allocations are not seen");
}

static int heap_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct heap_source *self = self_of(source);
	int64_t code;

	self->to = sink;
	code = bpf_walker_drain(self->walker, &self->weigh, err);
	if (code >= 0) /* what a hit on another CPU was sending meanwhile */
		code = bpf_walker_drain(self->walker, &self->weigh, err);
	self->stopped = true;
	bpf_walker_report(self->walker, source, 0);
	note_starts(self);
	return code < 0 ? (int)code : 0;
}

const struct source_ops source_heap = {
	.name = "heap",
	.help = "sampled blocks of memory with stacks, for a CPU sampler",
	.open = heap_open,
	.start = heap_start,
	.ready = heap_ready,
	.stop = heap_stop,
	.detach = heap_detach,
	.close = heap_close,
};
