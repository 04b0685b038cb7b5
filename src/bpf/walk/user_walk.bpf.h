/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the user stack of the current task: which tables are its, where it begins. */
#ifndef BPF_USER_WALK_BPF_H
#define BPF_USER_WALK_BPF_H

#include "bpf/walk/user_steps.bpf.h"

/* What of the space's ranges is out of date, if anything. */
static __always_inline void find_replaced(struct walk *walk, const struct unwind_space *space)
{
	uint64_t since = UNWIND_LOAD(space->replaced_ns), now;

	walk->replaced_len = 0;
	walk->met_replaced = false;
	if (since <= UNWIND_LOAD(space->as_of_ns))
		return;
	now = clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
	if (now - since > UNWIND_REPLACED_NS)
		return;
	walk->replaced_start = UNWIND_LOAD(space->replaced_start);
	walk->replaced_len = UNWIND_LOAD(space->replaced_end) - walk->replaced_start;
}

/* The space that the current task's tables are in: its generation, 0 = none. A process that was
 * forked and has not changed its program still uses its parent's code. */
SUBPROGRAM bool find_space(struct walk *walk)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct unwind_space *space = unwind_space_of(bpf_get_current_pid_tgid() >> 32);
	uint64_t top;

	if (!walk)
		return false;
	if (!space && BPF_CORE_READ(task, flags) & PF_FORKNOEXEC)
		space = unwind_space_of(BPF_CORE_READ(task, real_parent, tgid));
	if (!space)
		return false;
	use_generation(walk, UNWIND_LOAD(space->generation));
	walk->where = UNWIND_LOAD(space->where);
	walk->python.possible = UNWIND_LOAD(space->flags) & UNWIND_SPACE_PYTHON;
	find_replaced(walk, space);
	top = UNWIND_LOAD(space->stack_top);
	return !top || top == BPF_CORE_READ(task, mm, start_stack);
}

/* Walks from memory->regs, putting frames behind the walk.count that are there. */
static __always_inline void walk_user(struct cpu_memory *memory, struct rule_cache *cache,
				      bool in_syscall)
{
	struct walk *walk = &memory->walk;

	arch_dwarf_registers(&memory->regs, walk->reg);
	walk->known = ~0u >> (32 - ARCH_DWARF_REGS);
	if (in_syscall)
		walk->known &= ~ARCH_SYSCALL_CLOBBERS;
	walk->pc = ARCH_PC(&memory->regs);
	walk->sp = ARCH_SP(&memory->regs);
	walk->bp = ARCH_BP(&memory->regs);
	walk->leaf = true;
	walk->exact = !in_syscall;
	walk->bp_at = BP_OF_LEAF;
	walk->by_leaf_bp = false;
	walk->window_len = 0;
	walk->log_count = 0;
	walk->log_depth = 0;
	walk->log_hash = 0;
	walk->log_sp = walk->sp;
	walk->limit = walk->count + max_frames;
	walk->stop = STACK_STOP_DEPTH;
	frame_cache_begin(memory, (__u32)bpf_get_current_pid_tgid());
	take_steps(memory, cache);
	frame_cache_end(memory);
}

#endif
