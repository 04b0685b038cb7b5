/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack of the current thread, named. A thread in a place where it was before is not walked
 * again (bpf/off_cpu/stack_cache.bpf.h). A stack that user space must unwind goes up as a sample
 * with a number, which stands for it. */
#ifndef BPF_LOCK_STACK_BPF_H
#define BPF_LOCK_STACK_BPF_H

#include "bpf/lock/lock_thread.bpf.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/stack_name.bpf.h"
#include "bpf/walk/task_stack.bpf.h"
#include "bpf/walk/walk_slot.bpf.h"

const volatile __u64 wait_id; /* of the event lock-wait */

__u64 numbers; /* of samples */

/* What is done for a stack: LOCK_STACK_KERNEL takes the kernel's frames as well. */
#define LOCK_STACK_USER	  1u
#define LOCK_STACK_KERNEL 2u

static __always_inline bool send_up(void *ring, struct cpu_memory *memory, struct cpu_counts *count,
				    __u32 kernel_frames, struct lock_stack *ret)
{
	const struct sample_facts facts = { .id = wait_id,
					    .ip = kernel_frames ? memory->out.frame[0]
								: ARCH_PC(&memory->regs) };
	bool may = may_send_raw(ring, memory, memory->out.head.time_ns);
	__u64 number = __sync_fetch_and_add(&numbers, 1) + 1;
	long code = NOTHING_THERE;

	if (may) {
		memory->payload[1] = number;
		put_payload(memory, 8);
		code = send_raw(ring, memory, kernel_frames, &facts);
	} else {
		count->raw_refused++;
	}
	if (!code) {
		count->raw++;
		ret->name = number;
		ret->raw = true;
		return true;
	}
	give_up(memory, kernel_frames, may);
	return false;
}

static __always_inline __u32 take_kernel_frames(void *ctx, struct cpu_memory *memory)
{
	long bytes = bpf_get_stack(ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8, 0);

	return bytes > 0 ? (__u32)bytes / 8 : 0;
}

static __always_inline void walk_here(struct stack_cache_now now, struct lock_stand *stand,
				      __u32 slot, struct cpu_memory *memory)
{
	__u32 cpu = bpf_get_smp_processor_id(), kernel_frames = 0;
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	stand->cache.checked_ns = 0;
	stand->stack.name = 0;
	stand->stack.raw = false;
	if (!count || !ring)
		return;
	memory->out.head.time_ns = now.ns;
	memory->out.head.tid = (__u32)pid_tgid;
	memory->out.head.pid = pid_tgid >> 32;
	memory->out.head.base = 0;
	memory->out.head.flags = now.account & LOCK_STACK_KERNEL ? CPU_IN_KERNEL : 0;
	if (now.account & LOCK_STACK_KERNEL)
		kernel_frames = take_kernel_frames(now.ctx, memory);
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	memory->walk.log_count = 0;
	memory->walk.log_depth = 0;
	memory->walk.log_hash = 0;
	memory->walk.python.count = 0;
	if (with_user && now.account & LOCK_STACK_USER)
		(void)take_user_stack(memory, count, slot);
	if (must_go_up(memory->walk.stop)) {
		if (send_up(ring, memory, count, kernel_frames, &stand->stack)) {
			(void)stack_cache_set_raw(&stand->cache, memory, now.account);
			return;
		}
		stand->stack.name = name_stack(ring, memory);
		return;
	}
	stand->stack.name = name_stack(ring, memory);
	memory->walk.python.fresh = false;
	if (stand->stack.name)
		(void)stack_cache_set(&stand->cache, memory, now.ctx, kernel_frames, now.account);
	else
		count->lost++;
}

/* The walk goes as deep as calls may. */
static __always_inline int take_place(void *ctx, struct lock_stand *stand, __u32 what, __u64 now_ns)
{
	struct stack_cache_now now = { ctx, bpf_get_current_task_btf(), now_ns, what };
	struct cpu_memory *memory;
	int slot = take_slot();
	__u32 place = (__u32)slot;

	if (slot < 0 || !stand)
		return 0;
	memory = bpf_map_lookup_elem(&memories, &place);
	if (memory && !((stand->stack.raw || is_seen(stand->stack.name)) &&
			stack_cache_ask(&stand->cache, memory, now)))
		walk_here(now, stand, place, memory);
	leave_slot(place);
	return 0;
}

/* The stand of the current thread; a new one is made of the oldest. */
static __always_inline struct lock_stand *stand_here(struct thread *thread)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	__u64 found = LOCK_STANDS;

#pragma unroll
	for (__u32 i = 0; i < LOCK_STANDS; i++)
		if (thread->stand[i].cache.pc == ARCH_PC(regs) &&
		    thread->stand[i].cache.sp == ARCH_SP(regs))
			found = i;
	if (found == LOCK_STANDS)
		found = thread->next_stand++;
	UNWIND_OPAQUE(found);
	return &thread->stand[found & (LOCK_STANDS - 1)];
}

#endif
