/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the stack of the current thread and names it, for off_cpu.bpf.c. */
#ifndef BPF_OFF_CPU_TAKE_STACK_BPF_H
#define BPF_OFF_CPU_TAKE_STACK_BPF_H

#include "bpf/off_cpu/name_stack.bpf.h"
#include "bpf/off_cpu/stack_cache.bpf.h"
#include "bpf/off_cpu/thread.bpf.h"
#include "bpf/walk/task_stack.bpf.h"

#include "event/syscall_frame.h"

/* Frames of the tracing itself on top of the kernel's stack: walk_stack(), its program, the
 * kernel's call of that. */
#define OWN_FRAMES 2
/* What an interrupt's wake-up is shown with: these are of its handler, those below may be of the
 * thread that happened to be on the CPU. */
#define INTERRUPT_FRAMES 3

/* Calls the programs of a tracepoint when there are several, ours and others'. */
extern const void __traceiter_sched_switch __ksym __weak;
extern const void __traceiter_sched_waking __ksym __weak;
#define DISPATCHER_BYTES 128

static __always_inline bool is_dispatcher(__u64 pc)
{
	return pc - (__u64)&__traceiter_sched_switch < DISPATCHER_BYTES ||
	       pc - (__u64)&__traceiter_sched_waking < DISPATCHER_BYTES;
}

#define OF_INTERRUPT LEDGER_ACCOUNTS /* instead of an account */

/* The current thread's complete stack, or so many of the kernel's frames in an interrupt. Stores
 * the position in cache. */
static __always_inline void walk_stack(struct stack_cache_now now, struct taken *taken,
				       struct stack_cache *cache)
{
	__u32 cpu = bpf_get_smp_processor_id(), kernel_frames = 0;
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	bool interrupt = now.account == OF_INTERRUPT, whole;
	__u64 pid_tgid = interrupt ? 0 : bpf_get_current_pid_tgid();
	__u64 before = taken->raw ? taken->stack : 0;
	long bytes;

	*taken = (struct taken){ .pid = pid_tgid >> 32, .tid = (__u32)pid_tgid };
	cache->checked_ns = 0;
	if (!memory || !count || !ring)
		return;
	memory->out.head.time_ns = now.ns;
	memory->out.head.tid = taken->tid;
	memory->out.head.pid = taken->pid;
	memory->out.head.base = before;
	memory->out.head.flags = OFF_CPU_STACK | (with_kernel ? CPU_IN_KERNEL : 0);
	if (with_calls) {
		memory->out.frame[0] = syscall_frame_of_call(now.account);
		kernel_frames = 1;
	} else if (with_kernel || interrupt) {
		bytes = bpf_get_stack(now.ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8,
				      OWN_FRAMES);
		if (bytes > 0 && is_dispatcher(memory->out.frame[0]))
			bytes = bpf_get_stack(now.ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8,
					      OWN_FRAMES + 1);
		if (bytes > 0)
			kernel_frames = (__u32)bytes / 8;
		if (interrupt && kernel_frames > INTERRUPT_FRAMES)
			kernel_frames = INTERRUPT_FRAMES;
	}
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	memory->walk.log_count = 0;
	memory->walk.log_depth = 0;
	memory->walk.log_hash = 0;
	memory->walk.python.count = 0;
	if (with_user && !interrupt)
		(void)take_user_stack(memory, count, cpu);
	whole = !must_go_up(memory->walk.stop);
	if (!whole && hand_up(ring, memory, count, kernel_frames, &taken->stack)) {
		taken->raw = true;
		(void)stack_cache_set_raw(cache, memory, now.account);
		return;
	}
	if (before)
		forget_raw(ring, memory, before);
	taken->stack = name_stack(ring, memory);
	if (!taken->stack) {
		count->lost++;
		return;
	}
	taken->fresh = memory->walk.python.fresh;
	memory->walk.python.fresh = false;
	if (whole)
		(void)stack_cache_set(cache, memory, now.ctx, with_calls ? 0 : kernel_frames,
				      now.account);
}

/* The current thread's stack; reuses the last one if the thread is in the same place. */
static __always_inline void take_stack(struct stack_cache_now now, struct taken *taken,
				       struct stack_cache *cache)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	enum stack_cache_answer answer;

	if (!memory || !count)
		return;
	/* What user space has forgotten must be sent again. */
	if (taken->raw || is_seen(taken->stack)) {
		answer = stack_cache_ask(cache, memory, now);
		if (answer) {
			if (answer == STACK_CACHE_SAME)
				count->reused++;
			else
				count->believed++;
			return;
		}
	}
	walk_stack(now, taken, cache);
}

/* Which stand the current thread is at; a new one is made of the oldest. */
SUBPROGRAM int find_stand(struct thread *thread)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	if (!thread)
		return 0;
#pragma unroll
	for (int i = 0; i < (int)OFF_CPU_STANDS; i++)
		if (thread->stand[i].cache.pc == ARCH_PC(regs) &&
		    thread->stand[i].cache.sp == ARCH_SP(regs))
			return i;
	return (int)thread->next_stand++;
}

#endif
