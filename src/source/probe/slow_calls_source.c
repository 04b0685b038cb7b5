/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "slow_calls": how long calls of functions take (options->probes), as the source
 * probe_times, and the slowest of them as samples with whole stacks (bpf/slow_calls.bpf.c), a few
 * more than asked for. It works for a sampler (options->sampler). */
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "bpf/probe_times.h"
#include "bpf/slow_calls.skel.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_walker.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"
#include "source/probe/probe_times_read.h"
#include "source/source.h"

#define WHAT "stacks of calls"

struct slow_calls {
	struct source source; /* first */
	const struct bpf_cpu *sampler;
	struct slow_calls_bpf *program;
	struct bpf_walker *walker;
	struct probe_links links;
	struct probe_attach attach;
	uint32_t cpus, numbers;
	bool stopped;
};

static struct slow_calls *self_of(struct source *source)
{
	return (struct slow_calls *)source;
}

static void slow_calls_close(struct source *source)
{
	struct slow_calls *self = self_of(source);

	probe_links_close(&self->links);
	bpf_walker_close(self->walker);
	slow_calls_bpf__destroy(self->program);
	free(self);
}

static int set_up(struct slow_calls *self, const struct source_options *options)
{
	const struct probe_times_choice *times = &options->probes->times;
	struct slow_calls_bpf *program = self->program;
	int code;

	BPF_WALKER_CONFIGURE(program->rodata, self->sampler);
	THREAD_FILTER_SET_UP(program, options);
	probe_links_prepare(program->skeleton, &self->attach);
	program->rodata->many_events = false;
	program->rodata->slot_cpus = (uint32_t)self->sampler->cpus;
	program->rodata->slowest = times->slowest;
	program->rodata->numbers = self->numbers;
	program->rodata->by_function = times->by_function;
	program->rodata->unit_ns = times->unit_ns ? times->unit_ns : 1;
	program->rodata->steps_from = times->from;
	program->rodata->step_units = times->step;
	code = bpf_map__set_max_entries(program->maps.times, self->cpus * self->numbers);
	if (!code)
		code = bpf_walker_share(program->obj, self->sampler);
	return code ? code : bpf_walker_add_slots(program->obj, self->sampler);
}

static int load(struct slow_calls *self, const struct source_options *options, struct err *err)
{
	struct bpf_walker_options walker = { .sampler = self->sampler, .what = WHAT };
	int code;

	self->program = slow_calls_bpf__open();
	code = self->program ? set_up(self, options) : -errno;
	if (code)
		return bpf_fail(err, code, "opening the BPF programs");
	code = bpf_load(self->program->skeleton, "loading the BPF programs", err);
	if (!code)
		code = thread_filter_fill(self->program->maps.targets, options, err);
	if (code)
		return code;
	walker.object = self->program->obj;
	walker.seen = (uint64_t *)self->program->bss->seen;
	return bpf_walker_open(&self->walker, &walker, err);
}

static int slow_calls_open(struct source **ret, const struct source_options *options,
			   struct err *err)
{
	struct slow_calls *self;
	int code;

	if (!options->sampler || !options->probes)
		return err_set(err, -EINVAL, WHAT ": no sampler to work for, or no probes");
	self = mem_zalloc(sizeof(*self));
	bpf_be_quiet();
	self->source.ops = source_find("slow_calls");
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->attach = probe_attach_to(options->probes, options);
	self->cpus = (uint32_t)libbpf_num_possible_cpus();
	self->numbers = options->probes->times.by_function ? (uint32_t)options->probes->names.count
							   : 1;
	code = load(self, options, err);
	if (code) {
		slow_calls_close(&self->source);
		return err_wrap(err, WHAT);
	}
	self->source.fd = bpf_walker_fd(self->walker);
	*ret = &self->source;
	return 0;
}

/* Ends first: a call that was seen to begin is seen to end. */
static int slow_calls_start(struct source *source, struct err *err)
{
	struct slow_calls *self = self_of(source);
	const struct slow_calls_bpf *program = self->program;
	const int on_leave = bpf_program__fd(program->progs.on_leave);
	const struct probe_ends ends = { bpf_program__fd(program->progs.on_return), on_leave,
					 on_leave, -1 };
	int code = thread_filter_follow(program->skeleton, err);

	if (!code)
		code = probe_links_ends(&self->links, &ends, &self->attach, err);
	if (!code)
		code = probe_links_places(&self->links, bpf_program__fd(program->progs.on_entry),
					  &self->attach, err);
	if (!code)
		probe_links_note(&self->links, self->attach.choice, source);
	return code ? err_wrap(err, "attaching probes") : 0;
}

static int64_t slow_calls_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct slow_calls *self = self_of(source);

	return self->stopped ? 0 : bpf_walker_drain(self->walker, sink, err);
}

static int slow_calls_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct slow_calls *self = self_of(source);
	struct probe_times *sums = self->attach.choice->times.ret_sums;
	int64_t bytes;
	int code;

	self->stopped = true;
	bytes = bpf_walker_drain(self->walker, sink, err);
	bpf_walker_report(self->walker, source, self->program->bss->lost);
	code = probe_times_read(bpf_map__fd(self->program->maps.times), self->cpus, self->numbers,
				sums, err);
	if (!code)
		probe_times_note(sums, self->numbers, source);
	return bytes < 0 ? (int)bytes : code;
}

static void slow_calls_detach(struct source *source)
{
	struct slow_calls *self = self_of(source);

	probe_links_close(&self->links);
	slow_calls_bpf__detach(self->program);
}

const struct source_ops source_slow_calls = {
	.name = "slow_calls",
	.help = "how long calls take, with stacks of the slowest, for a CPU sampler",
	.open = slow_calls_open,
	.start = slow_calls_start,
	.ready = slow_calls_ready,
	.stop = slow_calls_stop,
	.detach = slow_calls_detach,
	.close = slow_calls_close,
};
