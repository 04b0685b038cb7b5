/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of counting system calls (see syscall_source.h). What it makes in the kernel
 * belongs to descriptors of this process, so nothing stays behind whatever ends it. */
#include "source/syscall/syscall_source.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "bpf/syscall_place.h"
#include "bpf/syscalls.skel.h"
#include "event/event.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_types.h"
#include "source/bpf/own_processes.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/thread_filter.h"
#include "source/syscall/syscall_args.h"
#include "source/syscall/syscall_choice.h"

#define SWEEP_NS       1000000000ull
#define SWEEP_LINES_NS 20000000ull
#define LINES_BYTES    (16u << 20)

struct syscall_source {
	struct source source; /* first */
	struct syscalls_bpf *skeleton;
	struct ring_reader *ring, *lines; /* NULL = no lines */
	bool times;
	struct source_loss loss;
	/* during a call */
	struct sink *sink;
	struct err *err;
	int code; /* of the sink */
};

static struct syscall_source *self_of(struct source *source)
{
	return (struct syscall_source *)source;
}

static int explain(struct err *err)
{
	if (!err->hint[0])
		(void)err_hint(err, "requires Linux 5.11 or newer");
	return err_wrap(err, "tracing system calls");
}

static int fail(struct err *err, int code, const char *step)
{
	(void)bpf_fail(err, code, step);
	return explain(err);
}

static void deliver(struct syscall_source *self, const struct syscall_report *report)
{
	const struct event event = { .type = EVENT_OWN, .own = { report, sizeof(*report) } };

	if (!self->code)
		self->code = self->sink->event(self->sink, &event, self->err);
}

/* Distinguished by size. */
static void take_record(void *context, void *data, size_t size)
{
	struct syscall_report report = { 0 };

	if (size == sizeof(*report.thread))
		report.thread = data;
	else if (size == sizeof(*report.sum))
		report.sum = data;
	else
		return;
	deliver(context, &report);
}

static void take_line(void *context, void *data, size_t size)
{
	const struct syscall_line *line = data;
	size_t copied = 0;

	if (size < sizeof(*line))
		return;
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		copied += line->copied[i] == SYSCALL_COPY_NONE ? 0 : line->copied[i];
	if (line->place)
		copied += sizeof(struct syscall_place);
	if (copied <= size - sizeof(*line))
		deliver(context, &(struct syscall_report){ .line = line });
}

static void set_up_lines(struct syscalls_bpf *skeleton, const struct syscall_choice *choice)
{
	uint16_t copies[SYSCALL_ABIS][SYSCALL_NUMBERS][SYSCALL_ARGS] = { 0 };

	skeleton->rodata->with_sums = !choice->lines || choice->sums_too;
	skeleton->rodata->with_lines = choice->lines;
	skeleton->rodata->with_places = choice->places;
	skeleton->rodata->min_ns = choice->min_ns;
	skeleton->rodata->only_errors = choice->only_errors;
	if (!choice->lines)
		return;
	syscall_args_copies(copies);
	memcpy((void *)skeleton->rodata->copies, copies, sizeof(copies));
	(void)bpf_map__set_max_entries(skeleton->maps.lines, LINES_BYTES);
}

/* The kernel allocates a map's table at once, for as many entries as it may have. These calls do
 * not fail before loading. */
static void size_maps(struct syscalls_bpf *skeleton, const struct source_options *options)
{
	struct bpf_map *const of_sums[] = { skeleton->maps.sums, skeleton->maps.errors,
					    skeleton->maps.names };
	bool sums = skeleton->rodata->with_sums;

	for (size_t i = 0; !sums && i < sizeof(of_sums) / sizeof(*of_sums); i++)
		(void)bpf_map__set_max_entries(of_sums[i], 1);
	if (sums && options->system_wide)
		(void)bpf_map__set_max_entries(skeleton->maps.sums, 1 << 20);
	if (sums && !options->system_wide) /* threads that end leave it */
		(void)bpf_map__set_max_entries(skeleton->maps.names, 1 << 15);
	if (!options->pids && !options->tids)
		(void)bpf_map__set_max_entries(skeleton->maps.targets, 1); /* the program */
}

static void set_up_interest(struct syscalls_bpf *skeleton, const struct syscall_choice *choice)
{
	uint8_t interest[SYSCALL_ABIS][SYSCALL_NUMBERS];

	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
			interest[abi][i] = (choice->wanted[abi][i] ? SYSCALL_WANTED : 0) |
					   (choice->followed[abi][i] ? SYSCALL_FOLLOWED : 0);
	memcpy((void *)skeleton->rodata->wanted, interest, sizeof(interest));
}

static void set_up(struct syscalls_bpf *skeleton, const struct source_options *options)
{
	const struct syscall_choice *choice = options->syscalls;

	skeleton->rodata->everybody = options->system_wide;
	skeleton->rodata->but_targets = options->but_pids != NULL;
	skeleton->rodata->uid_plus_one = options->uid_plus_one;
	skeleton->rodata->by_tid = options->tids != NULL;
	skeleton->rodata->with_children = !options->no_inherit;
	skeleton->rodata->with_descendants = !options->no_inherit &&
					     (options->pids || options->tids);
	skeleton->rodata->with_times = !choice->counts_only;
	skeleton->rodata->program = (uint32_t)options->program;
	own_processes_put(skeleton->bss->own_processes);
	skeleton->rodata->cgroup_id = options->cgroup_id;
	skeleton->rodata->unknown_wanted = choice->unknown;
	set_up_interest(skeleton, choice);
	set_up_lines(skeleton, choice);
	size_maps(skeleton, options);
	(void)bpf_program__set_autoload(skeleton->progs.on_enter, !choice->counts_only);
	(void)bpf_program__set_autoload(skeleton->progs.on_switch, !choice->counts_only);
}

static int name_targets(struct syscall_source *self, const struct source_options *options,
			struct err *err)
{
	const struct bpf_map *targets = self->skeleton->maps.targets;
	const uint32_t program = (uint32_t)options->program;
	const uint8_t yes = 1;
	struct source_options chosen = *options;
	int code;

	if (options->but_pids)
		chosen.pids = options->but_pids;
	if (options->system_wide)
		chosen.program = 0; /* all threads are traced */
	code = thread_filter_fill(targets, &chosen, err);
	if (!code && program &&
	    bpf_map__update_elem(targets, &program, sizeof(program), &yes, sizeof(yes), BPF_ANY))
		code = fail(err, -errno, "filling the thread filter");
	return code;
}

/* With the few types that it names (see bpf_types.h), or else with libbpf's way to all of them. */
static struct syscalls_bpf *open_with(struct bpf_types *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types->path);
	struct syscalls_bpf *skeleton = bpf_types_open(types) ? syscalls_bpf__open_opts(&options)
							      : NULL;

	if (skeleton && bpf_types_fill(types, skeleton->obj))
		return skeleton;
	syscalls_bpf__destroy(skeleton);
	return syscalls_bpf__open();
}

static int load_program(struct syscall_source *self, const struct source_options *options,
			struct err *err)
{
	struct bpf_types types;
	int code = 0;

	self->skeleton = open_with(&types);
	if (!self->skeleton)
		code = fail(err, -errno, "opening the BPF programs");
	if (!code) {
		set_up(self->skeleton, options);
		code = bpf_load(self->skeleton->skeleton, "loading the BPF programs", err);
		code = code ? explain(err) : 0;
	}
	bpf_types_close(&types);
	return code;
}

static int load(struct syscall_source *self, const struct source_options *options, struct err *err)
{
	int code = load_program(self, options, err);

	if (code)
		return code;
	code = name_targets(self, options, err);
	if (code)
		return code;
	self->ring = ring_reader_new(take_record);
	code = ring_reader_add(self->ring, bpf_map__fd(self->skeleton->maps.ended), self, err);
	if (code || !options->syscalls->lines)
		return code ? explain(err) : 0;
	self->lines = ring_reader_new(take_line);
	code = ring_reader_add(self->lines, bpf_map__fd(self->skeleton->maps.lines), self, err);
	return code ? explain(err) : 0;
}

static void syscall_close(struct source *source)
{
	struct syscall_source *self = self_of(source);

	ring_reader_free(self->ring);
	ring_reader_free(self->lines);
	syscalls_bpf__destroy(self->skeleton);
	free(self);
}

static int syscall_open(struct source **ret, const struct source_options *options, struct err *err)
{
	struct syscall_source *self = mem_zalloc(sizeof(*self));
	int code;

	bpf_be_quiet();
	self->times = !options->syscalls->counts_only;
	code = load(self, options, err);
	if (code) {
		syscall_close(&self->source);
		return code;
	}
	self->source.ops = &source_syscalls;
	self->source.fd = ring_reader_fd(self->lines ? self->lines : self->ring);
	self->source.sweep_ns = self->lines ? SWEEP_LINES_NS : SWEEP_NS;
	*ret = &self->source;
	return 0;
}

static int iterate(struct bpf_program *program, struct err *err)
{
	int code = bpf_iterate(program, 0, NULL, NULL);

	return code ? fail(err, code, "iterating over threads") : 0;
}

static int attach(struct bpf_program *program, struct bpf_link **ret, struct err *err)
{
	*ret = bpf_program__attach(program);
	return *ret ? 0 : fail(err, -errno, bpf_program__name(program));
}

static bool meets_at_start(const struct syscalls_bpf *skeleton)
{
	return !skeleton->rodata->everybody || skeleton->rodata->program ||
	       skeleton->rodata->cgroup_id;
}

static int syscall_start(struct source *source, struct err *err)
{
	struct syscall_source *self = self_of(source);
	struct syscalls_bpf *skeleton = self->skeleton;
	struct {
		struct bpf_program *program;
		struct bpf_link **link;
		bool wanted;
	} parts[] = {
		{ skeleton->progs.on_switch, &skeleton->links.on_switch, self->times },
		{ skeleton->progs.on_fork, &skeleton->links.on_fork, true },
		{ skeleton->progs.on_exec, &skeleton->links.on_exec, true },
		{ skeleton->progs.on_thread_exit, &skeleton->links.on_thread_exit, true },
		{ skeleton->progs.on_exit, &skeleton->links.on_exit, true },
		{ skeleton->progs.on_enter, &skeleton->links.on_enter, self->times },
	};

	source->start_ns = clock_ns(CLOCK_MONOTONIC);
	skeleton->bss->started_ns = source->start_ns;
	own_processes_put(skeleton->bss->own_processes);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].wanted && attach(parts[i].program, parts[i].link, err))
			return err->code;
	return meets_at_start(skeleton) ? iterate(skeleton->progs.begin, err) : 0;
}

static int64_t syscall_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct syscall_source *self = self_of(source);

	self->sink = sink;
	self->err = err;
	self->code = 0;
	(void)ring_reader_drain(self->ring);
	if (self->lines)
		(void)ring_reader_drain(self->lines);
	return self->code;
}

/* Calls give() with each pair of a map. */
static int read_map(struct syscall_source *self, const struct bpf_map *map,
		    void (*give)(struct syscall_source *self, const void *key, const void *value),
		    struct err *err)
{
	size_t key_size = bpf_map__key_size(map);
	char *key = mem_zalloc(key_size), *value = mem_zalloc(bpf_map__value_size(map));
	int fd = bpf_map__fd(map), code;
	const char *last = NULL;

	while (!self->code && (code = bpf_map_get_next_key(fd, last, key)) == 0) {
		if (bpf_map_lookup_elem(fd, key, value) == 0)
			give(self, key, value);
		last = key;
	}
	code = !self->code && errno != ENOENT ? fail(err, -errno, "reading the sums") : self->code;
	free(key);
	free(value);
	return code;
}

static void give_thread(struct syscall_source *self, const void *key, const void *value)
{
	(void)key;
	deliver(self, &(struct syscall_report){ .thread = value });
}

static void give_sum(struct syscall_source *self, const void *key, const void *value)
{
	(void)key;
	deliver(self, &(struct syscall_report){ .sum = value });
}

static void give_error(struct syscall_source *self, const void *key, const void *value)
{
	struct syscall_error error = { 0 };

	memcpy(&error.key, key, sizeof(error.key));
	memcpy(&error.count, value, sizeof(error.count));
	deliver(self, &(struct syscall_report){ .error = &error });
}

static int syscall_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct syscall_source *self = self_of(source);
	struct syscalls_bpf *skeleton = self->skeleton;
	struct syscall_counts counts;
	int code;

	source->end_ns = clock_ns(CLOCK_MONOTONIC);
	syscalls_bpf__detach(skeleton);
	skeleton->bss->stopped_ns = source->end_ns;
	code = iterate(skeleton->progs.finish, err);
	if (!code)
		code = (int)syscall_ready(source, sink, err);
	if (!code)
		code = read_map(self, skeleton->maps.names, give_thread, err);
	if (!code)
		code = read_map(self, skeleton->maps.sums, give_sum, err);
	if (!code)
		code = read_map(self, skeleton->maps.errors, give_error, err);
	if (code)
		return code;
	counts = skeleton->bss->counts;
	deliver(self, &(struct syscall_report){ .counts = &counts });
	self->loss = (struct source_loss){ -1, counts.lost_calls + counts.lost_lines, true };
	source->loss = &self->loss;
	source->loss_count = 1;
	return self->code;
}

const struct source_ops source_syscalls = {
	.name = "syscalls",
	.help = "system calls of threads, counted in the kernel",
	.open = syscall_open,
	.start = syscall_start,
	.ready = syscall_ready,
	.stop = syscall_stop,
	.close = syscall_close,
};
