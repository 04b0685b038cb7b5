/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words that stack_cache.bpf.h remembers: where they are on the kernel's and the user's stack,
 * and a hash of them. */
#ifndef BPF_STACK_CACHE_WORDS_BPF_H
#define BPF_STACK_CACHE_WORDS_BPF_H

#include "bpf/walk/user_walk.bpf.h"

#if !WALKS_LOG_READS
#error "a stack cannot be known again: WALKS_LOG_READS is 0"
#endif

#define STACK_CACHE_USER_WORDS	 READ_LOG_WORDS
#define STACK_CACHE_KERNEL_WORDS 32u
#define KERNEL_WINDOW		 512u /* words; deeper stacks are not remembered */
/* The kernel leaves a gap of random size above its first function's frame; only the return address
 * to its entry, the word below the user's registers, is on the other side of it. */
#define STACK_CACHE_ENTRY_WORD 0xffffu
#define BELIEF_NS	       50000u
#define RAW_BELIEF_NS	       1000000u /* while tables are being made */

struct stack_cache {
	__u64 pc, sp, bp, call, arg;
	__u64 checked_ns; /* 0 = nothing is remembered */
	__u64 user_hash, kernel_hash;
	__u64 python_hash, python_inner; /* of all Python frames, of the innermost ones */
	__u32 generation;		 /* of the tables */
	__u32 account;
	__u32 python_frames;
	bool raw;   /* the stack went up as it was */
	bool by_bp; /* the frame pointer had a part in it */
	__u8 user_words, kernel_words;
	__u16 user_depth;			     /* words that user_word is in */
	__u16 kernel_depth;			     /* words that kernel_word is in */
	__u16 user_word[STACK_CACHE_USER_WORDS];     /* above sp, in words */
	__u16 kernel_word[STACK_CACHE_KERNEL_WORDS]; /* above the tracing's frames, in words */
};

struct kernel_window {
	__u64 word[KERNEL_WINDOW];
	/* Pointers that are stored here are numbers when they are read again. */
	volatile __u64 start; /* of the tracing's frames */
	volatile __u64 top;   /* the user's registers */
	__u64 entry;	      /* the word below top */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_window);
} kernel_windows SEC(".maps");

struct stack_cache_check {
	struct stack_cache *cache;
	struct cpu_memory *memory;
	struct kernel_window *window;
	__u64 hash;
	__u32 words; /* of the whole stack */
	__u32 frame, frames;
};

static __always_inline struct kernel_window *window_here(const void *ctx,
							 const struct pt_regs *regs)
{
	__u32 zero = 0;
	struct kernel_window *window = bpf_map_lookup_elem(&kernel_windows, &zero);

	if (window) {
		window->start = (__u64)ctx;
		window->top = (__u64)regs;
	}
	return window;
}

/* So many words of the kernel's stack above the tracing, and the one that returns to its entry. */
static __always_inline bool read_kernel_stack(struct kernel_window *window, __u64 words)
{
	__u64 start = window->start, top = window->top, len = words * 8;

	UNWIND_OPAQUE(len);
	if (len > sizeof(window->word))
		return false;
	return !bpf_probe_read_kernel(window->word, len, (void *)start) &&
	       !bpf_probe_read_kernel(&window->entry, sizeof(window->entry), (void *)(top - 8));
}

static __always_inline __u64 window_word(const struct kernel_window *window, __u64 place)
{
	UNWIND_OPAQUE(place);
	return window->word[place & (KERNEL_WINDOW - 1)];
}

/* Where the return addresses are: each above the one before. */
static long find_kernel_word(__u32 index, struct stack_cache_check *check)
{
	struct stack_cache *cache = check->cache;
	__u64 place = check->frame, word;
	bool entry = index + 1 >= check->words;

	if (!cache || !check->memory || !check->window || index >= check->words ||
	    check->frame >= check->frames)
		return 1;
	word = entry ? check->window->entry : window_word(check->window, index);
	UNWIND_OPAQUE(place);
	if (word != check->memory->out.frame[place & (CPU_FRAMES - 1)])
		return 0;
	cache->kernel_word[place & (STACK_CACHE_KERNEL_WORDS - 1)] = entry ? STACK_CACHE_ENTRY_WORD
									   : index;
	if (!entry)
		cache->kernel_depth = index + 1;
	cache->kernel_hash = hash_word(cache->kernel_hash, word);
	check->frame++;
	return 0;
}

static long hash_kernel_word(__u32 index, struct stack_cache_check *check)
{
	const struct stack_cache *cache = check->cache;
	__u64 place = index;

	if (!cache || !check->window || index >= cache->kernel_words)
		return 1;
	UNWIND_OPAQUE(place);
	place = cache->kernel_word[place & (STACK_CACHE_KERNEL_WORDS - 1)];
	check->hash = hash_word(check->hash, place == STACK_CACHE_ENTRY_WORD
						     ? check->window->entry
						     : window_word(check->window, place));
	return 0;
}

static long hash_user_word(__u32 index, struct stack_cache_check *check)
{
	const struct stack_cache *cache = check->cache;
	uint64_t place = index, word = 0;

	if (!cache || !check->memory || index >= cache->user_words)
		return 1;
	UNWIND_OPAQUE(place);
	place = cache->user_word[place & (STACK_CACHE_USER_WORDS - 1)];
	if (read_word(&check->memory->walk, cache->sp + place * 8, &word))
		return 1;
	check->hash = hash_word(check->hash, word);
	return 0;
}

#endif
