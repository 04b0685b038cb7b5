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
#include "source/probe/probe_links.h"
#include "source/source.h"

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

static int load(struct values_source *self, const struct source_options *options, struct err *err)
{
	uint32_t count = (uint32_t)self->values->count;
	int code;

	self->skeleton = probe_values_bpf__open();
	if (!self->skeleton)
		return bpf_fail(err, -errno, "opening the BPF programs");
	THREAD_FILTER_SET_UP(self->skeleton, options);
	probe_links_prepare(self->skeleton->skeleton, &self->entries);
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

static int attach_entries(struct values_source *self, struct err *err)
{
	int on_place = bpf_program__fd(self->skeleton->progs.on_place);

	return self->entries.places
		       ? probe_links_places(&self->links, on_place, &self->entries, err)
		       : 0;
}

static int attach_returns(struct values_source *self, struct err *err)
{
	const struct probe_values_bpf *skeleton = self->skeleton;
	const int on_place = bpf_program__fd(skeleton->progs.on_place);
	const struct probe_ends ends = { on_place, on_place,
					 bpf_program__fd(skeleton->progs.on_leave),
					 bpf_program__fd(skeleton->progs.on_enter) };

	return self->returns.places ? probe_links_ends(&self->links, &ends, &self->returns, err)
				    : 0;
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
	struct probe_value value;
	const void *last = NULL;
	struct event event = { .type = EVENT_OWN };
	int code;

	while (all.count < PROBE_VALUES_MAX &&
	       !bpf_map__get_next_key(map, last, &value.result, sizeof(value.result))) {
		if (!bpf_map__lookup_elem(map, &value.result, sizeof(value.result), &value.count,
					  sizeof(value.count), 0))
			vec_push(&all, value);
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

const struct source_ops source_probe_values = {
	.name = "probe_values",
	.help = "how often values of arguments and results occur",
	.open = probe_values_open,
	.start = probe_values_start,
	.snapshot = probe_values_snapshot,
	.stop = probe_values_stop,
	.close = probe_values_close,
};
