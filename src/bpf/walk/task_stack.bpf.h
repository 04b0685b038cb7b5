/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the user stack of a thread that is in the kernel: for tracepoints and probes. */
#ifndef BPF_TASK_STACK_BPF_H
#define BPF_TASK_STACK_BPF_H

#include "bpf/walk/user_walk.bpf.h"

/* The current thread's user stack behind the frames that are there. slot: of the memory; its cache
 * of rules has the same. */
SUBPROGRAM int take_user_stack(struct cpu_memory *memory, struct cpu_counts *count, __u32 slot)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct rule_cache *cache = bpf_map_lookup_elem(&caches, &slot);
	bool in_syscall;
	__u64 word;

	if (!memory || !count)
		return 0;
	memory->walk.stop = STACK_STOP_NONE;
	if (!cache || task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) || !task->mm ||
	    bpf_probe_read_kernel(&memory->regs, sizeof(memory->regs),
				  (void *)bpf_task_pt_regs(task)) ||
	    !ARCH_PC(&memory->regs))
		return 0;
	in_syscall = arch_in_syscall(&memory->regs);
	if (in_syscall && BPF_CORE_READ_BITFIELD(task, in_execve) &&
	    bpf_probe_read_user(&word, sizeof(word), (void *)ARCH_SP(&memory->regs)))
		return 0; /* between two programs */
	if (in_syscall)
		memory->out.head.flags |= CPU_IN_SYSCALL;
	memory->walk.stop = WALK_HANDED_UP;
	if (!arch_is_native(&memory->regs) || !find_space(&memory->walk))
		return 0;
	memory->walk.hits = memory->walk.misses = 0;
	(void)python_start(&memory->walk.python);
	walk_user(memory, cache, in_syscall);
	count->walked++;
	count->cache_hits += memory->walk.hits + memory->walk.cached_frames;
	count->cache_misses += memory->walk.misses;
	count->replaced += memory->walk.met_replaced;
	return 0;
}

#endif
