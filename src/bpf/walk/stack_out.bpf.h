/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names a stack and sends it (bpf/cpu.h): a stack that user space knows as its name, any other from
 * the deepest caller on that user space knows. */
#ifndef BPF_STACK_OUT_BPF_H
#define BPF_STACK_OUT_BPF_H

#include "bpf/cpu_state.bpf.h"
#include "bpf/loop.bpf.h"
#include "bpf/subprogram.bpf.h"
#include "bpf/walk/user_memory.bpf.h"

static __always_inline bool is_seen(__u64 name)
{
	return seen[cpu_node_slot(name)] == name;
}

/* Progress of naming a stack. No padding, which older verifiers require to be initialised. */
struct naming {
	__u64 name;
	__u64 left; /* frames towards the leaf */
	__u64 base; /* the deepest known node */
	__u64 hang; /* frames that hang from it */
};

/* Compared by order: the verifier remembers ranges, not what a value is unlike. */
enum naming_task {
	NAME_WHOLE,
	NAME_BASE,   /* look for the base on the way */
	NAME_LEARNT, /* nodes on the way become known */
};

/* Frames named by one call, so that a loop over a stack is short enough for older verifiers. */
#define NAMED_AT_ONCE 8

/* Goes on by some frames. 0 at the leaf. A function that is verified once. */
SUBPROGRAM int name_some(const struct outgoing *out, struct naming *naming, __u32 task)
{
	if (!out || !naming)
		return 0;
	for (__u32 i = 0; i < NAMED_AT_ONCE; i++) {
		__u64 place = naming->left - 1;

		if (!naming->left)
			return 0;
		UNWIND_OPAQUE(place);
		naming->left--;
		naming->name = cpu_node_child(naming->name, out->frame[place & (CPU_FRAMES - 1)]);
		if (task >= NAME_LEARNT) {
			seen[cpu_node_slot(naming->name)] = naming->name;
		} else if (task >= NAME_BASE && is_seen(naming->name)) {
			naming->base = naming->name;
			naming->hang = naming->left;
		}
	}
	return 1;
}

struct naming_turn {
	const struct outgoing *out;
	struct naming *naming;
	__u64 task;
};

static long name_turn(__u32 index, struct naming_turn *turn)
{
	(void)index;
	return turn_over(!name_some(turn->out, turn->naming, (__u32)turn->task));
}

static __always_inline void name_all(const struct outgoing *out, struct naming *naming,
				     enum naming_task task)
{
	struct naming_turn turn = { out, naming, task };

	LOOP(CPU_FRAMES / NAMED_AT_ONCE, name_turn, &turn);
}

/* The program has written that many bytes behind memory->payload[0]. */
static __always_inline __attribute__((unused)) void put_payload(struct cpu_memory *memory,
								__u32 bytes)
{
	memory->payload[0] = bytes;
}

/* With its length in front, in whole words; 0 = samples have none. */
static __always_inline __u64 payload_bytes(const struct cpu_memory *memory)
{
	return with_payload ? 8 + ((memory->payload[0] + 7) & ~7ull) : 0;
}

static __always_inline __u64 put_payload_words(struct outgoing *out, __u64 place,
					       const struct cpu_memory *memory)
{
	__u64 bytes = payload_bytes(memory);

	if (!bytes)
		return place;
	UNWIND_OPAQUE(place);
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(memory->payload))
		return place;
	bpf_probe_read_kernel(out->frame + (place & (CPU_FRAMES - 1)), bytes, memory->payload);
	return place + bytes / 8;
}

/* What is behind the frames of a sample: see bpf/cpu.h. Returns the number of words in all. */
static __always_inline __u32 put_extras(struct cpu_memory *memory, __u32 words,
					const struct sample_facts *facts)
{
	struct outgoing *out = &memory->out;
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
	return put_payload_words(out, place, memory);
}

/* Readers are woken when there is much to read, or something that does not wait. */
static __always_inline __u64 wakeup(void *ring, bool urgent)
{
	return urgent || bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > wakeup_bytes
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

/* The name of the stack in memory->out, the deepest node of it that user space knows, and what
 * hangs from that. */
static __always_inline __u64 find_base(struct cpu_memory *memory, __u64 root, struct naming *naming)
{
	__u64 frames = memory->walk.count, whole;

	*naming = (struct naming){ .name = root, .left = frames };
	name_all(&memory->out, naming, NAME_WHOLE);
	whole = naming->name;
	naming->base = root;
	naming->hang = frames;
	if (is_seen(whole)) {
		naming->base = whole;
		naming->hang = 0;
	} else {
		naming->name = root;
		naming->left = frames;
		name_all(&memory->out, naming, NAME_BASE);
	}
	return whole;
}

/* The nodes from the base on become known. */
static __always_inline void remember_rest(struct cpu_memory *memory, struct naming *naming)
{
	naming->name = naming->base;
	naming->left = naming->hang;
	name_all(&memory->out, naming, NAME_LEARNT);
}

/* Not every program sends samples with their stacks. */
static __noinline __attribute__((unused)) long send_stack(void *ring, struct cpu_memory *memory,
							  const struct sample_facts *facts)
{
	struct outgoing *out = &memory->out;
	struct naming naming;
	__u64 bytes;
	long code;

	(void)find_base(memory, cpu_node_root(seed, memory->walk.stop), &naming);
	out->head.kind = CPU_WALKED;
	out->head.base = naming.base;
	out->head.frames = naming.hang;
	bytes = sizeof(out->head) + 8ull * put_extras(memory, naming.hang, facts);
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(*out))
		return -1;
	code = bpf_ringbuf_output(ring, out, bytes, wakeup(ring, memory->walk.python.fresh));
	memory->walk.python.fresh = false;
	if (code || !naming.hang)
		return code;
	remember_rest(memory, &naming);
	return 0;
}

#endif
