/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "probe_events": samples of -e probe:…, each with its whole stack, for the CPU sampler
 * (options->sampler), with events that only provide ids (bpf/probe_events.bpf.c). */
#include "source/probe/probe_event_choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "bpf/probe_events.h"
#include "bpf/probe_events.skel.h"
#include "bpf/walk/walk_slot.h"
#include "event/event.h"
#include "event/sink.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_walker.h"
#include "source/bpf/own_processes.h"
#include "source/bpf/thread_filter.h"
#include "source/perf_event/perf_event.h"
#include "source/probe/kernel_links.h"
#include "source/probe/probe_links.h"
#include "source/source.h"

#define WHAT	   "probes"
#define RING_BYTES (8u << 20) /* hits may come by the million a second */

struct probe_events_source {
	struct source source; /* first */
	const struct bpf_cpu *sampler;
	const struct probe_events *choice;
	struct probe_events_bpf *program;
	struct bpf_walker *walker;
	struct probe_links links;
	uint32_t attach_type;
	int pid;
	bool stopped;
	uint32_t *number;	/* of an event, by its index */
	struct sink taken, *to; /* of the walker; during a drain */
};

static struct probe_events_source *self_of(struct source *source)
{
	return (struct probe_events_source *)source;
}

static const struct perf_source *rings_of(const struct probe_events_source *self)
{
	return (const struct perf_source *)self->sampler->rings;
}

static void probe_events_close(struct source *source)
{
	struct probe_events_source *self = self_of(source);

	probe_links_close(&self->links);
	bpf_walker_close(self->walker);
	probe_events_bpf__destroy(self->program);
	free(self->number);
	free(self);
}

static struct bpf_program *program_of(const struct probe_events_source *self)
{
	return self->choice->program ? self->program->progs.on_hit_fetch
				     : self->program->progs.on_hit;
}

/* Of exits that several functions have. */
static struct bpf_program *leave_program_of(const struct probe_events_source *self)
{
	return self->choice->program ? self->program->progs.on_leave_fetch
				     : self->program->progs.on_leave;
}

/* Of functions of the kernel. */
static struct bpf_program *kernel_program_of(const struct probe_events_source *self)
{
	return self->choice->program ? self->program->progs.on_kernel_hit_fetch
				     : self->program->progs.on_kernel_hit;
}

static void choose_programs(struct probe_events_source *self)
{
	const struct probe_choice *of_kernel = self->choice->returns.kernel.count
						       ? &self->choice->returns
						       : &self->choice->entries;
	struct probe_events_bpf *program = self->program;
	bool returns = self->choice->returns.places.count != 0, fetches = self->choice->program;
	struct bpf_program *const at_places[] = { program_of(self), leave_program_of(self),
						  program->progs.on_enter };

	bool in_programs = returns || self->choice->entries.places.count;

	(void)bpf_program__set_autoload(program->progs.on_kernel_hit, false);
	(void)bpf_program__set_autoload(program->progs.on_kernel_hit_fetch, false);
	kernel_links_prepare(kernel_program_of(self), of_kernel);
	(void)bpf_program__set_autoload(program->progs.on_hit, in_programs && !fetches);
	(void)bpf_program__set_autoload(program->progs.on_hit_fetch, in_programs && fetches);
	(void)bpf_program__set_autoload(program->progs.on_leave, returns && !fetches);
	(void)bpf_program__set_autoload(program->progs.on_leave_fetch, returns && fetches);
	(void)bpf_program__set_autoload(program->progs.on_enter, returns);
	for (size_t i = 0; self->attach_type && i < sizeof(at_places) / sizeof(*at_places); i++)
		(void)bpf_program__set_expected_attach_type(
			at_places[i], (enum bpf_attach_type)self->attach_type);
}

static void choose_cpus(struct probe_events_source *self)
{
	const struct perf_target *target = &rings_of(self)->target;
	uint64_t *wanted = (uint64_t *)self->program->rodata->wanted_cpus;

	self->program->rodata->some_cpus = target->sampled.count || self->sampler->options.cpus;
	for (size_t i = 0; i < target->sampled.count; i++)
		wanted[target->sampled.item[i] / 64] |= 1ull << (target->sampled.item[i] & 63);
	for (size_t i = 0; !target->sampled.count && i < target->cpu.count; i++)
		if (target->cpu.item[i] >= 0)
			wanted[target->cpu.item[i] / 64] |= 1ull << (target->cpu.item[i] & 63);
}

static void configure(struct probe_events_source *self)
{
	const struct source_options *options = &self->sampler->options;
	const struct perf_source *rings = rings_of(self);
	struct probe_events_bpf *program = self->program;
	bool everybody = rings->target.pid.item[0] == -1;

	BPF_WALKER_CONFIGURE(program->rodata, self->sampler);
	program->rodata->many_events = self->sampler->settings.many_events;
	program->rodata->with_payload = true;
	program->rodata->wakeup_bytes = RING_BYTES / 16;
	program->rodata->everybody = everybody;
	program->rodata->with_kernel_part = self->sampler->settings.with_kernel;
	own_processes_put(program->bss->own_processes);
	program->rodata->slot_cpus = (uint32_t)self->sampler->cpus;
	program->rodata->program = rings->plan.program ? (uint32_t)options->program : 0;
	program->bss->enabled = rings->plan.on_exec;
	choose_cpus(self);
	(void)bpf_program__set_autoload(program->progs.on_exec, !everybody);
	(void)bpf_program__set_autoload(program->progs.on_fork,
					!everybody && !options->no_inherit && !options->per_thread);
	(void)bpf_program__set_autoload(program->progs.on_free, !everybody);
	choose_programs(self);
}

static int size_maps(struct probe_events_source *self)
{
	const struct probe_events_bpf *program = self->program;
	uint32_t slots = (uint32_t)self->sampler->cpus + WALK_SPARE_SLOTS;
	struct bpf_map *const by_slot[] = { program->maps.memories, program->maps.caches,
					    program->maps.walk_slots, program->maps.fetch_runs };
	int code = bpf_walker_share(program->obj, self->sampler);

	for (size_t i = 0; !code && i < sizeof(by_slot) / sizeof(by_slot[0]); i++)
		code = bpf_map__set_max_entries(by_slot[i], slots);
	if (!code)
		code = bpf_map__set_max_entries(program->maps.events,
						(uint32_t)self->choice->events);
	if (!code)
		code = bpf_map__set_max_entries(program->maps.places,
						(uint32_t)self->choice->places);
	if (!code && self->choice->program)
		code = bpf_map__set_max_entries(program->maps.fetch_programs,
						(uint32_t)self->choice->places);
	return code;
}

static int load(struct probe_events_source *self, struct err *err)
{
	int code;

	bpf_be_quiet();
	self->program = probe_events_bpf__open();
	if (!self->program)
		return bpf_fail(err, -errno, WHAT ": opening the BPF programs");
	configure(self);
	code = size_maps(self);
	if (code)
		return bpf_fail(err, code, WHAT ": opening the BPF programs");
	return bpf_load(self->program->skeleton, WHAT ": loading the BPF programs", err);
}

/* Which event a place belongs to, and what its samples look like. */
static int fill(struct probe_events_source *self, struct err *err)
{
	const struct perf_source *rings = rings_of(self);
	const struct probe_events *choice = self->choice;
	uint32_t number = 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < choice->places; i++)
		code = bpf_map__update_elem(self->program->maps.places, &i, sizeof(i),
					    &choice->event[i], sizeof(*choice->event), BPF_ANY);
	for (uint32_t i = 0; !code && choice->program && i < choice->places; i++)
		code = bpf_map__update_elem(self->program->maps.fetch_programs, &i, sizeof(i),
					    &choice->program[i], sizeof(*choice->program), BPF_ANY);
	self->number = mem_zalloc(rings->selected_count * sizeof(*self->number));
	for (size_t i = 0; !code && i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];
		const struct event_desc *desc = selected->desc;
		const struct probe_event event = {
			.id = desc->ids.count ? desc->ids.item[0] : 0,
			.period = (int64_t)selected->attr.sample_period,
			.type = (uint32_t)selected->attr.config,
		};

		if (!selected->spec->probe)
			continue;
		code = bpf_map__update_elem(self->program->maps.events, &number, sizeof(number),
					    &event, sizeof(event), BPF_ANY);
		self->number[desc->index] = number++;
	}
	return code ? bpf_fail(err, code, WHAT ": filling maps") : 0;
}

/* The values of a sample as its format describes them; its length. */
static uint32_t lay_out(const struct probe_event_values *values, const struct event_sample *sample,
			uint8_t *ret)
{
	const uint32_t head = sizeof(struct probe_event_data);
	uint32_t end = head + values->count * (uint32_t)sizeof(uint64_t);
	static const char unreadable[] = "(unreadable)";
	struct fetch_result result = { 0 };

	memcpy(ret, sample->raw, head);
	memcpy(&result, (const uint8_t *)sample->raw + head,
	       sample->raw_len - head < sizeof(result) ? sample->raw_len - head : sizeof(result));
	for (uint32_t i = 0; i < values->count; i++) {
		bool bad = result.faults >> i & 1;
		uint64_t value = bad ? 0 : result.value[i];

		if (values->texts >> i & 1) {
			const char *text = bad ? unreadable : result.text + FETCH_STRING_AT(value);
			size_t most = bad ? sizeof(unreadable)
					  : FETCH_TEXT - FETCH_STRING_AT(value);
			uint32_t len = (uint32_t)strnlen(text, most - 1);

			memcpy(ret + end, text, len);
			ret[end + len] = '\0';
			value = end | (uint64_t)(len + 1) << 16;
			end += len + 1;
		}
		memcpy(ret + head + i * sizeof(value), &value, sizeof(value));
	}
	return end;
}

static int take_event(struct sink *sink, const struct event *event, struct err *err)
{
	const struct probe_events_source *self =
		(void *)((char *)sink - offsetof(struct probe_events_source, taken));
	uint8_t data[sizeof(struct probe_event_data) + FETCH_VALUES * (8 + FETCH_STRING_MAX)];
	struct event whole = *event;

	if (!self->choice->program || event->type != EVENT_SAMPLE)
		return self->to->event(self->to, event, err);
	whole.sample.raw_len = lay_out(&self->choice->values[self->number[event->desc->index]],
				       &event->sample, data);
	whole.sample.raw = data;
	return self->to->event(self->to, &whole, err);
}

static int open_all(struct probe_events_source *self, struct err *err)
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
	code = bpf_walker_open(&self->walker, &options, err);
	return code ? code : fill(self, err);
}

static int probe_events_open(struct source **ret, const struct source_options *options,
			     struct err *err)
{
	struct probe_events_source *self;
	int code;

	if (!options->sampler)
		return err_set(err, -EINVAL, WHAT ": no CPU sampler to work for");
	if (options->cgroups)
		return err_set(err, -ENOTSUP, "-G: probes cannot be limited to a cgroup");
	self = mem_zalloc(sizeof(*self));
	self->source.ops = source_find("probe_events");
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->choice = options->probe_events;
	self->taken.event = take_event;
	self->attach_type = probe_links_multi() ? ATTACH_UPROBE_MULTI : 0;
	/* Others have to be probed only if children inherit. */
	self->pid = options->no_inherit ? thread_filter_pid(options) : 0;
	code = open_all(self, err);
	if (code) {
		probe_events_close(&self->source);
		return code;
	}
	self->source.fd = bpf_walker_fd(self->walker);
	*ret = &self->source;
	return 0;
}

/* The threads that there are by now; those that come are seen. */
static int add_threads(struct probe_events_source *self, struct err *err)
{
	struct perf_target target = { 0 };
	const uint64_t any = 0;
	int code = perf_target_open(&target, &self->sampler->options, err);

	for (size_t i = 0; !code && i < target.pid.count; i++) {
		uint32_t tid = (uint32_t)target.pid.item[i];

		if (bpf_map__update_elem(self->program->maps.followed, &tid, sizeof(tid), &any,
					 sizeof(any), BPF_NOEXIST) &&
		    errno != EEXIST)
			code = bpf_fail(err, -errno, "filling the thread filter");
	}
	perf_target_done(&target);
	return code;
}

static int follow(struct probe_events_source *self, struct err *err)
{
	struct probe_events_bpf *program = self->program;
	struct {
		const struct bpf_program *program;
		struct bpf_link **link;
	} const part[] = {
		{ program->progs.on_exec, &program->links.on_exec },
		{ program->progs.on_fork, &program->links.on_fork },
		{ program->progs.on_free, &program->links.on_free },
	};

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (!bpf_program__autoload(part[i].program))
			continue;
		*part[i].link = bpf_program__attach(part[i].program);
		if (!*part[i].link)
			return bpf_fail(err, -errno, "following threads");
	}
	return rings_of(self)->target.attach ? add_threads(self, err) : 0;
}

static int attach(struct probe_events_source *self, const struct probe_choice *choice,
		  bool at_return, struct err *err)
{
	const struct probe_attach how = { .choice = choice,
					  .place = choice->places.item,
					  .places = choice->places.count,
					  .attach_type = self->attach_type,
					  .pid = self->pid };
	const int on_hit = bpf_program__fd(program_of(self));
	const struct probe_ends ends = { on_hit, on_hit, bpf_program__fd(leave_program_of(self)),
					 bpf_program__fd(self->program->progs.on_enter) };

	int code =
		kernel_links_attach(&self->links, kernel_program_of(self), choice, at_return, err);

	if (code || !choice->places.count)
		return code;
	return at_return ? probe_links_ends(&self->links, &ends, &how, err)
			 : probe_links_places(&self->links, on_hit, &how, err);
}

static int probe_events_start(struct source *source, struct err *err)
{
	struct probe_events_source *self = self_of(source);
	const struct probe_events *choice = self->choice;
	int code = follow(self, err);

	own_processes_put(self->program->bss->own_processes);
	if (!code)
		code = attach(self, &choice->entries, false, err);
	if (!code)
		probe_links_note(&self->links, &choice->entries, source);
	if (!code)
		code = attach(self, &choice->returns, true, err);
	return code ? err_wrap(err, "attaching probes") : 0;
}

static int probe_events_enable(struct source *source, bool on, struct err *err)
{
	(void)err;
	*(volatile bool *)&self_of(source)->program->bss->enabled = on;
	return 0;
}

static int64_t drain(struct probe_events_source *self, struct sink *sink, struct err *err)
{
	self->to = sink;
	return bpf_walker_drain(self->walker, &self->taken, err);
}

static int64_t probe_events_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct probe_events_source *self = self_of(source);

	return self->stopped ? 0 : drain(self, sink, err);
}

/* The probes stay until detach(): removing them takes long, and what was seen comes first. */
static int probe_events_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct probe_events_source *self = self_of(source);
	int64_t code;

	*(volatile bool *)&self->program->bss->enabled = false;
	code = drain(self, sink, err);
	if (code >= 0) /* what a hit on another CPU was sending meanwhile */
		code = drain(self, sink, err);
	self->stopped = true;
	bpf_walker_report(self->walker, source, 0);
	return code < 0 ? (int)code : 0;
}

static void probe_events_detach(struct source *source)
{
	struct probe_events_source *self = self_of(source);

	probe_links_close(&self->links);
	probe_events_bpf__detach(self->program);
}

const struct source_ops source_probe_events = {
	.name = "probe_events",
	.help = "hits of probes in programs with stacks, for a CPU sampler",
	.open = probe_events_open,
	.start = probe_events_start,
	.enable = probe_events_enable,
	.ready = probe_events_ready,
	.stop = probe_events_stop,
	.detach = probe_events_detach,
	.close = probe_events_close,
};
