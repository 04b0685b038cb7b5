/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions, one by one (see function_calls_source.h). */
#include "source/probe/function_calls_source.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/function_calls.skel.h"
#include "event/event.h"
#include "event/function_call.h"
#include "event/sink.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/thread_filter.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define SWEEP_NS 20000000ull

struct function_calls {
	struct source source; /* first */
	struct function_calls_bpf *skeleton;
	struct probe_links links;
	struct probe_attach attach;
	struct ring_reader *ring;
	struct source_loss loss;
	/* during a call */
	struct sink *sink;
	struct err *err;
	int64_t code;
};

static struct function_calls *self_of(struct source *source)
{
	return (struct function_calls *)source;
}

static void take_record(void *context, void *data, size_t len)
{
	struct function_calls *self = context;
	const struct event event = { .type = EVENT_OWN, .own = { data, len } };
	int code;

	if (len < sizeof(struct function_call) || self->code < 0)
		return;
	code = self->sink->event(self->sink, &event, self->err);
	self->code = code < 0 ? code : self->code + (int64_t)len;
}

static void function_calls_close(struct source *source)
{
	struct function_calls *self = self_of(source);

	probe_links_close(&self->links);
	ring_reader_free(self->ring);
	function_calls_bpf__destroy(self->skeleton);
	free(self);
}

static int load(struct function_calls *self, const struct source_options *options, struct err *err)
{
	struct function_calls_bpf *skeleton = function_calls_bpf__open();
	int code;

	self->skeleton = skeleton;
	if (!skeleton)
		return bpf_fail(err, -errno, "opening the BPF programs");
	THREAD_FILTER_SET_UP(skeleton, options);
	probe_links_prepare(skeleton->skeleton, &self->attach);
	code = bpf_load(skeleton->skeleton, "loading the BPF programs", err);
	if (!code)
		code = thread_filter_fill(skeleton->maps.targets, options, err);
	self->ring = ring_reader_new(take_record);
	if (!code)
		code = ring_reader_add(self->ring, bpf_map__fd(skeleton->maps.calls), self, err);
	return code;
}

static int function_calls_open(struct source **ret, const struct source_options *options,
			       struct err *err)
{
	struct function_calls *self = mem_zalloc(sizeof(*self));
	int code;

	bpf_be_quiet();
	self->source.ops = source_find("function_calls");
	self->source.sweep_ns = SWEEP_NS;
	self->attach = probe_attach_to(options->probes, options);
	code = load(self, options, err);
	if (code) {
		function_calls_close(&self->source);
		return err_wrap(err, "tracing functions");
	}
	self->source.fd = ring_reader_fd(self->ring);
	*ret = &self->source;
	return 0;
}

/* Returns first, so that no call is seen without its return. */
static int function_calls_start(struct source *source, struct err *err)
{
	struct function_calls *self = self_of(source);
	const int on_leave = bpf_program__fd(self->skeleton->progs.on_leave);
	const struct probe_ends ends = { bpf_program__fd(self->skeleton->progs.on_return), on_leave,
					 on_leave, -1 };
	int code = thread_filter_follow(self->skeleton->skeleton, err);

	if (!code)
		code = probe_links_ends(&self->links, &ends, &self->attach, err);
	if (!code)
		code = probe_links_places(&self->links,
					  bpf_program__fd(self->skeleton->progs.on_call),
					  &self->attach, err);
	source->start_ns = clock_ns(CLOCK_MONOTONIC);
	if (!code)
		probe_links_note(&self->links, self->attach.choice, source);
	return code ? err_wrap(err, "attaching probes") : 0;
}

static int64_t function_calls_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct function_calls *self = self_of(source);

	self->sink = sink;
	self->err = err;
	self->code = 0;
	(void)ring_reader_drain(self->ring);
	return self->code;
}

/* The probes stay until close(): removing them takes long, and what was seen comes first. */
static int function_calls_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct function_calls *self = self_of(source);
	int64_t code;

	self->skeleton->bss->stopped = true;
	code = function_calls_ready(source, sink, err);
	source->end_ns = clock_ns(CLOCK_MONOTONIC);
	self->loss = (struct source_loss){ -1, self->skeleton->bss->lost, true };
	source->loss = &self->loss;
	source->loss_count = 1;
	return code < 0 ? (int)code : 0;
}

uint64_t function_calls_hits(const struct source *source)
{
	const struct function_calls *self = (const struct function_calls *)source;

	return __atomic_load_n(&self->skeleton->bss->hits, __ATOMIC_RELAXED);
}

static void function_calls_detach(struct source *source)
{
	struct function_calls *self = self_of(source);

	self->skeleton->bss->stopped = true;
	probe_links_close(&self->links);
}

const struct source_ops source_function_calls = {
	.name = "function_calls",
	.help = "calls of functions in programs, and their returns",
	.open = function_calls_open,
	.start = function_calls_start,
	.ready = function_calls_ready,
	.stop = function_calls_stop,
	.detach = function_calls_detach,
	.close = function_calls_close,
};
