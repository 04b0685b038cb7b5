/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of watching activities (see activity_source.h). What it makes in the kernel
 * belongs to descriptors of this process, so nothing stays behind whatever ends it. */
#include "source/activity/activity_source.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "bpf/activity.skel.h"
#include "event/event.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_types.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/sum_maps.h"
#include "source/bpf/thread_filter.h"
#include "source/source.h"

extern const struct source_ops source_activity;

struct activity_source {
	struct source source; /* first */
	struct activity_bpf *skeleton;
	struct ring_reader *ring; /* one by one */
	struct sum_maps *sums;	  /* or added up */
	uint32_t kind;		  /* of sums */
	struct activity one;
	struct source_loss loss;
	/* during a call */
	struct sink *sink;
	struct err *err;
	int code; /* of the sink */
};

#define KIND(id) (1u << ACTIVITY_##id)
#define CALLS                                                                          \
	(KIND(OPEN) | KIND(STAT) | KIND(SYNC) | KIND(KILL) | KIND(EXEC) | KIND(FILE) | \
	 KIND(CALL) | KIND(ACCEPT) | KIND(LIFE))

/* The programs, which kinds need them, and what is missing without. */
static const struct part {
	const char *program;
	uint32_t kinds;
	const char *without; /* NULL = nothing: another one stands in */
} parts[] = {
	{ "on_io_start", KIND(BLOCK), NULL },
	{ "on_io_done", KIND(BLOCK), NULL },
	{ "on_request_insert", KIND(BLOCK), NULL },
	{ "on_request_issue", KIND(BLOCK), "times in the device" },
	{ "on_request_complete", KIND(BLOCK), "flushes" },
	{ "on_call_begin", CALLS, "system calls" },
	{ "on_call_end", CALLS, "system calls" },
	{ "on_process_exit", KIND(EXIT), "ends of processes" },
	{ "on_tcp_state", KIND(CONNECT) | KIND(LIFE), "states of connections" },
	{ "on_retransmit", KIND(RETRANSMIT), "retransmits" },
	{ "on_drop", KIND(DROP), "drops" },
	{ "on_send", KIND(TCP_BYTES), "sent bytes" },
	{ "on_receive", KIND(TCP_BYTES), "received bytes" },
	{ "on_get_pages", KIND(CACHE), "lookups, and thereby hits" },
	{ "on_add", KIND(CACHE), "misses" },
	{ "on_dirty", KIND(CACHE), "dirtied pages" },
	{ "on_irq_begin", KIND(IRQ), "interrupts" },
	{ "on_irq_end", KIND(IRQ), "interrupts" },
	{ "on_softirq_begin", KIND(SOFTIRQ), "soft interrupts" },
	{ "on_softirq_end", KIND(SOFTIRQ), "soft interrupts" },
};

static struct activity_source *self_of(struct source *source)
{
	return (struct activity_source *)source;
}

static int fail(struct err *err, int code, const char *step)
{
	(void)bpf_fail(err, code, step);
	if (!err->hint[0])
		(void)err_hint(err, "requires Linux 5.11 or newer");
	return err_wrap(err, "watching activity");
}

static void deliver(struct activity_source *self)
{
	const struct event event = { .type = EVENT_OWN,
				     .own = { &self->one, sizeof(self->one) },
				     .pid = self->one.pid,
				     .tid = self->one.tid,
				     .cpu = UINT32_MAX,
				     .has_time = true,
				     .time_ns = self->one.time_ns };

	if (!self->code)
		self->code = self->sink->event(self->sink, &event, self->err);
}

static void take_record(void *context, void *data, size_t size)
{
	struct activity_source *self = context;
	const size_t head = offsetof(struct activity, text);

	if (size < head || size > sizeof(self->one))
		return;
	memcpy(&self->one, data, size);
	if (self->one.text_len > size - head)
		self->one.text_len = (uint32_t)(size - head);
	if (self->one.text_len >= ACTIVITY_TEXT)
		self->one.text_len = ACTIVITY_TEXT - 1;
	self->one.text[self->one.text_len] = '\0';
	self->one.comm[sizeof(self->one.comm) - 1] = '\0';
	deliver(self);
}

static int take_sum(void *context, const void *key, const void *sum)
{
	struct activity_source *self = context;
	const struct activity_rules *rules =
		(const struct activity_rules *)&self->skeleton->rodata->rules;
	const struct activity_key *about = key;
	const struct activity_sum *added = sum;
	struct activity *to = &self->one;

	memset(to, 0, offsetof(struct activity, text) + 1);
	to->kind = self->kind;
	to->count = added->count;
	to->ns = added->ns;
	to->pid = about->pid;
	to->tid = about->tid;
	to->operation = about->operation;
	to->bucket = about->bucket;
	memcpy(to->comm, about->comm, sizeof(to->comm));
	for (size_t i = 0; i < ACTIVITY_NUMBERS; i++)
		to->number[i] = rules->summed >> i & 1 ? added->number[i] : about->number[i];
	if (rules->by & ACTIVITY_BY_TEXT) {
		memcpy(to->text, about->text, sizeof(about->text));
		to->text[sizeof(about->text)] = '\0';
		to->text_len = sizeof(about->text);
	}
	deliver(self);
	return self->code;
}

static const struct part *part_of(const char *program)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i].program, program) == 0)
			return &parts[i];
	return NULL;
}

/* None of these fail before loading. */
static int set_up(struct activity_bpf *skeleton, const struct source_options *options,
		  struct err *err)
{
	const struct activity_rules *rules = &options->activity->rules;
	size_t key = rules->by & ACTIVITY_BY_TEXT ? sizeof(struct activity_key)
						  : offsetof(struct activity_key, text);
	struct activity_role roles[SYSCALL_ABIS][SYSCALL_NUMBERS];
	int code = activity_roles(options->activity, roles, err);

	if (code)
		return code;
	THREAD_FILTER_SET_UP(skeleton, options);
	memcpy((void *)&skeleton->rodata->rules, rules, sizeof(*rules));
	memcpy((void *)skeleton->rodata->roles, roles, sizeof(roles));
	for (int i = 0; i < skeleton->skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *program =
			bpf_skeleton_program(skeleton->skeleton, i);
		const struct part *part = part_of(program->name);

		if (part)
			(void)bpf_program__set_autoload(*program->prog, part->kinds & rules->kinds);
	}
	(void)bpf_map__set_key_size(skeleton->maps.sums, (uint32_t)key);
	(void)bpf_map__set_key_size(skeleton->maps.odd_sums, (uint32_t)key);
	if (rules->sums)
		(void)bpf_map__set_max_entries(skeleton->maps.activities,
					       (uint32_t)sysconf(_SC_PAGESIZE));
	return 0;
}

/* With the few types that it names (see bpf_types.h), or else with libbpf's way to all of them. */
static struct activity_bpf *open_with(struct bpf_types *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types->path);
	struct activity_bpf *skeleton = bpf_types_open(types) ? activity_bpf__open_opts(&options)
							      : NULL;

	if (skeleton && bpf_types_fill(types, skeleton->obj))
		return skeleton;
	activity_bpf__destroy(skeleton);
	return activity_bpf__open();
}

static int load(struct activity_source *self, const struct source_options *options, struct err *err)
{
	struct bpf_types types;
	int code = 0;

	self->skeleton = open_with(&types);
	if (!self->skeleton)
		code = fail(err, -errno, "opening the BPF programs");
	if (!code)
		code = set_up(self->skeleton, options, err);
	if (!code && bpf_load(self->skeleton->skeleton, "loading the BPF programs", err))
		code = err_wrap(err, "watching activity");
	bpf_types_close(&types);
	return code ? code : thread_filter_fill(self->skeleton->maps.targets, options, err);
}

static int connect_maps(struct activity_source *self, const struct activity_rules *rules,
			struct err *err)
{
	struct activity_bpf *skeleton = self->skeleton;
	int code;

	for (uint32_t kind = 0; kind < ACTIVITY_KIND_COUNT; kind++)
		if (rules->kinds >> kind & 1)
			self->kind = kind;
	if (rules->sums) {
		self->sums = sum_maps_new(&(struct sum_maps_options){
			.map_fd = { bpf_map__fd(skeleton->maps.sums),
				    bpf_map__fd(skeleton->maps.odd_sums) },
			.odd_turn = &skeleton->bss->odd_turn,
			.key_size = bpf_map__key_size(skeleton->maps.sums),
			.sum_size = sizeof(struct activity_sum) });
		return 0;
	}
	self->ring = ring_reader_new(take_record);
	code = ring_reader_add(self->ring, bpf_map__fd(skeleton->maps.activities), self, err);
	if (!code)
		self->source.fd = ring_reader_fd(self->ring);
	return code ? err_wrap(err, "watching activity") : 0;
}

static void activity_close(struct source *source)
{
	struct activity_source *self = self_of(source);

	ring_reader_free(self->ring);
	sum_maps_free(self->sums);
	activity_bpf__destroy(self->skeleton);
	free(self);
}

static int activity_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct activity_source *self = mem_zalloc(sizeof(*self));
	int code;

	bpf_be_quiet();
	self->source.ops = &source_activity;
	self->source.fd = -1;
	code = load(self, options, err);
	if (!code)
		code = connect_maps(self, &options->activity->rules, err);
	if (code) {
		activity_close(&self->source);
		return code;
	}
	*ret = &self->source;
	return 0;
}

/* A raw tracepoint that this kernel does not have is no reason to do without the others. */
static int attach(struct activity_source *self, const struct bpf_prog_skeleton *program,
		  struct err *err)
{
	const struct part *part = part_of(program->name);
	const char *section;

	if (!part || !bpf_program__autoload(*program->prog))
		return 0;
	*program->link = bpf_program__attach(*program->prog);
	if (*program->link)
		return 0;
	if (errno != ENOENT)
		return fail(err, -errno, "attaching");
	section = strchr(bpf_program__section_name(*program->prog), '/');
	if (part->without)
		source_note(&self->source,
			    "%s: missing: this kernel has no tracepoint %s; the rest works",
			    part->without, section ? section + 1 : part->program);
	return 0;
}

static int activity_start(struct source *source, struct err *err)
{
	struct activity_source *self = self_of(source);
	const struct bpf_object_skeleton *skeleton = self->skeleton->skeleton;
	int code = thread_filter_follow(skeleton, err);

	for (int i = 0; !code && i < skeleton->prog_cnt; i++)
		code = attach(self, bpf_skeleton_program(skeleton, i), err);
	self->skeleton->bss->has_io_done = self->skeleton->links.on_io_done != NULL;
	return code;
}

static int64_t activity_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct activity_source *self = self_of(source);

	self->sink = sink;
	self->err = err;
	self->code = 0;
	if (self->ring)
		(void)ring_reader_drain(self->ring);
	return self->code;
}

static int read_sums(struct activity_source *self, bool last)
{
	bool told;
	int code = sum_maps_read(self->sums, last, take_sum, self, &told);

	return code && !told ? fail(self->err, code, "reading sums") : code;
}

/* All that was added until now: programs that still add to the map are over after the barrier. */
static int activity_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct activity_source *self = self_of(source);
	int code = (int)activity_ready(source, sink, err);

	if (code || !self->sums)
		return code;
	code = read_sums(self, false);
	(void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0); /* best effort */
	return code ? code : read_sums(self, false);
}

static int activity_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct activity_source *self = self_of(source);
	int code;

	activity_bpf__detach(self->skeleton);
	code = (int)activity_ready(source, sink, err);
	if (!code && self->sums) {
		(void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
		code = read_sums(self, true);
	}
	self->loss = (struct source_loss){ -1, self->skeleton->bss->lost, true };
	source->loss = &self->loss;
	source->loss_count = 1;
	return code;
}

const struct source_ops source_activity = {
	.name = "activity",
	.help = "requests to disks, files, sockets, processes and the page cache",
	.open = activity_open,
	.start = activity_start,
	.ready = activity_ready,
	.snapshot = activity_snapshot,
	.stop = activity_stop,
	.close = activity_close,
};
