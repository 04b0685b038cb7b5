/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine source (see machine_source.h). It costs about as much as a few hundred samples a
 * second do. */
#include "source/machine/machine_source.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "event/event.h"
#include "source/id_list.h"
#include "source/machine/machine_sampler.h"

#define INTERVAL_NS	1000000000ull
#define MIN_INTERVAL_NS 20000000ull /* the kernel counts CPU time in ticks of up to 10 ms */

struct machine_source {
	struct source source; /* first */
	struct machine_sampler *sampler;
	pid_t pid; /* 0 = ours */
	uint64_t last_ns;
};

static struct machine_source *self_of(struct source *source)
{
	return (struct machine_source *)source;
}

/* perf's own clock, which is the default, differs little from the monotonic one. */
static uint64_t now_ns(const struct source *source)
{
	return clock_ns(source->clock.given ? source->clock.id : CLOCK_MONOTONIC);
}

static int machine_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct id_list pids = { 0 };
	struct machine_source *self;
	int code = id_list_parse(options->pids, "process", &pids, err);

	if (!code) {
		self = mem_zalloc(sizeof(*self));
		self->source = (struct source){ .ops = &source_machine,
						.fd = -1,
						.sweep_ns = INTERVAL_NS,
						.clock = options->clock };
		self->pid = pids.count ? pids.item[0] : options->program;
		*ret = &self->source;
	}
	vec_done(&pids);
	return code;
}

static int machine_start(struct source *source, struct err *err)
{
	struct machine_source *self = self_of(source);

	(void)err;
	self->last_ns = now_ns(source);
	self->sampler = machine_sampler_new(self->pid, self->last_ns);
	return 0;
}

static int64_t machine_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct machine_source *self = self_of(source);
	struct machine_sample sample;
	struct event event = { .type = EVENT_MACHINE,
			       .pid = UINT32_MAX,
			       .tid = UINT32_MAX,
			       .cpu = UINT32_MAX,
			       .has_time = true,
			       .machine = &sample };
	int code;

	event.time_ns = self->last_ns = now_ns(source);
	machine_sampler_take(self->sampler, event.time_ns, &sample);
	code = sink->event(sink, &event, err);
	machine_sample_done(&sample);
	return code;
}

static int machine_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct machine_source *self = self_of(source);

	if (!self->sampler || now_ns(source) < self->last_ns + MIN_INTERVAL_NS)
		return 0;
	return (int)machine_ready(source, sink, err);
}

static void machine_close(struct source *source)
{
	machine_sampler_free(self_of(source)->sampler);
	free(source);
}

const struct source_ops source_machine = {
	.name = "machine",
	.help = "what the machine is like, once a second",
	.open = machine_open,
	.start = machine_start,
	.ready = machine_ready,
	.stop = machine_stop,
	.close = machine_close,
};
