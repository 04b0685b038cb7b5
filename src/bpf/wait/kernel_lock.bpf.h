/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel locks that threads sleep for: reported by a tracepoint on the way to sleep, so uncontended
 * locks cost nothing. Not attached on kernels without it (before 5.19): such waits are then
 * attributed to the system call. Before including this, define struct thread with the members
 * kernel_lock and kernel_lock_flags, and thread_of(). */
#ifndef BPF_KERNEL_LOCK_BPF_H
#define BPF_KERNEL_LOCK_BPF_H

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* include/trace/events/lock.h */
#define LOCK_SPIN   0x01
#define LOCK_READ   0x02
#define LOCK_WRITE  0x04
#define LOCK_RT	    0x08
#define LOCK_PERCPU 0x10
#define LOCK_MUTEX  0x20

/* Bits of the word that points to the owner. */
#define MUTEX_OWNER_FLAGS     0x07
#define SEMAPHORE_OWNER_FLAGS 0x03
#define SEMAPHORE_OF_READERS  0x01

SEC("raw_tp/contention_begin")
int on_contention(struct bpf_raw_tracepoint_args *ctx)
{
	struct thread *thread;

	if (ctx->args[1] & LOCK_SPIN) /* it does not sleep, or not yet */
		return 0;
	thread = thread_of(bpf_get_current_task_btf());
	if (!thread)
		return 0;
	thread->kernel_lock = ctx->args[0];
	thread->kernel_lock_flags = (__u32)ctx->args[1];
	return 0;
}

SEC("raw_tp/contention_end")
int on_contention_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());

	/* Interrupts take spinlocks of their own meanwhile. */
	if (thread && thread->kernel_lock == ctx->args[0])
		thread->kernel_lock = 0;
	return 0;
}

/* The thread that holds the lock; 0: held by readers, or of a kind without an owner field. */
static __always_inline __u32 kernel_lock_owner(const struct thread *thread)
{
	struct rw_semaphore *semaphore = (void *)thread->kernel_lock;
	struct mutex *mutex = (void *)thread->kernel_lock;
	__u64 owner = 0;

	if (thread->kernel_lock_flags & LOCK_MUTEX) {
		if (bpf_core_field_exists(mutex->owner))
			owner = (__u64)BPF_CORE_READ(mutex, owner.counter) & ~MUTEX_OWNER_FLAGS;
	} else if (!(thread->kernel_lock_flags & (LOCK_RT | LOCK_PERCPU))) {
		if (bpf_core_field_exists(semaphore->owner))
			owner = (__u64)BPF_CORE_READ(semaphore, owner.counter);
		owner = owner & SEMAPHORE_OF_READERS ? 0 : owner & ~SEMAPHORE_OWNER_FLAGS;
	}
	return owner ? (__u32)BPF_CORE_READ((struct task_struct *)owner, pid) : 0;
}

#endif
