/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long threads hold locks of the C library: probes where its functions begin, none where they
 * return. A thread has a lock since it called the function, or since it last woke up in it.
 * Before including this, define `enabled`. */
#ifndef BPF_LOCK_HOLD_BPF_H
#define BPF_LOCK_HOLD_BPF_H

#include "bpf/lock/lock_stack.bpf.h"
#include "bpf/lock/lock_sums.bpf.h"
#include "bpf/lock/lock_thread.bpf.h"

/* Set before loading: what the function with a cookie does. */
const volatile __u8 hold_action[HOLD_FUNCTIONS];

__u64 hold_calls;

/* A function by itself, so that the verifier goes through what follows once for all. */
SUBPROGRAM int held_place(const struct thread *thread, __u64 lock)
{
	if (!thread)
		return -1;
	for (__u32 i = 0; i < LOCK_HELD; i++)
		if (thread->held[i].lock == lock)
			return (int)i;
	return -1;
}

static __always_inline struct lock_held *held_of(struct thread *thread, __u64 lock)
{
	__u64 found = (__u32)held_place(thread, lock);

	if (found >= LOCK_HELD)
		return NULL;
	UNWIND_OPAQUE(found); /* behind the check, or the address is taken before it */
	return &thread->held[found & (LOCK_HELD - 1)];
}

/* The thread runs again after a wait for a lock, or for a condition, which gives a lock back. */
static __always_inline void wake_held(struct thread *thread, const struct lock_sum_key *key,
				      __u64 now_ns)
{
	bool condition = (key->kind & LOCK_KIND_BITS) == LOCK_KIND_CONDITION;

#pragma unroll
	for (__u32 i = 0; i < LOCK_HELD; i++)
		if (thread->held[i].lock == key->lock || (condition && thread->held[i].condition))
			thread->held[i].since_ns = now_ns;
}

/* The lock is a recursive one, taken more often than once by its owner. */
SUBPROGRAM int is_taken_again(__u64 lock, __u32 owner, __u32 count)
{
	struct glibc_mutex mutex;

	return !bpf_probe_read_user(&mutex, sizeof(mutex), (void *)lock) &&
	       (mutex.kind & MUTEX_TYPE_BITS) == MUTEX_RECURSIVE && mutex.count > count &&
	       (!owner || mutex.owner == owner);
}

SUBPROGRAM int begin_hold(struct thread *thread, __u64 lock, __u64 kind, __u64 now_ns)
{
	struct lock_held *held;
	__u64 place;

	if (!thread || !lock)
		return 0;
	held = held_of(thread, lock);
	if (held && kind == LOCK_KIND_MUTEX && is_taken_again(lock, thread->tid, 0))
		return 0;
	if (!held)
		held = held_of(thread, 0);
	if (!held) { /* it holds many: the oldest is forgotten */
		place = thread->next_held++;
		UNWIND_OPAQUE(place);
		held = &thread->held[place & (LOCK_HELD - 1)];
		__sync_fetch_and_add(&lost_waits, 1);
	}
	held->lock = lock;
	held->since_ns = now_ns;
	held->kind = (__u32)kind;
	held->condition = 0;
	return 0;
}

/* Inlined: the walk goes as deep as calls may. */
static __always_inline int end_hold(void *ctx, struct thread *thread, __u64 lock, __u64 action)
{
	struct lock_open *open;
	struct lock_held *held;
	struct lock_stand *stand;
	__u64 now_ns = lock_now(), ns;
	int again;

	if (!thread || !lock)
		return 0;
	held = held_of(thread, lock);
	if (!held)
		return 0;
	again = is_taken_again(lock, 0, 1); /* of a lock that is no mutex, no */
	if (again && held->kind == LOCK_KIND_MUTEX)
		return 0;
	open = &thread->open[OPEN_HOLD];
	ns = now_ns - held->since_ns;
	__builtin_memset(&open->key, 0, sizeof(open->key));
	open->key.lock = lock;
	open->key.pid = thread->pid;
	open->key.tid = thread->tid;
	open->key.kind = (__u8)held->kind;
	open->key.relation = LOCK_HOLD;
	open->since_ns = held->since_ns;
	if (ns >= HOLD_STACK_NS) {
		stand = stand_here(thread);
		(void)take_place(ctx, stand, LOCK_STACK_USER, now_ns);
		open->key.stack = stand->stack.name;
		open->key.flags = stand->stack.raw ? LOCK_RAW_STACK : 0;
	}
	(void)add_wait(open, ns, 0, now_ns);
	open->since_ns = 0;
	held->since_ns = now_ns;
	held->condition = action == HOLD_CONDITION;
	if (!held->condition)
		held->lock = 0;
	return 0;
}

/* A function of the C library begins. */
SEC("kprobe")
int on_hold(struct pt_regs *ctx)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());
	__u64 place = bpf_get_attach_cookie(ctx), action;
	__u64 first = ARCH_ARG0(ctx), second = ARCH_ARG1(ctx);

	if (!thread || !thread->watched || !enabled)
		return 0;
	UNWIND_OPAQUE(first);
	UNWIND_OPAQUE(second);
	__sync_fetch_and_add(&hold_calls, 1);
	UNWIND_OPAQUE(place);
	action = hold_action[place & (HOLD_FUNCTIONS - 1)];
	if (action == HOLD_TAKE_MUTEX || action == HOLD_TAKE_RWLOCK)
		return begin_hold(thread, first,
				  action == HOLD_TAKE_MUTEX ? LOCK_KIND_MUTEX
							    : LOCK_KIND_RWLOCK_WRITE,
				  lock_now());
	if (action == HOLD_NOTHING)
		return 0;
	first = action == HOLD_CONDITION ? second : first;
	UNWIND_OPAQUE(first);
	UNWIND_OPAQUE(action);
	return end_hold(ctx, thread, first, action);
}

#endif
