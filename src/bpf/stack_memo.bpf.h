/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that leaves the CPU where it left it before has the same stack, which need not be walked
 * again. A walk is a function of the registers it begins with, of the tables, and of the words it
 * reads; the kernel's part is one of where its return addresses are. So these words are remembered
 * by place and as a hash, and looked at again. Threads that wait many times within BELIEF_NS are
 * looked at once in that time, and believed to stand where they stood as long as their registers,
 * the call's first argument, the reason of the wait and the places of the innermost Python
 * functions are the same. */
#ifndef BPF_STACK_MEMO_H
#define BPF_STACK_MEMO_H

#include "bpf/memo_words.bpf.h"

static __always_inline __u32 tables_of(struct task_struct *task)
{
	const struct unwind_space *space = unwind_space_of((__u32)task->tgid);

	return space ? UNWIND_LOAD(space->generation) : 0;
}

/* Remembers how memory's stack, of so many frames in the kernel, came about. */
static __noinline int memo_set(struct memo *memo, struct cpu_memory *memory, void *ctx,
			       __u32 kernel_frames, __u32 account)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	struct kernel_window *window = window_here(ctx, regs);
	struct memo_check check = { memo, memory, window, 0, 0, 0, kernel_frames };

	if (!memo || !memory || !window)
		return 0;
	memo->checked_ns = 0;
	if (memory->walk.log_count > MEMO_USER_WORDS || kernel_frames > MEMO_KERNEL_WORDS)
		return 0;
	memo->kernel_hash = 0;
	if (kernel_frames) {
		check.words = (__u32)(window->top - window->start) / 8;
		if (!read_kernel_stack(window, check.words))
			return 0;
		memo->kernel_depth = 0;
		bpf_loop(KERNEL_WINDOW, find_kernel_word, &check, 0);
		if (check.frame != kernel_frames)
			return 0;
	}
	memo->kernel_words = (__u8)kernel_frames;
	memo->user_words = (__u8)memory->walk.log_count;
	memo->user_hash = memory->walk.log_hash;
	__builtin_memcpy(memo->user_word, memory->walk.log, sizeof(memo->user_word));
	memo->generation = memory->walk.log_count ? memory->walk.generation : 0;
	memo->rip = regs->rip;
	memo->rsp = regs->rsp;
	memo->rbp = regs->rbp;
	memo->call = regs->orig_rax;
	memo->arg = regs->rdi;
	memo->account = account;
	memo->python_frames = memory->walk.python.count;
	memo->python_hash = memory->walk.python.hash;
	memo->python_inner = memory->walk.python.inner;
	memo->raw = false;
	memo->by_bp = memory->walk.by_leaf_bp;
	memo->checked_ns = memory->out.head.time_ns;
	return 0;
}

/* Words that nobody has read yet cannot be compared: only the registers are. */
static __noinline int memo_set_raw(struct memo *memo, struct cpu_memory *memory, __u32 account)
{
	if (!memo || !memory)
		return 0;
	memo->rip = memory->regs.rip;
	memo->rsp = memory->regs.rsp;
	memo->rbp = memory->regs.rbp;
	memo->call = memory->regs.orig_rax;
	memo->arg = memory->regs.rdi;
	memo->account = account;
	memo->python_frames = 0;
	memo->raw = true;
	memo->by_bp = false;
	memo->checked_ns = memory->out.head.time_ns;
	return 0;
}

enum memo_answer {
	MEMO_OTHER,
	MEMO_SAME,
	MEMO_BELIEVED,
};

static __noinline int memo_check_words(struct memo *memo, struct cpu_memory *memory,
				       struct kernel_window *window)
{
	struct memo_check check = { .memo = memo, .memory = memory, .window = window };

	if (!memo || !memory || !window)
		return 0;
	if (memo->kernel_words) {
		if (!read_kernel_stack(window, memo->kernel_depth))
			return 0;
		bpf_loop(MEMO_KERNEL_WORDS, hash_kernel_word, &check, 0);
		if (check.hash != memo->kernel_hash)
			return 0;
	}
	check.hash = 0;
	memory->walk.window_len = 0;
	bpf_loop(MEMO_USER_WORDS, hash_user_word, &check, 0);
	return check.hash == memo->user_hash;
}

static long read_python_frame(__u32 index, struct python_walk **where)
{
	struct python_walk *walk = *where;

	(void)index;
	if (!walk)
		return 1;
	walk->running = true; /* which python_next() ends */
	log_python(walk, python_next(walk));
	return 0;
}

__noinline int read_python_frames(struct cpu_memory *memory, __u32 frames)
{
	struct python_walk *walk;

	if (!memory)
		return 0;
	walk = &memory->walk.python;
	walk->possible = true;
	(void)python_start(walk);
	bpf_loop(frames, read_python_frame, &walk, 0);
	return 0;
}

/* Whether its Python functions are where they were, or so many of the innermost. */
static __always_inline bool same_python(const struct memo *memo, struct cpu_memory *memory,
					__u32 most)
{
	if (!memo->python_frames)
		return true;
	(void)read_python_frames(memory, memo->python_frames < most ? memo->python_frames : most);
	return memory->walk.python.hash ==
	       (memo->python_frames > most ? memo->python_inner : memo->python_hash);
}

/* The current thread, as a program finds it. */
struct memo_now {
	void *ctx;
	struct task_struct *task;
	__u64 ns;
	__u32 account; /* why it waits, or anything else that tells places apart */
};

/* A frame pointer that had no part in the stack may be anything, a loop's counter for example, but
 * not what could have one: what points up the stack. */
static __always_inline bool same_registers(const struct memo *memo, const struct pt_regs *regs)
{
	return regs->rip == memo->rip && regs->rsp == memo->rsp && regs->orig_rax == memo->call &&
	       (regs->rbp == memo->rbp || (!memo->by_bp && (regs->rbp - regs->rsp) >> 32));
}

/* Does the current thread stand where it stood? */
static __always_inline enum memo_answer memo_ask(struct memo *memo, struct cpu_memory *memory,
						 struct memo_now now)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(now.task);
	struct kernel_window *window;

	if (!memo->checked_ns || !same_registers(memo, regs))
		return MEMO_OTHER;
	if (now.ns - memo->checked_ns < (memo->raw ? RAW_BELIEF_NS : BELIEF_NS) &&
	    regs->rdi == memo->arg && memo->account == now.account &&
	    same_python(memo, memory, MEMO_INNER_FRAMES))
		return MEMO_BELIEVED;
	if (memo->raw)
		return MEMO_OTHER;
	window = window_here(now.ctx, regs);
	if (!window)
		return MEMO_OTHER;
	if (memo->generation && memo->generation != tables_of(now.task))
		return MEMO_OTHER;
	if (!memo_check_words(memo, memory, window))
		return MEMO_OTHER;
	if (!same_python(memo, memory, memo->python_frames))
		return MEMO_OTHER;
	memo->checked_ns = now.ns;
	memo->arg = regs->rdi;
	memo->account = now.account;
	return MEMO_SAME;
}

#endif
