/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller: a call's stack is named when it begins, its waits are collected by
 * account of the ledger, and when it returns all is added to the sum of its thread, stack and
 * number. What is no wait is time on a CPU. */
#ifndef BPF_CALLS_BPF_H
#define BPF_CALLS_BPF_H

#include "bpf/off_cpu/call_sums.bpf.h"
#include "bpf/off_cpu/take_stack.bpf.h"
#include "bpf/off_cpu/thread.bpf.h"

#include "event/syscall_frame.h"

#define SURE_NS	      1000000u
#define RAW_TOP_WORDS 32

const volatile __u8 wanted_calls[SYSCALL_ABIS][SYSCALL_NUMBERS];
const volatile bool unknown_calls; /* those with a number that the table does not have */

static __always_inline bool is_wanted_call(__u32 call)
{
	__u64 number = call & ~(SYSCALL_COMPAT_BIT | SYSCALL_X32_BIT);

	UNWIND_OPAQUE(number);
	if (number >= SYSCALL_NUMBERS)
		return unknown_calls;
	return call & SYSCALL_COMPAT_BIT ? wanted_calls[SYSCALL_COMPAT][number]
					 : wanted_calls[SYSCALL_NATIVE][number];
}

SUBPROGRAM int end_call(struct thread *thread, __u64 now_ns)
{
	struct off_cpu_call_sum *sum;
	struct open_call *call;
	__u64 ns, bucket;

	if (!thread || !thread->call.open)
		return 0;
	call = &thread->call;
	call->open = false;
	call->ended_ns = now_ns;
	ns = now_ns - call->since_ns;
	if (keep_call(pending_of(thread, call->stand), call, ns))
		return 0;
	sum = add_call_times(call, ns);
	bucket = syscall_length_bucket(ns);
	if (sum)
		sum->bucket[bucket]++;
	return 0;
}

/* Of a thread that ends, or when watching does. */
static __always_inline void flush_all_calls(struct thread *thread)
{
	for (__u64 i = 0; i < OFF_CPU_STANDS; i++)
		(void)flush_calls(pending_of(thread, i));
}

/* The time so far of a call that is open when watching ends. */
SUBPROGRAM int break_off_call(struct thread *thread, __u64 now_ns)
{
	if (!thread)
		return 0;
	flush_all_calls(thread);
	if (thread->call.open && now_ns > thread->call.since_ns)
		(void)add_call_times(&thread->call, now_ns - thread->call.since_ns);
	thread->call.open = false;
	return 0;
}

/* The wait that the thread is in ends now. */
SUBPROGRAM int end_call_wait(struct thread *thread, __u64 now_ns)
{
	struct open_call *call;
	__u64 place;

	if (!thread || !thread->call.open)
		return 0;
	call = &thread->call;
	place = thread->account;
	UNWIND_OPAQUE(place);
	if (place >= LEDGER_ACCOUNTS)
		return 0;
	if (!call->waits)
		__builtin_memset(call->wait_ns, 0, sizeof(call->wait_ns));
	call->waits |= 1u << place;
	call->wait_ns[place] += now_ns - thread->since_ns;
	return 0;
}

/* A call's stand is one of two next to each other, of which the older makes room. */
static __always_inline __u32 find_call_stand(struct thread *thread, const struct pt_regs *regs,
					     __u32 call)
{
	__u64 pc = ARCH_PC(regs), sp = ARCH_SP(regs);
	__u64 place = hash_word(pc ^ call, sp) >> 32;
	const struct stack_cache *cache;

	UNWIND_OPAQUE(place);
	place &= OFF_CPU_STANDS - 1;
	cache = &thread->stand[place].cache;
	if (cache->pc == pc && cache->sp == sp && cache->account == call)
		return place;
	place ^= 1;
	cache = &thread->stand[place].cache;
	if (cache->pc == pc && cache->sp == sp && cache->account == call)
		return place;
	return place ^ (cache->checked_ns >= thread->stand[place ^ 1].cache.checked_ns);
}

/* Whether all words that the walk depended on are the same. Of a stack of few pages: one read. */
static __always_inline bool same_words(const struct stack_cache *cache)
{
	__u64 len = cache->user_depth * 8ull, hash = 0;
	struct kernel_window *window;
	__u32 zero = 0;

	window = bpf_map_lookup_elem(&kernel_windows, &zero);
	UNWIND_OPAQUE(len);
	if (!window || len > sizeof(window->word) ||
	    bpf_probe_read_user(window->word, len, (void *)cache->sp))
		return false;
	for (__u32 i = 0; i < STACK_CACHE_USER_WORDS; i++) {
		if (i >= cache->user_words)
			break;
		hash = hash_word(hash, window_word(window, cache->user_word[i]));
	}
	return hash == cache->user_hash;
}

/* Whether the stand's stack is the current one. Its words are compared each time; what changes with
 * mappings and tables, once in SURE_NS. */
static __always_inline bool same_call(const struct stand *stand, const struct pt_regs *regs,
				      __u64 now_ns)
{
	const struct stack_cache *cache = &stand->cache;

	return cache->checked_ns && !cache->raw && !cache->python_frames &&
	       now_ns - stand->sure_ns < SURE_NS && same_registers(cache, regs) &&
	       same_words(cache);
}

/* A stack that went up as it was is the same as long as its top is, for RAW_BELIEF_NS. */
static __noinline __u64 hash_top(__u64 sp)
{
	struct kernel_window *window;
	__u64 hash = 0;
	__u32 zero = 0;

	window = bpf_map_lookup_elem(&kernel_windows, &zero);
	if (!window || bpf_probe_read_user(window->word, RAW_TOP_WORDS * 8, (void *)sp))
		return 0;
	for (__u32 i = 0; i < RAW_TOP_WORDS; i++)
		hash = hash_word(hash, window->word[i]);
	return hash;
}

static __always_inline void take_call_stack(void *ctx, struct stand *stand, __u32 number,
					    __u64 now_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_cache *cache = &stand->cache;

	if (cache->raw && cache->user_hash != hash_top(cache->sp))
		cache->checked_ns = 0;
	take_stack((struct stack_cache_now){ ctx, task, now_ns, number }, &stand->taken, cache);
	if (cache->raw)
		cache->user_hash = hash_top(cache->sp);
	stand->sure_ns = now_ns;
}

static __always_inline void begin_call(void *ctx, struct thread *thread, struct pt_regs *regs,
				       __u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct open_call *call = &thread->call;
	struct stand *stand;
	__u64 place, now_ns;

	call->stand = find_call_stand(thread, regs, number);
	place = call->stand;
	UNWIND_OPAQUE(place);
	stand = &thread->stand[place & (OFF_CPU_STANDS - 1)];
	if (!same_call(stand, regs, call->ended_ns)) {
		now_ns = time_ns();
		take_call_stack(ctx, stand, number, now_ns);
		call->ended_ns = now_ns;
	}
	call->key.stack = stand->taken.stack;
	call->key.raw = stand->taken.raw;
	call->key.pid = (__u32)task->tgid;
	call->key.tid = (__u32)task->pid;
	call->key.call = number;
	call->waits = 0;
	call->open = true;
	call->since_ns = time_ns(); /* without the walk */
}

#endif
