/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long threads hold mutexes and semaphores of the kernel: probes where its functions begin, and
 * where those return that take a lock. The stack is taken before the lock is, so that it makes no
 * hold longer. Before including this, define `enabled`. */
#ifndef BPF_LOCK_KERNEL_HOLD_BPF_H
#define BPF_LOCK_KERNEL_HOLD_BPF_H

#include "bpf/lock/lock_kernel.bpf.h"
#include "bpf/lock/lock_stack.bpf.h"
#include "bpf/lock/lock_sums.bpf.h"
#include "bpf/lock/lock_thread.bpf.h"

/* Set before loading, of the function with a cookie: LCB_F_* of its lock, and enum lock_taking. */
const volatile __u8 take_flags[KERNEL_HOLD_FUNCTIONS], take_result[KERNEL_HOLD_FUNCTIONS];

__u64 kernel_hold_calls;

/* Nothing else takes such a lock on the same CPU while one is looked at. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lock_stand);
} takers SEC(".maps");

SUBPROGRAM int kernel_held_place(const struct thread *thread, __u64 lock)
{
	if (!thread)
		return -1;
	for (__u32 i = 0; i < LOCK_KERNEL_HELD; i++)
		if (thread->kernel_held[i].lock == lock)
			return (int)i;
	return -1;
}

static __always_inline struct lock_kernel_held *kernel_held_of(struct thread *thread, __u64 lock)
{
	__u64 found = (__u32)kernel_held_place(thread, lock);

	if (found >= LOCK_KERNEL_HELD)
		return NULL;
	UNWIND_OPAQUE(found); /* behind the check, or the address is taken before it */
	return &thread->kernel_held[found & (LOCK_KERNEL_HELD - 1)];
}

/* A function that takes a lock begins. */
SEC("kprobe")
int on_kernel_take(struct pt_regs *ctx)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());
	__u64 lock = ARCH_ARG0(ctx);
	struct lock_stand *stand;
	__u32 zero = 0;

	if (!thread || !thread->watched || !enabled)
		return 0;
	__sync_fetch_and_add(&kernel_hold_calls, 1);
	stand = bpf_map_lookup_elem(&takers, &zero);
	if (!stand)
		return 0;
	stand->cache.checked_ns = 0;
	stand->stack.name = 0;
	(void)take_place(ctx, stand, LOCK_STACK_KERNEL, lock_now());
	thread->taking.stack = stand->stack.name;
	thread->taking.lock = lock;
	return 0;
}

/* It returns: with the lock, unless its result says something else. */
SEC("kprobe")
int on_kernel_taken(struct pt_regs *ctx)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());
	__u64 function = bpf_get_attach_cookie(ctx), place;
	int result = (int)ARCH_RESULT(ctx);
	struct lock_kernel_held *held;
	__u64 lock;
	__u8 taking;

	if (!thread || !thread->watched || !thread->taking.lock)
		return 0;
	UNWIND_OPAQUE(function);
	function &= KERNEL_HOLD_FUNCTIONS - 1;
	lock = thread->taking.lock;
	thread->taking.lock = 0;
	taking = take_result[function];
	if ((taking == TAKEN_IF_ZERO && result) || (taking == TAKEN_IF_NOT_ZERO && !result))
		return 0;
	held = kernel_held_of(thread, lock);
	if (!held)
		held = kernel_held_of(thread, 0);
	if (!held) { /* it holds many: the oldest is forgotten */
		place = thread->next_kernel_held++;
		UNWIND_OPAQUE(place);
		held = &thread->kernel_held[place & (LOCK_KERNEL_HELD - 1)];
		__sync_fetch_and_add(&lost_waits, 1);
	}
	held->lock = lock;
	held->stack = thread->taking.stack;
	held->flags = take_flags[function];
	held->since_ns = lock_now();
	return 0;
}

/* A function that lets a lock go begins. */
SEC("kprobe")
int on_kernel_let_go(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);
	__u64 lock = ARCH_ARG0(ctx), now_ns = lock_now();
	struct lock_kernel_held *held;
	struct lock_open *open;

	if (!thread || !thread->watched || !lock)
		return 0;
	UNWIND_OPAQUE(lock);
	held = kernel_held_of(thread, lock);
	if (!held)
		return 0;
	__sync_fetch_and_add(&kernel_hold_calls, 1);
	open = &thread->open[OPEN_HOLD];
	__builtin_memset(&open->key, 0, sizeof(open->key));
	open->key.lock = lock;
	open->key.stack = held->stack;
	open->key.pid = thread->pid;
	open->key.tid = thread->tid;
	open->key.kernel_flags = held->flags;
	open->key.kind = LOCK_KIND_KERNEL;
	open->key.relation = LOCK_HOLD;
	open->key.flags = known_lock(task, lock);
	open->since_ns = held->since_ns;
	held->lock = 0;
	if (enabled && now_ns > open->since_ns)
		(void)add_wait(open, now_ns - open->since_ns, 0, now_ns);
	open->since_ns = 0;
	return 0;
}

#endif
