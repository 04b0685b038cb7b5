/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of kernel locks as their tracepoints give them, and who holds one. Before including this,
 * define struct thread with the members kernel_lock and kernel_lock_flags. */
#ifndef BPF_KERNEL_LOCK_OWNER_BPF_H
#define BPF_KERNEL_LOCK_OWNER_BPF_H

#include "bpf/kernel.h"

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
