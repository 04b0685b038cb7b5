/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of stacks for user space: of whole ones, and of those that it has to unwind. */
#ifndef BPF_OFF_CPU_NAME_STACK_BPF_H
#define BPF_OFF_CPU_NAME_STACK_BPF_H

#include "bpf/walk/raw_out.bpf.h"
#include "bpf/walk/stack_name.bpf.h"
#include "bpf/walk/user_walk.bpf.h"

/* Of a stack that has no frames yet. */
static __always_inline __u64 raw_name(__u64 time_ns, __u32 tid)
{
	return cpu_node_child(cpu_node_root(seed, STACK_STOP_COUNT), time_ns ^ (__u64)tid << 40);
}

/* Sends the stack to user space for unwinding, with its name and the name of the one it replaces,
 * which is in the head. Returns false if it must be named as it is. Not inlined, because stack
 * space is scarce in a context switch. */
static __noinline bool hand_up(void *ring, struct cpu_memory *memory, struct cpu_counts *count,
			       __u32 kernel_frames, __u64 *ret)
{
	struct sample_facts facts = { .ip = kernel_frames ? memory->out.frame[0]
							  : ARCH_PC(&memory->regs),
				      .base = memory->out.head.base };
	struct walk *walk = &memory->walk;
	bool may = may_send_raw(ring, memory, memory->out.head.time_ns);
	__u64 name = raw_name(memory->out.head.time_ns, memory->out.head.tid);
	long code = NOTHING_THERE;

	if (may) {
		facts.period = name;
		code = send_raw(ring, memory, kernel_frames, &facts);
	} else {
		count->raw_refused++;
	}
	if (!code) {
		count->raw++;
		*ret = name;
		return true;
	}
	if (walk->stop == WALK_HANDED_UP)
		walk->stop = may ? STACK_STOP_READ_FAULT : STACK_STOP_NO_TABLE;
	if (walk->count == kernel_frames)
		put_frame(walk, memory->out.frame, ARCH_PC(&memory->regs));
	return false;
}

/* Reports that a raw stack will not be referenced any more. If the report is lost, the stack is
 * freed with its thread. */
static __always_inline void forget_raw(void *ring, struct cpu_memory *memory, __u64 name)
{
	struct cpu_sample *head = &memory->raw.head;

	*head = memory->out.head;
	head->kind = CPU_RAW;
	head->base = name;
	head->frames = 0;
	(void)bpf_ringbuf_output(ring, head, sizeof(*head), wakeup(ring, false));
}

#endif
