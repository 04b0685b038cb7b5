/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "probe_times": how long calls take (bpf/probe_times.bpf.c). Delivers an array of
 * struct probe_times, one for each number of options->probes, or one for all. */
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/probe_times.h"
#include "bpf/probe_times.skel.h"
#include "event/event.h"
#include "event/sink.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"
#include "source/probe/probe_times_read.h"
#include "source/source.h"

struct probe_times_source {
	struct source source; /* first */
	struct probe_times_bpf *skeleton;
	struct probe_links links;
	struct probe_attach attach;
	uint32_t cpus, numbers;
	struct source_loss loss;
};

static struct probe_times_source *self_of(struct source *source)
{
	return (struct probe_times_source *)source;
}

static void probe_times_close(struct source *source)
{
	struct probe_times_source *self = self_of(source);

	probe_links_close(&self->links);
	probe_times_bpf__destroy(self->skeleton);
	free(self);
}

static void set_up(struct probe_times_source *self, const struct source_options *options)
{
	const struct probe_times_choice *times = &options->probes->times;
	struct probe_times_bpf *skeleton = self->skeleton;

	THREAD_FILTER_SET_UP(skeleton, options);
	probe_links_prepare(skeleton->skeleton, &self->attach);
	kernel_links_prepare(skeleton->progs.on_kernel_entry, options->probes);
	kernel_links_prepare(skeleton->progs.on_kernel_return, options->probes);
	skeleton->rodata->numbers = self->numbers;
	skeleton->rodata->by_function = times->by_function;
	skeleton->rodata->unit_ns = times->unit_ns ? times->unit_ns : 1;
	skeleton->rodata->steps_from = times->from;
	skeleton->rodata->step_units = times->step;
	(void)bpf_map__set_max_entries(skeleton->maps.times, self->cpus * self->numbers);
}

static int load(struct probe_times_source *self, const struct source_options *options,
		struct err *err)
{
	int code;

	self->skeleton = probe_times_bpf__open();
	if (!self->skeleton)
		return bpf_fail(err, -errno, "opening the BPF programs");
	set_up(self, options);
	code = bpf_load(self->skeleton->skeleton, "loading the BPF programs", err);
	return code ? code : thread_filter_fill(self->skeleton->maps.targets, options, err);
}

static int probe_times_open(struct source **ret, const struct source_options *options,
			    struct err *err)
{
	struct probe_times_source *self = mem_zalloc(sizeof(*self));
	int code;

	bpf_be_quiet();
	self->source.ops = source_find("probe_times");
	self->source.fd = -1;
	self->attach = probe_attach_to(options->probes, options);
	self->cpus = (uint32_t)libbpf_num_possible_cpus();
	self->numbers = options->probes->times.by_function ? (uint32_t)options->probes->names.count
							   : 1;
	code = load(self, options, err);
	if (code) {
		probe_times_close(&self->source);
		return err_wrap(err, "timing calls");
	}
	*ret = &self->source;
	return 0;
}

/* Ends first: a call that was seen to begin is seen to end. */
static int probe_times_start(struct source *source, struct err *err)
{
	struct probe_times_source *self = self_of(source);
	const int on_leave = bpf_program__fd(self->skeleton->progs.on_leave);
	const struct probe_ends ends = { bpf_program__fd(self->skeleton->progs.on_return), on_leave,
					 on_leave, -1 };
	int code = thread_filter_follow(self->skeleton->skeleton, err);

	if (!code)
		code = probe_links_ends(&self->links, &ends, &self->attach, err);
	if (!code)
		code = kernel_links_attach(&self->links, self->skeleton->progs.on_kernel_return,
					   self->attach.choice, true, err);
	self->links.refused.count = 0; /* the beginnings will be the same */
	if (!code)
		code = probe_links_places(&self->links,
					  bpf_program__fd(self->skeleton->progs.on_entry),
					  &self->attach, err);
	if (!code)
		code = kernel_links_attach(&self->links, self->skeleton->progs.on_kernel_entry,
					   self->attach.choice, false, err);
	source->start_ns = clock_ns(CLOCK_MONOTONIC);
	if (!code)
		probe_links_note(&self->links, self->attach.choice, source);
	return code ? err_wrap(err, "attaching probes") : 0;
}

static int probe_times_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct probe_times_source *self = self_of(source);
	struct probe_times *sum = mem_zalloc(self->numbers * sizeof(*sum));
	const struct event event = { .type = EVENT_OWN,
				     .own = { sum, self->numbers * sizeof(struct probe_times) } };
	int code = probe_times_read(bpf_map__fd(self->skeleton->maps.times), self->cpus,
				    self->numbers, sum, err);

	if (!code)
		code = sink->event(sink, &event, err);
	free(sum);
	return code;
}

static int probe_times_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct probe_times_source *self = self_of(source);
	struct probe_times *sum;

	source->end_ns = clock_ns(CLOCK_MONOTONIC);
	self->loss = (struct source_loss){ -1, self->skeleton->bss->lost, true };
	source->loss = &self->loss;
	source->loss_count = 1;
	sum = mem_zalloc(self->numbers * sizeof(*sum));
	if (!probe_times_read(bpf_map__fd(self->skeleton->maps.times), self->cpus, self->numbers,
			      sum, err))
		probe_times_note(sum, self->numbers, source);
	free(sum);
	return probe_times_snapshot(source, sink, err);
}

static void probe_times_detach(struct source *source)
{
	struct probe_times_source *self = self_of(source);

	probe_links_close(&self->links);
	probe_times_bpf__detach(self->skeleton);
}

const struct source_ops source_probe_times = {
	.name = "probe_times",
	.help = "how long calls of functions take",
	.open = probe_times_open,
	.start = probe_times_start,
	.snapshot = probe_times_snapshot,
	.stop = probe_times_stop,
	.detach = probe_times_detach,
	.close = probe_times_close,
};
