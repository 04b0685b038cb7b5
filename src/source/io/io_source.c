/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source "io": requests for I/O as samples of io, which carry the sums of event/io_request.h
 * (bpf/io.bpf.c), and slow ones also one by one. It works for a sampler (options->sampler) with an
 * event that only provides ids, and that follows processes and fills tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/cpu.h"
#include "event/desc.h"
#include "event/io_request.h"
/* after the types that it names */
#include "bpf/io.skel.h"
#include "event/stop.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/bpf_walker.h"
#include "source/bpf/own_processes.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/sum_maps.h"
#include "source/bpf/thread_filter.h"
#include "source/io/io_choice.h"
#include "source/ledger/wait_class.h"
#include "source/perf_event/perf_event.h"
#include "source/source.h"

#define WHAT	   "I/O"
#define RING_BYTES (1u << 20) /* of each CPU */

struct io_source {
	struct source source; /* first */
	const struct bpf_cpu *sampler;
	struct io_bpf *program;
	struct bpf_walker *walker;
	struct sum_maps *sums;
	struct ring_reader *slow; /* NULL = none are wanted */
	bool many_events, stopped;
	uint64_t event_id;
	uint64_t round_ns; /* the time of samples of sums */
	uint64_t number;   /* of the last sum */
	int64_t sum_bytes; /* of those of a drain */
	/* During a drain. */
	struct sink *sink;
	struct err *err;
	int code;
};

/* A sample as the kernel part would have sent it: id, period, and the payload with its length. */
struct io_sample {
	struct cpu_sample head;
	uint64_t word[3 + sizeof(struct io_data) / 8];
};

/* As bpf/io/io_sums.bpf.h has them. */
struct io_file_key {
	uint64_t inode;
	uint32_t device, generation;
};

struct io_slow {
	uint64_t end_ns;
	struct io_key key;
	struct io_sum sum;
};

#define FIRST_NUMBER (1ull << 48) /* of sums, apart from the kernel part's of stacks */

static struct io_source *self_of(struct source *source)
{
	return (struct io_source *)source;
}

static void io_close(struct source *source)
{
	struct io_source *self = self_of(source);

	sum_maps_free(self->sums);
	ring_reader_free(self->slow);
	bpf_walker_close(self->walker);
	io_bpf__destroy(self->program);
	free(self);
}

static const struct perf_source *rings_of(const struct io_source *self)
{
	return (const struct perf_source *)self->sampler->rings;
}

/* Raw tracepoints, which some kernels do not have. */
static bool is_optional(const char *name)
{
	static const char *const names[] = { "on_bio",
					     "on_io_start",
					     "on_io_done",
					     "on_request_insert",
					     "on_request_issue",
					     "on_request_complete",
					     "on_page_added",
					     "on_contention",
					     "on_contention_end",
					     "on_ring_submit",
					     "on_ring_punt",
					     "on_ring_complete" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void choose_event(struct io_source *self, const struct perf_source *rings)
{
	for (size_t i = 0; i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];

		if (selected->spec->kind == EVENT_KIND_IO && selected->desc->ids.count)
			self->event_id = selected->desc->ids.item[0];
	}
}

static void configure(struct io_source *self, const struct source_options *options)
{
	static const struct io_choice usual;
	const struct io_choice *choice = options->io ? options->io : &usual;
	const struct perf_source *rings = rings_of(self);
	struct io_bpf *program = self->program;
	struct io_role roles[SYSCALL_NUMBERS];

	io_roles(roles);
	BPF_WALKER_CONFIGURE(program->rodata, self->sampler);
	program->rodata->wakeup_bytes = RING_BYTES / 4;
	program->rodata->many_events = self->many_events;
	program->rodata->with_payload = true;
	program->rodata->slot_cpus = (uint32_t)self->sampler->cpus;
	program->rodata->wait_id = self->event_id;
	program->rodata->belief_ns = 0; /* each call has the stack that it came by */
	program->rodata->everybody = rings->target.pid.item[0] == -1;
	program->rodata->inherit = !options->no_inherit && !options->per_thread;
	program->rodata->program = rings->plan.on_exec ? (uint32_t)options->program : 0;
	own_processes_put(program->bss->own_processes);
	program->rodata->slower_ns = choice->slower_ns;
	program->rodata->cgroup_id = choice->cgroup_id;
	memcpy((void *)program->rodata->role_of_call, roles, sizeof(roles));
	wait_classes((uint8_t *)program->rodata->class_of);
	for (int i = 0; i < program->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *part = bpf_skeleton_program(program->skeleton, i);

		if (is_optional(part->name))
			bpf_program__set_autoattach(*part->prog, false);
	}
}

static int load(struct io_source *self, const struct source_options *options, struct err *err)
{
	int code;

	bpf_be_quiet();
	self->program = io_bpf__open();
	if (!self->program)
		return bpf_fail(err, -errno, WHAT ": opening the BPF programs");
	configure(self, options);
	code = bpf_walker_share(self->program->obj, self->sampler);
	if (!code)
		code = bpf_walker_add_slots(self->program->obj, self->sampler);
	if (code)
		return bpf_fail(err, code, WHAT ": sizing the maps");
	return bpf_load(self->program->skeleton, WHAT ": loading the BPF programs", err);
}

static int name_targets(const struct io_source *self, struct err *err)
{
	if (self->program->rodata->everybody)
		return 0;
	if (thread_filter_put(self->program->maps.targets, &rings_of(self)->target, err))
		return err_wrap(err, WHAT);
	return 0;
}

/* What follows the head of a sample. Returns the length of all. */
static size_t put_words(const struct io_source *self, struct io_sample *sample,
			const struct io_data *data)
{
	size_t words = 0;

	if (self->many_events)
		sample->word[words++] = self->event_id;
	if (sample->head.period == UINT32_MAX)
		sample->word[words++] = data->sum.ns;
	sample->word[words++] = sizeof(*data);
	memcpy(&sample->word[words], data, sizeof(*data));
	return sizeof(sample->head) + words * 8 + sizeof(*data);
}

static int deliver(struct io_source *self, struct io_data *data, uint64_t time_ns)
{
	const struct io_file_key file = { data->key.inode, data->key.device, data->key.generation };
	const struct io_key *key = &data->key;
	bool known = key->stack && !(key->flags & IO_RAW_STACK);
	struct io_sample sample = {
		.head = { .time_ns = time_ns,
			  .pid = key->pid,
			  .tid = key->tid,
			  .kind = CPU_WALKED,
			  .period = data->sum.ns < UINT32_MAX ? (uint32_t)data->sum.ns : UINT32_MAX,
			  .base = known ? key->stack
					: cpu_node_root(self->program->rodata->seed,
							STACK_STOP_NOT_TAKEN) }
	};
	struct bpf_stacks_record record = { -1, &sample, 0 };

	data->number = ++self->number;
	if (bpf_map_lookup_elem(bpf_map__fd(self->program->maps.file_names), &file, &data->names))
		memset(&data->names, 0, sizeof(data->names));
	record.len = put_words(self, &sample, data);
	self->sum_bytes += (int64_t)record.len;
	return bpf_walker_take(self->walker, &record, self->sink, self->err);
}

static int take_sum(void *context, const void *of, const void *what)
{
	struct io_source *self = context;
	struct io_data data = { 0 };
	int code;

	memcpy(&data.key, of, sizeof(data.key));
	memcpy(&data.sum, what, sizeof(data.sum));
	if (!data.sum.count)
		return 0;
	code = deliver(self, &data, self->round_ns);
	return code < 0 ? code : 0;
}

static void take_slow(void *context, void *record, size_t len)
{
	struct io_source *self = context;
	const struct io_slow *one = record;
	struct io_data data = { 0 };
	int code;

	if (len != sizeof(*one) || self->code)
		return;
	data.key = one->key;
	data.sum = one->sum;
	data.end_ns = one->end_ns;
	code = deliver(self, &data, one->end_ns);
	self->code = code < 0 ? code : 0;
}

static int open_reader(struct io_source *self, struct err *err)
{
	const struct bpf_walker_options options = { .sampler = self->sampler,
						    .object = self->program->obj,
						    .what = WHAT,
						    .many_events = self->many_events,
						    .with_payload = true,
						    .ring_bytes = RING_BYTES,
						    .seen = (uint64_t *)self->program->bss->seen };
	const struct sum_maps_options sums = {
		.map_fd = { bpf_map__fd(self->program->maps.sums),
			    bpf_map__fd(self->program->maps.odd_sums) },
		.odd_turn = &self->program->bss->odd_turn,
		.key_size = sizeof(struct io_key),
		.sum_size = sizeof(struct io_sum),
	};

	self->sums = sum_maps_new(&sums);
	if (self->program->rodata->slower_ns) {
		self->slow = ring_reader_new(take_slow);
		if (ring_reader_add(self->slow, bpf_map__fd(self->program->maps.slow), self, err))
			return err_wrap(err, WHAT);
	}
	return bpf_walker_open(&self->walker, &options, err);
}

static int io_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct io_source *self;
	int code;

	if (!options->sampler)
		return err_set(err, -EINVAL, WHAT ": no CPU sampler to work for");
	self = mem_zalloc(sizeof(*self));
	self->source.ops = source_find("io");
	self->sampler = (const struct bpf_cpu *)options->sampler;
	self->many_events = self->sampler->settings.many_events;
	self->number = FIRST_NUMBER;
	choose_event(self, rings_of(self));
	code = load(self, options, err);
	if (!code)
		code = name_targets(self, err);
	if (!code)
		code = open_reader(self, err);
	if (code) {
		io_close(&self->source);
		return code;
	}
	self->source.fd = bpf_walker_fd(self->walker);
	*ret = &self->source;
	return 0;
}

static int attach_optional(struct io_source *self, const struct bpf_prog_skeleton *part,
			   struct err *err)
{
	const char *section = strchr(bpf_program__section_name(*part->prog), '/');

	*part->link = bpf_program__attach(*part->prog);
	if (*part->link)
		return 0;
	if (errno != ENOENT)
		return bpf_fail(err, -errno, WHAT ": attaching");
	if (strncmp(part->name, "on_io_", 6) != 0)
		source_note(&self->source,
			    "this kernel has no tracepoint %s: that layer is missing",
			    section ? section + 1 : part->name);
	return 0;
}

static int io_start(struct source *source, struct err *err)
{
	struct io_source *self = self_of(source);
	struct io_bpf *program = self->program;
	int code;

	own_processes_put(program->bss->own_processes);
	code = io_bpf__attach(program);
	if (code)
		return bpf_fail(err, code, WHAT ": attaching");
	for (int i = 0; !code && i < program->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *part = bpf_skeleton_program(program->skeleton, i);

		if (is_optional(part->name))
			code = attach_optional(self, part, err);
	}
	program->bss->has_io_done = program->links.on_io_done != NULL;
	if (!code && bpf_iterate(program->progs.begin, 0, NULL, NULL))
		code = bpf_fail(err, -EIO, WHAT ": iterating over threads");
	return code;
}

static int io_enable(struct source *source, bool on, struct err *err)
{
	(void)err;
	*(volatile bool *)&self_of(source)->program->bss->enabled = on;
	return 0;
}

/* The rings first: what a sum names is known from them. */
static int64_t drain(struct io_source *self, struct sink *sink, struct err *err)
{
	int64_t bytes = bpf_walker_drain(self->walker, sink, err);
	bool reported = false;
	int code;

	if (bytes < 0)
		return bytes;
	self->sink = sink;
	self->err = err;
	self->sum_bytes = 0;
	self->code = 0;
	if (self->slow)
		(void)ring_reader_drain(self->slow);
	if (self->code)
		return self->code;
	self->round_ns = clock_ns(self->sampler->source.clock.id);
	code = sum_maps_read(self->sums, self->stopped, take_sum, self, &reported);
	if (code)
		return reported ? code : bpf_fail(err, code, WHAT ": reading sums");
	return bytes + self->sum_bytes;
}

static int64_t io_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct io_source *self = self_of(source);

	return self->stopped ? 0 : drain(self, sink, err);
}

static int io_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct io_source *self = self_of(source);
	int64_t code = 0;

	io_bpf__detach(self->program);
	self->stopped = true;
	code = drain(self, sink, err);
	if (code >= 0) /* samples that waited for the name of their stack */
		code = bpf_walker_drain(self->walker, sink, err);
	bpf_walker_report(self->walker, source, self->program->bss->lost_requests);
	return code < 0 ? (int)code : 0;
}

const struct source_ops source_io = {
	.name = "io",
	.help = "requests for I/O with their layers and stacks, for a CPU sampler",
	.open = io_open,
	.start = io_start,
	.enable = io_enable,
	.ready = io_ready,
	.stop = io_stop,
	.close = io_close,
};
