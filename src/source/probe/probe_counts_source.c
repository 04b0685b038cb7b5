/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "probe_counts": how often places and tracepoints were passed (bpf/probe_counts.bpf.c).
 * Delivers an array of counters (uint64_t), one for each number of options->probes. With
 * options->probe_events, which has the same numbers, it counts returns as well. */
#include "source/probe/probe_counts_source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/probe_counts.skel.h"
#include "event/event.h"
#include "event/sink.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_event_choice.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define COUNTERS_PER_LINE 8 /* of a cache */

struct probe_counts {
	struct source source; /* first */
	struct probe_counts_bpf *skeleton;
	struct probe_links links;
	struct probe_attach attach, returns; /* returns: without places if there are none */
	uint32_t cpus, stride;
	uint64_t *counters; /* mapped; NULL = not yet */
	size_t bytes;
	struct source_loss loss;
};

static struct probe_counts *self_of(struct source *source)
{
	return (struct probe_counts *)source;
}

static void probe_counts_close(struct source *source)
{
	struct probe_counts *self = self_of(source);

	probe_links_close(&self->links);
	if (self->counters)
		(void)munmap(self->counters, self->bytes);
	probe_counts_bpf__destroy(self->skeleton);
	free(self);
}

/* Functions of which the returns are counted. */
static const struct probe_choice *returns_of(const struct probe_counts *self)
{
	static const struct probe_choice none;

	return self->returns.choice ? self->returns.choice : &none;
}

static void set_up(struct probe_counts *self, const struct source_options *options)
{
	struct probe_counts_bpf *skeleton = self->skeleton;
	const struct probe_choice *choice = options->probes;

	THREAD_FILTER_SET_UP(skeleton, options);
	probe_links_prepare(skeleton->skeleton, &self->attach);
	kernel_links_prepare(skeleton->progs.on_function,
			     choice->kernel.count ? choice : returns_of(self));
	skeleton->rodata->stride = self->stride;
	(void)bpf_map__set_max_entries(skeleton->maps.counts, self->cpus * self->stride);
	(void)bpf_program__set_autoload(skeleton->progs.on_place,
					self->attach.places || self->returns.places);
	(void)bpf_program__set_autoload(skeleton->progs.on_enter, self->returns.places != 0);
	(void)bpf_program__set_autoload(skeleton->progs.on_leave, self->returns.places != 0);
	(void)bpf_program__set_autoload(skeleton->progs.on_tracepoint,
					choice->tracepoints.count != 0);
	(void)bpf_program__set_autoload(skeleton->progs.on_raw_tracepoint,
					choice->tracepoints.count != 0 && probe_links_raw());
}

static int map_counters(struct probe_counts *self, struct err *err)
{
	void *mapped;

	self->bytes = (size_t)self->cpus * self->stride * sizeof(*self->counters);
	mapped = mmap(NULL, self->bytes, PROT_READ, MAP_SHARED,
		      bpf_map__fd(self->skeleton->maps.counts), 0);
	if (mapped == MAP_FAILED)
		return bpf_fail(err, -errno, "mapping the counters");
	self->counters = mapped;
	return 0;
}

static int load(struct probe_counts *self, const struct source_options *options, struct err *err)
{
	int code;

	self->skeleton = probe_counts_bpf__open();
	if (!self->skeleton)
		return bpf_fail(err, -errno, "opening the BPF programs");
	set_up(self, options);
	code = bpf_load(self->skeleton->skeleton, "loading the BPF programs", err);
	if (!code)
		code = thread_filter_fill(self->skeleton->maps.targets, options, err);
	return code ? code : map_counters(self, err);
}

static int probe_counts_open(struct source **ret, const struct source_options *options,
			     struct err *err)
{
	struct probe_counts *self = mem_zalloc(sizeof(*self));
	const struct probe_choice *choice = options->probes;
	int code;

	bpf_be_quiet();
	self->source.ops = source_find("probe_counts");
	self->source.fd = -1;
	self->cpus = (uint32_t)libbpf_num_possible_cpus();
	self->stride = (uint32_t)(choice->names.count / COUNTERS_PER_LINE + 1) * COUNTERS_PER_LINE;
	self->attach = probe_attach_to(choice, options);
	if (options->probe_events)
		self->returns = probe_attach_to(&options->probe_events->returns, options);
	code = load(self, options, err);
	if (code) {
		probe_counts_close(&self->source);
		return err_wrap(err, "counting at probes");
	}
	*ret = &self->source;
	return 0;
}

static int attach_returns(struct probe_counts *self, struct err *err)
{
	struct probe_counts_bpf *skeleton = self->skeleton;
	const int on_place = bpf_program__fd(skeleton->progs.on_place);
	const struct probe_ends ends = { on_place, on_place,
					 bpf_program__fd(skeleton->progs.on_leave),
					 bpf_program__fd(skeleton->progs.on_enter) };

	return probe_links_ends(&self->links, &ends, &self->returns, err);
}

static int probe_counts_start(struct source *source, struct err *err)
{
	struct probe_counts *self = self_of(source);
	struct probe_counts_bpf *skeleton = self->skeleton;
	int code = thread_filter_follow(skeleton->skeleton, err);

	if (!code && self->attach.choice->places.count)
		code = probe_links_places(&self->links, bpf_program__fd(skeleton->progs.on_place),
					  &self->attach, err);
	if (!code && self->returns.places)
		code = attach_returns(self, err);
	if (!code && self->attach.choice->tracepoints.count)
		code = probe_links_tracepoints(
			&self->links, bpf_program__fd(skeleton->progs.on_raw_tracepoint),
			bpf_program__fd(skeleton->progs.on_tracepoint), self->attach.choice, err);
	if (!code)
		code = kernel_links_attach(&self->links, skeleton->progs.on_function,
					   self->attach.choice, false, err);
	if (!code)
		code = kernel_links_attach(&self->links, skeleton->progs.on_function,
					   returns_of(self), true, err);
	source->start_ns = clock_ns(CLOCK_MONOTONIC);
	if (!code)
		probe_links_note(&self->links, self->attach.choice, source);
	return code ? err_wrap(err, "attaching probes") : 0;
}

static int probe_counts_enable(struct source *source, bool on, struct err *err)
{
	(void)err;
	*(volatile bool *)&self_of(source)->skeleton->bss->paused = !on;
	return 0;
}

uint64_t probe_counts_get(const struct source *source, size_t number, int cpu)
{
	const struct probe_counts *self = (const struct probe_counts *)source;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < self->cpus; i++)
		if (cpu < 0 || (uint32_t)cpu == i)
			sum += __atomic_load_n(&self->counters[i * self->stride + number],
					       __ATOMIC_RELAXED);
	return sum;
}

static int probe_counts_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct probe_counts *self = self_of(source);
	size_t numbers = self->attach.choice->names.count;
	uint64_t *sum = mem_zalloc((numbers + 1) * sizeof(*sum));
	const struct event event = { .type = EVENT_OWN, .own = { sum, numbers * sizeof(*sum) } };
	int code;

	for (size_t i = 0; i < numbers; i++)
		sum[i] = probe_counts_get(source, i, -1);
	code = sink->event(sink, &event, err);
	free(sum);
	return code;
}

static int probe_counts_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct probe_counts *self = self_of(source);

	source->end_ns = clock_ns(CLOCK_MONOTONIC);
	self->loss = (struct source_loss){ -1, 0, true };
	self->loss.lost = probe_links_missed(self->skeleton->progs.on_tracepoint) +
			  probe_links_missed(self->skeleton->progs.on_raw_tracepoint) +
			  probe_links_missed(self->skeleton->progs.on_function);
	source->loss = &self->loss;
	source->loss_count = 1;
	return probe_counts_snapshot(source, sink, err);
}

static void probe_counts_detach(struct source *source)
{
	struct probe_counts *self = self_of(source);

	probe_links_close(&self->links);
	probe_counts_bpf__detach(self->skeleton);
}

const struct source_ops source_probe_counts = {
	.name = "probe_counts",
	.help = "how often places in programs and tracepoints are passed",
	.open = probe_counts_open,
	.start = probe_counts_start,
	.enable = probe_counts_enable,
	.snapshot = probe_counts_snapshot,
	.stop = probe_counts_stop,
	.detach = probe_counts_detach,
	.close = probe_counts_close,
};
