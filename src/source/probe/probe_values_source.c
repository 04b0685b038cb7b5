/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "probe_values" (see probe_value_choice.h; bpf/probe_values.bpf.c). */
#include "source/probe/probe_value_choice.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/probe_values.skel.h"
#include "event/event.h"
#include "event/sink.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define ENTRIES_MAX 32768 /* calls under way, of which something is known from their beginning */

struct values_source {
	struct source source; /* first */
	struct probe_values_bpf *skeleton;
	const struct probe_values *values;
	struct probe_links links;
	struct probe_attach entries, returns;
	struct source_loss loss;
};

static struct values_source *self_of(struct source *source)
{
	return (struct values_source *)source;
}

static void probe_values_close(struct source *source)
{
	struct values_source *self = self_of(source);

	probe_links_close(&self->links);
	probe_values_bpf__destroy(self->skeleton);
	free(self);
}

static int fill(struct values_source *self, struct err *err)
{
	const struct probe_values *values = self->values;

	for (uint32_t i = 0; i < values->count; i++)
		if (bpf_map__update_elem(self->skeleton->maps.fetch_programs, &i, sizeof(i),
					 &values->program[i], sizeof(*values->program), BPF_ANY) ||
		    bpf_map__update_elem(self->skeleton->maps.ways, &i, sizeof(i), &values->way[i],
					 sizeof(*values->way), BPF_ANY))
			return bpf_fail(err, -errno, "storing what is fetched");
	return 0;
}

static bool has_entry(const struct values_source *self, uint32_t number)
{
	return self->values->way[number].entry != 0;
}

static bool any_has_entry(const struct values_source *self)
{
	for (uint32_t i = 0; i < self->values->count; i++)
		if (has_entry(self, i))
			return true;
	return false;
}

static void choose_programs(struct values_source *self)
{
	const struct probe_values *values = self->values;
	const bool entries = any_has_entry(self), returns = values->returns.places.count;
	const struct probe_choice *of_kernel = values->returns.kernel.count ? &values->returns
									    : &values->entries;
	struct probe_values_bpf *skeleton = self->skeleton;
	const struct {
		struct bpf_program *program;
		bool needed;
	} part[] = {
		{ skeleton->progs.on_place, values->entries.places.count },
		{ skeleton->progs.on_begin, returns && entries },
		{ skeleton->progs.on_return, returns },
		{ skeleton->progs.on_exit, returns },
		{ skeleton->progs.on_leave, returns },
		{ skeleton->progs.on_enter, returns },
		{ skeleton->progs.on_tracepoint, values->entries.tracepoints.count },
	};

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		(void)bpf_program__set_autoload(part[i].program, part[i].needed);
	kernel_links_prepare(skeleton->progs.on_kernel, of_kernel);
	kernel_links_prepare(skeleton->progs.on_kernel_begin, of_kernel);
	(void)bpf_map__set_max_entries(skeleton->maps.fetch_entries, entries ? ENTRIES_MAX : 1);
}

static int load(struct values_source *self, const struct source_options *options, struct err *err)
{
	uint32_t count = (uint32_t)self->values->count;
	int code;

	self->skeleton = probe_values_bpf__open();
	if (!self->skeleton)
		return bpf_fail(err, -errno, "opening the BPF programs");
	THREAD_FILTER_SET_UP(self->skeleton, options);
	probe_links_prepare(self->skeleton->skeleton, &self->entries);
	choose_programs(self);
	(void)bpf_map__set_max_entries(self->skeleton->maps.fetch_programs, count);
	(void)bpf_map__set_max_entries(self->skeleton->maps.ways, count);
	code = bpf_load(self->skeleton->skeleton, "loading the BPF programs", err);
	if (!code)
		code = thread_filter_fill(self->skeleton->maps.targets, options, err);
	return code ? code : fill(self, err);
}

static int probe_values_open(struct source **ret, const struct source_options *options,
			     struct err *err)
{
	struct values_source *self = mem_zalloc(sizeof(*self));
	int code;

	bpf_be_quiet();
	self->source.ops = source_find("probe_values");
	self->source.fd = -1;
	self->values = options->values;
	self->entries = probe_attach_to(&self->values->entries, options);
	self->returns = probe_attach_to(&self->values->returns, options);
	code = load(self, options, err);
	if (code) {
		probe_values_close(&self->source);
		return err_wrap(err, "counting values at probes");
	}
	*ret = &self->source;
	return 0;
}

static int fd_of(const struct bpf_program *program)
{
	return bpf_program__fd(program);
}

static int attach_entries(struct values_source *self, struct err *err)
{
	const struct probe_values_bpf *skeleton = self->skeleton;
	const struct probe_choice *choice = &self->values->entries;
	int code = 0;

	if (self->entries.places)
		code = probe_links_places(&self->links, fd_of(skeleton->progs.on_place),
					  &self->entries, err);
	if (!code)
		code = kernel_links_attach(&self->links, skeleton->progs.on_kernel, choice, false,
					   err);
	return code ? code
		    : probe_links_tracepoints(&self->links, -1,
					      fd_of(skeleton->progs.on_tracepoint), choice, err);
}

/* Where calls begin of which the returns ask something. */
static int attach_begins(struct values_source *self, struct err *err)
{
	const struct probe_values_bpf *skeleton = self->skeleton;
	const struct probe_choice *all = &self->values->returns;
	VEC(struct probe_place) places = { 0 };
	struct probe_attach attach = self->returns;
	struct probe_choice of_kernel = { 0 };
	int code = 0;

	for (size_t i = 0; i < all->places.count; i++)
		if (has_entry(self, all->places.item[i].number))
			vec_push(&places, all->places.item[i]);
	for (size_t i = 0; i < all->kernel.count; i++)
		if (has_entry(self, all->kernel.item[i].number))
			vec_push(&of_kernel.kernel, all->kernel.item[i]);
	attach.place = places.item;
	attach.places = places.count;
	if (attach.places)
		code = probe_links_places(&self->links, fd_of(skeleton->progs.on_begin), &attach,
					  err);
	if (!code)
		code = kernel_links_attach(&self->links, skeleton->progs.on_kernel_begin,
					   &of_kernel, false, err);
	vec_done(&places);
	vec_done(&of_kernel.kernel);
	return code;
}

static int attach_returns(struct values_source *self, struct err *err)
{
	const struct probe_values_bpf *skeleton = self->skeleton;
	const struct probe_ends ends = { fd_of(skeleton->progs.on_return),
					 fd_of(skeleton->progs.on_exit),
					 fd_of(skeleton->progs.on_leave),
					 fd_of(skeleton->progs.on_enter) };
	int code = 0;

	if (self->returns.places)
		code = probe_links_ends(&self->links, &ends, &self->returns, err);
	if (!code)
		code = kernel_links_attach(&self->links, skeleton->progs.on_kernel,
					   &self->values->returns, true, err);
	return code ? code : attach_begins(self, err);
}

static int probe_values_start(struct source *source, struct err *err)
{
	struct values_source *self = self_of(source);
	int code = thread_filter_follow(self->skeleton->skeleton, err);

	if (!code)
		code = attach_entries(self, err);
	if (!code)
		code = attach_returns(self, err);
	source->start_ns = clock_ns(CLOCK_MONOTONIC);
	return code ? err_wrap(err, "attaching probes") : 0;
}

/* Keys are visited one by one: while programs add some, a walk may begin anew, but only at the
 * start of a bucket that was removed, and none are removed. */
static int probe_values_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct values_source *self = self_of(source);
	const struct bpf_map *map = self->skeleton->maps.occurrences;
	VEC(struct probe_value) all = { 0 };
	struct probe_values_sum sum;
	struct probe_value value;
	const void *last = NULL;
	struct event event = { .type = EVENT_OWN };
	int code;

	while (all.count < PROBE_VALUES_MAX &&
	       !bpf_map__get_next_key(map, last, &value.result, sizeof(value.result))) {
		if (!bpf_map__lookup_elem(map, &value.result, sizeof(value.result), &sum,
					  sizeof(sum), 0)) {
			value.count = sum.count;
			value.total = sum.total;
			vec_push(&all, value);
		}
		last = &value.result;
	}
	event.own.data = all.item;
	event.own.len = all.count * sizeof(*all.item);
	code = all.count ? sink->event(sink, &event, err) : 0;
	vec_done(&all);
	return code;
}

static int probe_values_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct values_source *self = self_of(source);

	source->end_ns = clock_ns(CLOCK_MONOTONIC);
	self->loss = (struct source_loss){ -1, self->skeleton->bss->lost, true };
	source->loss = &self->loss;
	source->loss_count = 1;
	return probe_values_snapshot(source, sink, err);
}

static void probe_values_detach(struct source *source)
{
	struct values_source *self = self_of(source);

	probe_links_close(&self->links);
	probe_values_bpf__detach(self->skeleton);
}

const struct source_ops source_probe_values = {
	.name = "probe_values",
	.help = "how often values of arguments and results occur",
	.open = probe_values_open,
	.start = probe_values_start,
	.snapshot = probe_values_snapshot,
	.stop = probe_values_stop,
	.detach = probe_values_detach,
	.close = probe_values_close,
};
