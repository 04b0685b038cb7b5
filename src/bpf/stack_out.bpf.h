/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names a stack and sends it (bpf/cpu.h): a stack that user space knows as its name, any other from
 * the deepest caller on that user space knows. */
#ifndef BPF_STACK_OUT_BPF_H
#define BPF_STACK_OUT_BPF_H

#include "bpf/cpu_state.bpf.h"
#include "bpf/user_memory.bpf.h"

struct naming {
	struct outgoing *out;
	__u64 name;
	__u32 left; /* frames towards the leaf */
};

/* The frame that comes next, and its name. False at the leaf. */
static __always_inline bool next_name(struct naming *naming)
{
	struct outgoing *out = naming->out;
	__u64 place;

	if (!out || !naming->left)
		return false;
	place = naming->left - 1;
	UNWIND_OPAQUE(place);
	naming->left--;
	naming->name = cpu_node_child(naming->name, out->frame[place & (CPU_FRAMES - 1)]);
	return true;
}

static long name_whole(__u32 index, struct naming *naming)
{
	(void)index;
	return !next_name(naming);
}

struct search {
	struct naming naming;
	__u64 base; /* the deepest known node */
	__u32 left; /* frames that hang from it */
};

static __always_inline bool is_seen(__u64 name)
{
	return seen[cpu_node_slot(name)] == name;
}

static long search_base(__u32 index, struct search *search)
{
	(void)index;
	if (!next_name(&search->naming))
		return 1;
	if (is_seen(search->naming.name)) {
		search->base = search->naming.name;
		search->left = search->naming.left;
	}
	return 0;
}

static long remember(__u32 index, struct naming *naming)
{
	(void)index;
	if (!next_name(naming))
		return 1;
	seen[cpu_node_slot(naming->name)] = naming->name;
	return 0;
}

/* What is behind the frames of a sample: see bpf/cpu.h. Returns the number of words in all. */
static __always_inline __u32 put_extras(struct outgoing *out, __u32 words,
					const struct sample_facts *facts)
{
	__u64 place = words;

	out->head.period = facts->period < UINT32_MAX ? facts->period : UINT32_MAX;
	if (many_events) {
		UNWIND_OPAQUE(place);
		out->frame[place++ & (CPU_FRAMES - 1)] = facts->id;
	}
	if (facts->period >= UINT32_MAX) {
		UNWIND_OPAQUE(place);
		out->frame[place++ & (CPU_FRAMES - 1)] = facts->period;
	}
	if (!with_kernel) {
		UNWIND_OPAQUE(place);
		out->frame[place++ & (CPU_FRAMES - 1)] = facts->ip;
	}
	return place;
}

/* Readers are woken when there is much to read, or something that does not wait. */
static __always_inline __u64 wakeup(void *ring, bool urgent)
{
	return urgent || bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > wakeup_bytes
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

/* The deepest node of the stack in memory->out that user space knows, and what hangs from it. */
static __always_inline __u64 find_base(struct cpu_memory *memory, __u64 root, struct search *search)
{
	struct naming naming = { .out = &memory->out, .name = root, .left = memory->walk.count };

	*search = (struct search){ .naming = naming, .base = root, .left = naming.left };
	bpf_loop(CPU_FRAMES, name_whole, &naming, 0);
	if (is_seen(naming.name)) {
		search->base = naming.name;
		search->left = 0;
	} else {
		bpf_loop(CPU_FRAMES, search_base, search, 0);
	}
	return naming.name;
}

static __always_inline void remember_rest(struct cpu_memory *memory, const struct search *search)
{
	struct naming naming = { .out = &memory->out, .name = search->base, .left = search->left };

	bpf_loop(CPU_FRAMES, remember, &naming, 0);
}

/* Not every program sends samples with their stacks. */
static __noinline __attribute__((unused)) long send_stack(void *ring, struct cpu_memory *memory,
							  const struct sample_facts *facts)
{
	struct outgoing *out = &memory->out;
	struct search search;
	__u64 bytes;
	long code;

	(void)find_base(memory, cpu_node_root(seed, memory->walk.stop), &search);
	out->head.kind = CPU_WALKED;
	out->head.base = search.base;
	out->head.frames = search.left;
	bytes = sizeof(out->head) + 8ull * put_extras(out, search.left, facts);
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(*out))
		return -1;
	code = bpf_ringbuf_output(ring, out, bytes, wakeup(ring, memory->walk.python.fresh));
	memory->walk.python.fresh = false;
	if (code || !search.left)
		return code;
	remember_rest(memory, &search);
	return 0;
}

#endif
