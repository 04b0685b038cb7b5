/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that leaves the CPU where it left it before has the same stack, which need not be walked
 * again. A walk is a function of the registers it begins with, of the tables, and of the words it
 * reads; the kernel's part is one of where its return addresses are. So these words are remembered
 * by place and as a hash, and looked at again. Threads that wait many times within BELIEF_NS are
 * looked at once in that time, and believed to stand where they stood as long as their registers,
 * the call's first argument, the reason of the wait and the places of the innermost Python
 * functions are the same. */
#ifndef BPF_STACK_CACHE_BPF_H
#define BPF_STACK_CACHE_BPF_H

#include "bpf/off_cpu/stack_cache_words.bpf.h"

/* Set before loading. */
const volatile __u32 belief_ns = BELIEF_NS;

static __always_inline __u32 tables_of(struct task_struct *task)
{
	const struct unwind_space *space = unwind_space_of((__u32)task->tgid);

	return space ? UNWIND_LOAD(space->generation) : 0;
}

/* Remembers how memory's stack, of so many frames in the kernel, came about. */
static __noinline int stack_cache_set(struct stack_cache *cache, struct cpu_memory *memory,
				      void *ctx, __u32 kernel_frames, __u32 account)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	struct kernel_window *window = window_here(ctx, regs);
	struct stack_cache_check check = { cache, memory, window, 0, 0, 0, kernel_frames };

	if (!cache || !memory || !window)
		return 0;
	cache->checked_ns = 0;
	if (memory->walk.log_count > STACK_CACHE_USER_WORDS ||
	    kernel_frames > STACK_CACHE_KERNEL_WORDS)
		return 0;
	cache->kernel_hash = 0;
	if (kernel_frames) {
		check.words = (__u32)(window->top - window->start) / 8;
		if (!read_kernel_stack(window, check.words))
			return 0;
		cache->kernel_depth = 0;
		bpf_loop(KERNEL_WINDOW, find_kernel_word, &check, 0);
		if (check.frame != kernel_frames)
			return 0;
	}
	cache->kernel_words = (__u8)kernel_frames;
	cache->user_words = (__u8)memory->walk.log_count;
	cache->user_hash = memory->walk.log_hash;
	__builtin_memcpy(cache->user_word, memory->walk.log, sizeof(cache->user_word));
	cache->user_depth = (__u16)memory->walk.log_depth;
	cache->generation = memory->walk.log_count ? memory->walk.generation : 0;
	cache->pc = ARCH_PC(regs);
	cache->sp = ARCH_SP(regs);
	cache->bp = ARCH_BP(regs);
	cache->call = ARCH_CALL(regs);
	cache->arg = ARCH_ARG0(regs);
	cache->account = account;
	cache->python_frames = memory->walk.python.count;
	cache->python_hash = memory->walk.python.hash;
	cache->python_inner = memory->walk.python.inner;
	cache->raw = false;
	cache->by_bp = memory->walk.by_leaf_bp;
	cache->checked_ns = memory->out.head.time_ns;
	return 0;
}

/* Words that have not been read yet cannot be compared: compare only the registers. */
static __noinline int stack_cache_set_raw(struct stack_cache *cache, struct cpu_memory *memory,
					  __u32 account)
{
	if (!cache || !memory)
		return 0;
	cache->pc = ARCH_PC(&memory->regs);
	cache->sp = ARCH_SP(&memory->regs);
	cache->bp = ARCH_BP(&memory->regs);
	cache->call = ARCH_CALL(&memory->regs);
	cache->arg = ARCH_ARG0(&memory->regs);
	cache->account = account;
	cache->python_frames = 0;
	cache->raw = true;
	cache->by_bp = false;
	cache->checked_ns = memory->out.head.time_ns;
	return 0;
}

enum stack_cache_answer {
	STACK_CACHE_OTHER,
	STACK_CACHE_SAME,
	STACK_CACHE_BELIEVED,
};

static __noinline int stack_cache_check_words(struct stack_cache *cache, struct cpu_memory *memory,
					      struct kernel_window *window)
{
	struct stack_cache_check check = { .cache = cache, .memory = memory, .window = window };

	if (!cache || !memory || !window)
		return 0;
	if (cache->kernel_words) {
		if (!read_kernel_stack(window, cache->kernel_depth))
			return 0;
		bpf_loop(STACK_CACHE_KERNEL_WORDS, hash_kernel_word, &check, 0);
		if (check.hash != cache->kernel_hash)
			return 0;
	}
	check.hash = 0;
	memory->walk.window_len = 0;
	bpf_loop(STACK_CACHE_USER_WORDS, hash_user_word, &check, 0);
	return check.hash == cache->user_hash;
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

SUBPROGRAM int read_python_frames(struct cpu_memory *memory, __u32 frames)
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
static __always_inline bool same_python(const struct stack_cache *cache, struct cpu_memory *memory,
					__u32 most)
{
	if (!cache->python_frames)
		return true;
	(void)read_python_frames(memory, cache->python_frames < most ? cache->python_frames : most);
	return memory->walk.python.hash ==
	       (cache->python_frames > most ? cache->python_inner : cache->python_hash);
}

/* The current thread, as a program finds it. */
struct stack_cache_now {
	void *ctx;
	struct task_struct *task;
	__u64 ns;
	__u32 account; /* the reason, or anything else that distinguishes places */
};

/* A frame pointer that had no part in the stack may be anything, a loop's counter for example, but
 * not what could have one: what points up the stack. */
static __always_inline bool same_registers(const struct stack_cache *cache,
					   const struct pt_regs *regs)
{
	return ARCH_PC(regs) == cache->pc && ARCH_SP(regs) == cache->sp &&
	       ARCH_CALL(regs) == cache->call &&
	       (ARCH_BP(regs) == cache->bp ||
		(!cache->by_bp && (ARCH_BP(regs) - ARCH_SP(regs)) >> 32));
}

/* Does the current thread stand where it stood? */
static __always_inline enum stack_cache_answer
stack_cache_ask(struct stack_cache *cache, struct cpu_memory *memory, struct stack_cache_now now)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(now.task);
	struct kernel_window *window;

	if (!cache->checked_ns || !same_registers(cache, regs))
		return STACK_CACHE_OTHER;
	if (now.ns - cache->checked_ns < (cache->raw ? RAW_BELIEF_NS : belief_ns) &&
	    ARCH_ARG0(regs) == cache->arg && cache->account == now.account &&
	    same_python(cache, memory, STACK_CACHE_INNER_FRAMES))
		return STACK_CACHE_BELIEVED;
	if (cache->raw)
		return STACK_CACHE_OTHER;
	window = window_here(now.ctx, regs);
	if (!window)
		return STACK_CACHE_OTHER;
	if (cache->generation && cache->generation != tables_of(now.task))
		return STACK_CACHE_OTHER;
	if (!stack_cache_check_words(cache, memory, window))
		return STACK_CACHE_OTHER;
	if (!same_python(cache, memory, cache->python_frames))
		return STACK_CACHE_OTHER;
	cache->checked_ns = now.ns;
	cache->arg = ARCH_ARG0(regs);
	cache->account = now.account;
	return STACK_CACHE_SAME;
}

#endif
