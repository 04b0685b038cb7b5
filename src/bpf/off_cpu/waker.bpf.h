/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The waker of a thread, with its stack, and the reason of the wait. */
#ifndef BPF_WAKER_BPF_H
#define BPF_WAKER_BPF_H

#include "bpf/off_cpu/take_stack.bpf.h"
#include "bpf/wait/handover.bpf.h"

/* For wakers of which nothing is remembered: interrupts, and threads that are not watched. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stand);
} strangers SEC(".maps");

/* Not inlined, because stack space is scarce below on_waking(). */
static __noinline struct stand *stranger_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&strangers, &zero);
}

/* The kind of the current waker; likewise. */
static __noinline int waker_kind(void)
{
	struct ledger_edge_key by = { 0 };

	find_waker(&by, 0);
	return by.waker;
}

/* The stack of the current waker. */
static __always_inline void take_waker(void *ctx, __u64 now_ns, struct taken *ret)
{
	struct stack_cache_now now = { ctx, bpf_get_current_task_btf(), now_ns, LEDGER_RUNNING };
	struct thread *thread = NULL;
	struct stand *stand = stranger_here();

	if (!stand)
		return;
	stand->cache.checked_ns = 0;
	if (waker_kind() == LEDGER_WAKER_THREAD)
		thread = thread_of(now.task);
	else
		now.account = OF_INTERRUPT;
	if (thread) {
		UNWIND_OPAQUE(thread); /* no arithmetic before the check */
		stand = &thread->woke;
	}
	take_stack(now, &stand->taken, &stand->cache);
	*ret = stand->taken;
	stand->taken.fresh = false;
}

/* What a wait on a condition was for, and what the thread did meanwhile; likewise. */
static __noinline int end_condition(struct thread *thread, struct task_struct *task, __u64 now_ns)
{
	__u32 kind = (__u32)waker_kind();
	struct thread *waker;
	bool slice;

	if (!thread || !task)
		return 0;
	if (thread->account == LEDGER_CONDITION && kind == LEDGER_WAKER_THREAD) {
		waker = thread_of(bpf_get_current_task_btf());
		thread->account = condition_account(task, &thread->work,
						    waker ? &waker->work : NULL, thread->since_ns);
	}
	slice = is_slice(thread->account, kind, now_ns - thread->since_ns);
	resume_work(&thread->work, thread->account, slice, now_ns);
	return 0;
}

#endif
