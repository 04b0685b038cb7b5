/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hands a sample over to user space: where the walk of its stack came to, and whatever else belongs
 * to it. This is the way out for every program that samples; source/bpf/bpf_walker.h is the other
 * end. To make one:
 *
 *	struct sample_facts facts = { .id = event, .period = weight };
 *
 *	memory->out.head.time_ns, pid, tid, flags = ...;
 *	memory->walk.count = frames of the kernel that are in memory->out.frame, leaf first;
 *	memory->walk.stop = STACK_STOP_NONE;
 *	(void)take_user_stack(memory, count, cpu);     (walk/task_stack.bpf.h)
 *	put_payload(memory, bytes);                    if with_payload is set
 *	if (send_sample(ring, memory, count, kernel_frames, &facts))
 *		count->lost++;
 *
 * With with_payload, memory->payload holds bytes that come with the sample, as a tracepoint's data
 * come with perf's: user space finds them in event_sample.raw. */
#ifndef BPF_SAMPLE_OUT_BPF_H
#define BPF_SAMPLE_OUT_BPF_H

#include "bpf/walk/raw_out.bpf.h"
#include "bpf/walk/user_steps.bpf.h"

/* The user stack cannot be continued in user space either. */
static __always_inline void give_up(struct cpu_memory *memory, __u32 kernel_frames, bool unreadable)
{
	struct walk *walk = &memory->walk;

	if (walk->stop == WALK_HANDED_UP)
		walk->stop = unreadable ? STACK_STOP_READ_FAULT : STACK_STOP_NO_TABLE;
	if (walk->count == kernel_frames)
		put_frame(walk, memory->out.frame, ARCH_PC(&memory->regs));
}

/* Sends the stack that memory->walk and memory->out hold: kernel_frames, then the user's. One that
 * user space must finish goes up raw, unless too many do. Returns 0 if it is in the ring. */
static __noinline __attribute__((unused)) long send_sample(void *ring, struct cpu_memory *memory,
							   struct cpu_counts *count,
							   __u32 kernel_frames,
							   const struct sample_facts *facts)
{
	long code;

	if (!must_go_up(memory->walk.stop))
		return send_stack(ring, memory, facts);
	if (may_send_raw(ring, memory, memory->out.head.time_ns)) {
		code = send_raw(ring, memory, kernel_frames, facts);
		if (code != NOTHING_THERE) {
			count->raw++;
			return code;
		}
		give_up(memory, kernel_frames, true);
	} else {
		count->raw_refused++;
		give_up(memory, kernel_frames, false);
	}
	return send_stack(ring, memory, facts);
}

#endif
