/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The perf_event source: the kernel samples, we carry its records from the rings to the sink
 * undecoded. Opening is in perf_event_open.c, rings are in perf_event_ring.c. */
#include "source/perf_event/perf_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "event/event.h"
#include "source/event_spec/tracepoint.h"
#include "source/options.h"
#include "source/perf_event/perf_event_select.h"

/* What perf_event_mlock_kb grants everybody by default, without the page in front. */
#define RING_START_BYTES ((size_t)512 << 10)
#define RING_TRACE_BYTES ((size_t)4 << 20)
#define RING_LEAST_BYTES ((size_t)16 << 10)
#define RING_MAX_BYTES	 ((size_t)16 << 20)
#define RINGS_MAX_BYTES	 ((size_t)512 << 20) /* all rings together */
#define SWEEP_NS	 1000000000ull	     /* a killed recorder loses no more than that */
/* Each start of a program is some ten records of news: a look at each of them cost 1.4 to 3.1 % of
 * a machine that starts a hundred or more in a second. */
#define GATHER_NS    10000000ull
#define GROWTH	     4	 /* times, until the limit */
#define SAMPLE_BYTES 256 /* of a sample with a stack of addresses */
/* Replacing a ring costs an RCU grace period (some 10 ms) for each event that writes to it. */
#define GROW_MAX_EVENTS 8

static struct perf_source *self(struct source *source)
{
	return (struct perf_source *)source;
}

/* True if names and maps need a separate event. If the first event can record them, that saves
 * descriptors and an id in every sample. */
static bool needs_tracker(const struct perf_source *source)
{
	const struct source_options *options = source->options;
	const struct event_spec *first = source->list.spec.item[0];

	return source->plan.follow || source->target.pid.item[0] == -1 || options->switchable ||
	       options->overwrite || (first->terms & EVENT_TERM_OVERWRITE) || first->cpu ||
	       options->cgroups || source->target.sampled.count;
}

/* Single waits, and counts that the kernel keeps for each thread, need events of threads. */
static bool may_follow(const struct perf_source *source)
{
	const struct source_options *options = source->options;

	if (!source->hooks || !source->hooks->follow || !options->program ||
	    source->target.attach || source->target.pid.item[0] == -1 || options->no_inherit ||
	    options->per_thread || options->stat || source->target.cpu.item[0] < 0)
		return false;
	for (size_t i = 0; i < source->list.spec.count; i++) {
		const struct event_spec *spec = source->list.spec.item[i];

		if (spec->group_leader != i || spec->group_size > 1 ||
		    (spec->terms & EVENT_TERM_INHERIT && !spec->inherit))
			return false;
	}
	return true;
}

bool perf_source_by_cpu(const struct perf_source *source)
{
	for (size_t i = 0; i < source->selected_count; i++)
		if (source->selected[i].by_cpu)
			return true;
	return false;
}

static void plan_events(struct perf_source *source)
{
	const struct source_options *options = source->options;
	struct perf_attr_plan *plan = &source->plan;
	bool everybody = source->target.pid.item[0] == -1;

	plan->options = options;
	plan->follow = may_follow(source);
	plan->tracker = needs_tracker(source);
	plan->program = options->program && !everybody && !source->target.attach;
	plan->on_exec = plan->program && !options->delayed;
	plan->many = source->list.spec.count > 1;
	plan->per_cpu = source->target.cpu.item[0] >= 0;
}

/* -G: the nth cgroup for the nth event, or the only one for all. */
static int assign_cgroups(struct perf_source *source, struct err *err)
{
	const struct perf_target *target = &source->target;
	size_t cgroups = target->cgroup_fd.count;

	if (cgroups && target->pid.item[0] != -1)
		return err_set(err, -EINVAL, "-G requires -a");
	if (cgroups > 1 && cgroups != source->selected_count)
		return err_set(err, -EINVAL,
			       "-G: %zu cgroups for %zu events: expected one per event", cgroups,
			       source->selected_count);
	for (size_t i = 0; i < source->selected_count; i++)
		source->selected[i].cgroup_fd =
			cgroups ? target->cgroup_fd.item[cgroups > 1 ? i : 0] : -1;
	return 0;
}

static int open_events(struct perf_source *source, struct err *err)
{
	int code;

	for (;;) {
		free(source->selected);
		source->selected_count = source->list.spec.count;
		source->selected = mem_zalloc(source->selected_count * sizeof(*source->selected));
		source->tracker = (struct perf_selected){ 0 };
		source->has_tracker = false;
		code = assign_cgroups(source, err);
		if (code)
			return code;
		plan_events(source);
		for (size_t i = 0; i < source->selected_count; i++) {
			source->selected[i].spec = source->list.spec.item[i];
			perf_attr_fill(&source->selected[i], &source->list, &source->plan);
		}
		perf_source_begin_rate(source);
		perf_attr_unify(source->selected, source->selected_count);
		if (source->plan.tracker) {
			perf_attr_fill_tracker(&source->tracker, &source->selected[0],
					       &source->plan);
			source->has_tracker = true;
		}
		code = source->hooks ? source->hooks->ready(source->hooks->context, source, err)
				     : 0;
		if (!code)
			code = perf_open_all(source, err);
		if (code != -EAGAIN)
			return code;
		perf_close_all(source);
		event_set_done(&source->events);
		source->events = (struct event_set){ 0 };
	}
}

/* sysfs may list a CPU PMU that cannot sample, as some hypervisors do. */
static int open_default_events(struct perf_source *source, struct err *err)
{
	const struct event_parse_options parse = { .root = "" };
	struct err first = { 0 };
	int code = open_events(source, &first);
	const struct event_spec *spec = source->list.spec.item[0];

	if (!code)
		return 0;
	if (source->options->selector.count || spec->kind == EVENT_KIND_CPU_TIME ||
	    (code != -ENOENT && code != -ENODEV && code != -EOPNOTSUPP && code != -EINVAL)) {
		*err = first;
		return code;
	}
	source_note(&source->source, "%s: sampling not supported, using cpu-clock", spec->name);
	perf_close_all(source);
	event_set_done(&source->events);
	source->events = (struct event_set){ 0 };
	event_list_done(&source->list);
	source->list = (struct event_list){ 0 };
	code = event_list_parse(&source->list, "cpu-clock", &parse, err);
	return code ? code : open_events(source, err);
}

/* Room for a quarter of a second of what may come, as far as it can be known beforehand. */
static size_t ring_start_bytes(const struct perf_source *source)
{
	const struct source_options *options = source->options;
	uint64_t sample = 0, want;
	size_t bytes = RING_START_BYTES, least = 0;

	if (options->ring_bytes)
		return (size_t)options->ring_bytes;
	for (size_t i = 0; i < source->selected_count; i++) {
		const struct perf_event_attr *attr = &source->selected[i].attr;

		sample += SAMPLE_BYTES + attr->sample_stack_user;
		if (attr->type == PERF_TYPE_TRACEPOINT && !attr->freq &&
		    (options->system_wide || attr->sample_stack_user || attr->sample_period == 1))
			least = RING_TRACE_BYTES; /* may come by the 100,000 a second */
	}
	want = (uint64_t)((double)(sample * source->plan.frequency_hz) / source->budget.slow / 4);
	if (source->target.pid.count > GROW_MAX_EVENTS && want < 4 * RING_START_BYTES)
		want = 4 * RING_START_BYTES; /* cannot grow later */
	if (want < least)
		want = least < source->ring_limit ? least : source->ring_limit;
	while (bytes < want && bytes < RING_MAX_BYTES)
		bytes *= 2;
	return bytes;
}

static int watch(struct perf_source *source, const struct perf_ring *ring, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (!ring->backward && epoll_ctl(source->epoll_fd, EPOLL_CTL_ADD, ring->fd, &event))
		return err_errno(err, "epoll");
	return 0;
}

/* Without samples there is only news of processes and their mappings, and the kernel part walks
 * stacks with that knowledge. */
static bool only_news(const struct perf_source *source)
{
	for (size_t i = 0; i < source->selected_count; i++)
		if (!source->selected[i].by_bpf)
			return false;
	return true;
}

static struct perf_ring_options ring_options(const struct perf_source *source, size_t bytes)
{
	return (struct perf_ring_options){
		.bytes = bytes,
		.least_bytes = source->options->ring_bytes ? bytes : RING_LEAST_BYTES,
		.prompt = only_news(source),
		.use_clockid = source->options->clock.given,
		.clockid = source->options->clock.id,
	};
}

static int open_ring(struct perf_source *source, size_t place, bool backward, struct err *err)
{
	const struct perf_target *target = &source->target;
	struct perf_ring_options options = ring_options(source, ring_start_bytes(source));
	struct perf_ring *ring = &source->ring[source->ring_count];
	bool threads = target->cpu.item[0] < 0;
	int code;

	*ring = (struct perf_ring){ .fd = -1, .backward = backward };
	ring->cpu_index = threads ? 0 : place;
	ring->pid_index = threads ? place : 0;
	ring->cpu = target->cpu.item[ring->cpu_index];
	ring->pid = threads ? target->pid.item[place] : 0;
	code = perf_ring_open(ring, &options, err);
	if (code == -ESRCH && target->attach)
		return 0; /* this thread ended, its events are gone */
	if (code)
		return code;
	source->ring_count++;
	if (ring->bytes < options.bytes)
		source->ring_limit = ring->bytes; /* no use in trying to grow */
	if (ring->bytes > source->source.ring_bytes)
		source->source.ring_bytes = ring->bytes;
	code = perf_redirect(source, ring, err);
	return code ? code : watch(source, ring, err);
}

static int open_rings(struct perf_source *source, struct err *err)
{
	const struct perf_target *target = &source->target;
	size_t places = target->cpu.item[0] < 0 ? target->pid.count : target->cpu.count;
	bool backward = false;
	int code = 0;

	for (size_t i = 0; i < source->selected_count; i++)
		backward |= source->selected[i].backward;
	source->ring = mem_zalloc(2 * places * sizeof(*source->ring));
	source->ring_limit = RING_MAX_BYTES;
	while (source->ring_limit > RING_START_BYTES &&
	       source->ring_limit * places > RINGS_MAX_BYTES)
		source->ring_limit /= 2; /* stays a power of two */
	if (source->options->ring_bytes)
		source->ring_limit = 0;
	source->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (source->epoll_fd < 0)
		return err_errno(err, "epoll");
	source->source.fd = source->epoll_fd;
	source->source.sweep_ns = source->options->sweep_ms ? source->options->sweep_ms * 1000000ull
							    : SWEEP_NS;
	/* each wake-up of the reader is a switch of the program beside it */
	if ((source->options->system_wide || source->options->switch_events) && only_news(source))
		source->source.gather_ns = source->options->gather_ms
						   ? source->options->gather_ms * 1000000ull
						   : GATHER_NS;
	for (size_t i = 0; !code && i < places; i++)
		code = open_ring(source, i, false, err);
	source->forward_count = source->ring_count;
	for (size_t i = 0; !code && backward && i < places; i++)
		code = open_ring(source, i, true, err);
	return code;
}

/* Probes of tracefs stay in the code of programs while an event is open, disabled or not. */
static void perf_event_detach(struct source *base)
{
	struct perf_source *source = self(base);

	perf_close_all(source);
	for (size_t i = 0; i < source->ring_count; i++)
		perf_ring_close(&source->ring[i]);
}

static void perf_event_close(struct source *base)
{
	struct perf_source *source = self(base);

	perf_event_detach(base);
	if (source->epoll_fd >= 0)
		(void)close(source->epoll_fd);
	event_set_done(&source->events);
	event_list_done(&source->list);
	buf_done(&source->tracing_data);
	buf_done(&source->corrected);
	perf_target_done(&source->target);
	free(source->ring);
	free(source->selected);
	free(source->loss);
	free(source);
}

/* Filters and windows leave out samples on purpose. */
static uint64_t thread_clock_ns(const struct perf_source *source)
{
	const struct perf_event_attr *attr = &source->selected[0].attr;

	if ((!source->plan.program && !source->options->pids) || perf_source_by_cpu(source) ||
	    source->selected_count != 1 || source->options->delayed || !perf_attr_is_clock(attr) ||
	    !attr->inherit || attr->exclude_kernel || attr->exclude_user || source->budget.changes)
		return 0;
	return attr->freq ? 1000000000 / attr->sample_freq : attr->sample_period;
}

int perf_source_open(struct source **ret, const struct source_options *options,
		     const struct perf_hooks *hooks, struct err *err)
{
	struct perf_source *source = mem_zalloc(sizeof(*source));
	int code;

	source->source.ops = &source_perf_event;
	source->options = options;
	source->hooks = hooks;
	source->epoll_fd = -1;
	code = perf_source_select(source, err);
	if (!code)
		code = perf_target_open(&source->target, options, err);
	if (!code)
		sampling_budget_open(&source->budget, options, source->target.pid.item[0] == -1,
				     (unsigned)source->target.cpu.count);
	if (!code)
		code = perf_attr_frequency(options, source->target.pid.item[0] == -1,
					   &source->plan.frequency_hz, &source->source, err);
	if (!code)
		code = open_default_events(source, err);
	if (!code)
		perf_source_note_limits(source);
	if (!code)
		code = open_rings(source, err);
	if (!code)
		code = tracing_data_collect(&source->list, "", &source->tracing_data, err);
	if (code) {
		perf_event_close(&source->source);
		return code;
	}
	source->source.events = &source->events;
	source->source.tracing_data = source->tracing_data.data;
	source->source.tracing_data_len = source->tracing_data.len;
	source->source.on_exec = source->plan.on_exec;
	source->source.clock = options->clock;
	source->source.user_only = source->plan.user_only || options->all_user;
	if (source->selected[0].attr.freq && !source->selected[0].spec->served_by)
		source->source.frequency_hz = source->selected[0].attr.sample_freq;
	source->source.thread_clock_ns = thread_clock_ns(source);
	source->loss = mem_zalloc(source->target.cpu.count * sizeof(*source->loss));
	*ret = &source->source;
	return 0;
}

static int perf_event_open_source(struct source **ret, const struct source_options *options,
				  struct err *err)
{
	return perf_source_open(ret, options, NULL, err);
}

static int enable_leaders(struct perf_source *source, bool on, struct err *err)
{
	for (size_t i = 0; i < source->selected_count; i++) {
		const struct perf_selected *selected = &source->selected[i];
		unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
		int code;

		if (selected->spec->group_leader != i)
			continue;
		code = perf_ioctl_all(source, selected, request, 0);
		if (code)
			return err_set(err, code, "%s: not %s: %s", selected->spec->name,
				       on ? "enabled" : "disabled", strerror(-code));
	}
	return 0;
}

static int perf_event_start(struct source *base, struct err *err)
{
	struct perf_source *source = self(base);
	int code;

	if (source->plan.on_exec && perf_source_by_cpu(source))
		return enable_leaders(source, true, err); /* what is sampled begins with the exec */
	if (source->plan.program)
		return 0; /* everything begins with the exec */
	if (!source->has_tracker)
		return enable_leaders(source, true, err);
	code = perf_ioctl_all(source, &source->tracker, PERF_EVENT_IOC_ENABLE, 0);
	return code ? err_set(err, code, "following processes: %s", strerror(-code)) : 0;
}

static int perf_event_enable(struct source *base, bool on, struct err *err)
{
	return enable_leaders(self(base), on, err);
}

/* Gives the events of a ring that filled up fast a larger one. What is left in the old one is
 * delivered before anything in the new one is. */
static int64_t grow(struct perf_source *source, struct perf_ring *ring, struct sink *sink,
		    struct err *err)
{
	size_t bytes = ring->bytes * GROWTH;
	struct perf_ring_options options =
		ring_options(source, bytes < source->ring_limit ? bytes : source->ring_limit);
	struct perf_ring larger = *ring;
	struct err refused; /* stay with the ring that we have */
	int64_t rest;
	int code;

	ring->cramped = false;
	larger.cramped = false;
	larger.page = NULL;
	larger.tail = larger.changed_at = 0;
	options.least_bytes = options.bytes;
	if (perf_ring_open(&larger, &options, &refused)) {
		source->ring_limit = ring->bytes;
		return 0;
	}
	if (source->hooks)
		source->hooks->replaced(source->hooks->context, &larger);
	code = perf_redirect(source, &larger, err);
	rest = perf_ring_drain(ring, sink, err);
	perf_ring_close(ring); /* which also takes it out of the epoll set */
	*ring = larger;
	if (ring->bytes > source->source.ring_bytes)
		source->source.ring_bytes = ring->bytes;
	if (!code)
		code = watch(source, ring, err);
	return code ? code : rest;
}

static bool may_grow(const struct perf_source *source, const struct perf_ring *ring)
{
	size_t events = (source->selected_count + source->has_tracker) * source->target.pid.count;

	return ring->cramped && ring->bytes * 2 <= source->ring_limit && events <= GROW_MAX_EVENTS;
}

static int64_t drain_all(struct perf_source *source, struct sink *sink, struct err *err)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < source->forward_count; i++) {
		int64_t n;

		source->drained = &source->ring[i];
		n = perf_ring_drain(&source->ring[i], sink, err);

		if (n >= 0 && may_grow(source, &source->ring[i])) {
			bytes += n;
			n = grow(source, &source->ring[i], sink, err);
		}
		if (n < 0)
			return n;
		bytes += n;
	}
	return bytes;
}

static int64_t perf_event_ready(struct source *base, struct sink *sink, struct err *err)
{
	struct perf_source *source = self(base);
	const struct event round = { .type = EVENT_ROUND };
	int64_t bytes = drain_all(source, perf_source_counter(source, sink), err);
	int code = 0;

	if (bytes > 0)
		code = sink->event(sink, &round, err);
	if (!code && bytes >= 0)
		code = perf_source_keep_to_budget(source, err);
	return code ? code : bytes;
}

/* One round, with the rings that overwrite: what another one would end was not read yet. */
static int perf_event_snapshot(struct source *base, struct sink *sink, struct err *err)
{
	struct perf_source *source = self(base);
	const struct event round = { .type = EVENT_ROUND };
	int64_t n = drain_all(source, perf_source_counter(source, sink), err);

	for (size_t i = source->forward_count; n >= 0 && i < source->ring_count; i++)
		n = perf_ring_snapshot(&source->ring[i], sink, err);
	return n < 0 ? (int)n : sink->event(sink, &round, err);
}

/* The kernel's own counters of what did not fit. */
static void collect_loss(struct perf_source *source)
{
	size_t pids = source->target.pid.count;

	for (size_t c = 0; c < source->target.cpu.count; c++)
		source->loss[c].cpu = source->target.cpu.item[c];
	for (size_t i = 0; i < source->selected_count; i++) {
		const struct perf_selected *selected = &source->selected[i];
		uint64_t format = selected->attr.read_format;
		/* value, [enabled], [running], [id], lost */
		size_t at = 1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING) +
			    !!(format & PERF_FORMAT_ID);
		uint64_t values[5];

		if (!(format & PERF_FORMAT_LOST))
			continue;
		for (size_t slot = 0; slot < source->target.cpu.count * pids; slot++)
			if (selected->fd[slot] >= 0 &&
			    read(selected->fd[slot], values, sizeof(values)) ==
				    (ssize_t)((at + 1) * sizeof(uint64_t)))
				source->loss[slot / pids].lost += values[at];
	}
	source->source.loss = source->loss;
	source->source.loss_count = source->target.cpu.count;
}

static int perf_event_stop(struct source *base, struct sink *sink, struct err *err)
{
	struct perf_source *source = self(base);
	int code = enable_leaders(source, false, err);
	int rest;

	if (source->has_tracker)
		(void)perf_ioctl_all(source, &source->tracker, PERF_EVENT_IOC_DISABLE, 0);
	rest = perf_event_snapshot(base, sink, err);
	collect_loss(source);
	if (!source->hooks && source->budget.changes) {
		perf_source_put_rate(source, &source->cost);
		perf_source_note_rate(source, base);
		base->walks = &source->cost;
	}
	return code ? code : rest;
}

const struct source_ops source_perf_event = {
	.name = "perf_event",
	.help = "sampling events and tracepoints of the kernel",
	.open = perf_event_open_source,
	.start = perf_event_start,
	.enable = perf_event_enable,
	.ready = perf_event_ready,
	.snapshot = perf_event_snapshot,
	.stop = perf_event_stop,
	.detach = perf_event_detach,
	.close = perf_event_close,
};
