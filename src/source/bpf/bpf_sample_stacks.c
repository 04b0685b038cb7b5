/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See bpf_sample_stacks.h. */
#include "source/bpf/bpf_sample_stacks.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/cpu.h"
#include "bpf/sample_stack.h"
#include "bpf/sample_stack.skel.h"
#include "event/event.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/bpf_walker.h"
#include "source/bpf/stack_join.h"
#include "source/perf_event/perf_event.h"

#define WHAT "stacks of tracepoints"

struct sample_stacks {
	const struct bpf_cpu *sampler;
	struct sample_stack_bpf *program;
	struct bpf_walker *walker;
	struct stack_join *join;
	struct sink taken; /* of the walker */
	VEC(struct bpf_link *) link;
	uint32_t *turn; /* by CPU: which of its places the next ring gets */
};

static const struct perf_source *rings_of(const struct sample_stacks *stacks)
{
	return (const struct perf_source *)stacks->sampler->rings;
}

static int load(struct sample_stacks *stacks, struct err *err)
{
	const struct bpf_cpu *sampler = stacks->sampler;
	struct sample_stack_bpf *program;
	int code;

	bpf_be_quiet();
	program = stacks->program = sample_stack_bpf__open();
	if (!program)
		return bpf_fail(err, -errno, WHAT ": opening the BPF program");
	BPF_WALKER_CONFIGURE(program->rodata, sampler);
	program->rodata->many_events = false;
	program->rodata->with_payload = true;
	code = bpf_walker_share(program->obj, sampler);
	if (!code)
		code = bpf_map__set_max_entries(program->maps.perf_rings,
						SAMPLE_STACK_RINGS * (uint32_t)sampler->cpus);
	if (code)
		return bpf_fail(err, code, WHAT ": opening the BPF program");
	return bpf_load(program->skeleton, WHAT ": loading the BPF program", err);
}

static int take_stack(struct sink *sink, const struct event *event, struct err *err)
{
	const struct sample_stacks *stacks =
		(void *)((char *)sink - offsetof(struct sample_stacks, taken));

	(void)err;
	stack_join_stack(stacks->join, event);
	return 0;
}

static int open_all(struct sample_stacks *stacks, struct err *err)
{
	const struct perf_source *rings = rings_of(stacks);
	struct bpf_walker_options options = { .sampler = stacks->sampler,
					      .what = WHAT,
					      .with_payload = true };
	int code = load(stacks, err);

	if (code)
		return code;
	options.object = stacks->program->obj;
	options.seen = (uint64_t *)stacks->program->bss->seen;
	code = bpf_walker_open(&stacks->walker, &options, err);
	for (size_t i = 0; !code && i < rings->forward_count; i++)
		sample_stacks_ring(stacks, &rings->ring[i]);
	return code;
}

int sample_stacks_open(struct sample_stacks **ret, const struct bpf_cpu *sampler, struct err *err)
{
	struct sample_stacks *stacks = mem_zalloc(sizeof(*stacks));
	int code;

	stacks->sampler = sampler;
	stacks->taken.event = take_stack;
	stacks->turn = mem_zalloc(sampler->cpus * sizeof(*stacks->turn));
	stacks->join = stack_join_new(sampler->source.events);
	code = open_all(stacks, err);
	if (code) {
		sample_stacks_close(stacks);
		return code;
	}
	*ret = stacks;
	return 0;
}

void sample_stacks_detach(struct sample_stacks *stacks)
{
	for (size_t i = 0; i < stacks->link.count; i++)
		(void)bpf_link__destroy(stacks->link.item[i]); /* gone with the process, too */
	stacks->link.count = 0;
}

void sample_stacks_close(struct sample_stacks *stacks)
{
	if (!stacks)
		return;
	sample_stacks_detach(stacks);
	vec_done(&stacks->link);
	bpf_walker_close(stacks->walker);
	sample_stack_bpf__destroy(stacks->program);
	stack_join_free(stacks->join);
	free(stacks->turn);
	free(stacks);
}

int sample_stacks_fd(const struct sample_stacks *stacks)
{
	return bpf_walker_fd(stacks->walker);
}

/* The kernel makes the tracepoints of all system calls of two. */
static const char *kernel_name(const struct event_spec *spec)
{
	if (strcmp(spec->system, "syscalls") != 0)
		return spec->tracepoint;
	return strncmp(spec->tracepoint, "sys_enter_", 10) == 0 ? "sys_enter" : "sys_exit";
}

static bool is_attached(const struct perf_source *rings, size_t before, const char *name)
{
	for (size_t i = 0; i < before; i++)
		if (rings->selected[i].walked &&
		    strcmp(kernel_name(rings->selected[i].spec), name) == 0)
			return true;
	return false;
}

void sample_stacks_start(struct sample_stacks *stacks, struct source *notes)
{
	const struct perf_source *rings = rings_of(stacks);

	for (size_t i = 0; i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];
		const char *name = selected->walked ? kernel_name(selected->spec) : NULL;
		struct bpf_link *link;

		if (!name || is_attached(rings, i, name))
			continue;
		link = bpf_program__attach_raw_tracepoint(stacks->program->progs.on_hit, name);
		if (link)
			vec_push(&stacks->link, link);
		else
			source_note(notes,
				    "%s: no user stacks: attaching the BPF program: %s; "
				    "--call-graph dwarf copies them",
				    selected->spec->name, strerror(errno));
	}
}

void sample_stacks_ring(struct sample_stacks *stacks, const struct perf_ring *ring)
{
	int map = bpf_map__fd(stacks->program->maps.perf_rings);
	uint32_t key, cpu = (uint32_t)ring->cpu;

	if (ring->cpu < 0 || cpu >= stacks->sampler->cpus || ring->backward)
		return;
	key = cpu * SAMPLE_STACK_RINGS + stacks->turn[cpu]++ % SAMPLE_STACK_RINGS;
	/* If that fails, samples of this CPU are without user stacks, and say so. */
	(void)bpf_map_update_elem(map, &key, &ring->fd, BPF_ANY);
}

void sample_stacks_take(struct sample_stacks *stacks, const struct perf_event_header *sample)
{
	stack_join_sample(stacks->join, sample);
}

int64_t sample_stacks_round(struct sample_stacks *stacks, bool last, struct sink *to,
			    struct err *err)
{
	int64_t bytes = bpf_walker_drain(stacks->walker, &stacks->taken, err);
	int code = bytes < 0 ? 0 : stack_join_round(stacks->join, last, to, err);

	return code ? code : bytes;
}

void sample_stacks_counts(const struct sample_stacks *stacks, struct walk_cost *cost)
{
	bpf_walker_counts(stacks->walker, cost, NULL); /* a sample without its stack says so */
}
