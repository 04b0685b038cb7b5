/* SPDX-License-Identifier: GPL-2.0-or-later */
/* More parts of kernel types, as in bpf/kernel.h, that tell a lock of a process and a signal. */
#ifndef BPF_LOCK_KERNEL_BPF_H
#define BPF_LOCK_KERNEL_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/lock_wait.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define SIGNAL_GROUP_EXIT 0x00000004 /* signal_struct.flags: the process is about to end */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct spinlock {
	int unused;
};

struct sighand_struct {
	struct spinlock siglock;
};

typedef struct {
	unsigned long sig[1]; /* of 64 signals */
} signals_t;

struct sigpending {
	signals_t signal;
};

struct signal_struct {
	struct sigpending shared_pending;
	unsigned int flags;
};

struct mm_struct___lock {
	struct rw_semaphore mmap_lock; /* since Linux 5.8 */
};

struct task_struct___signals {
	struct mm_struct___lock *mm;
	struct sighand_struct *sighand;
	struct signal_struct *signal;
	struct sigpending pending;
	signals_t blocked;
};

#pragma clang attribute pop

/* Well-known locks that lie in memory of their own. */
static __always_inline __u8 known_lock(struct task_struct *task, __u64 lock)
{
	struct task_struct___signals *with = (void *)task;
	struct mm_struct___lock *mm = with->mm;
	struct sighand_struct *signals = with->sighand;

	if (mm && lock == (__u64)mm + bpf_core_field_offset(mm->mmap_lock))
		return LOCK_MMAP;
	if (signals && lock == (__u64)signals + bpf_core_field_offset(signals->siglock))
		return LOCK_SIGNALS;
	return 0;
}

/* Whether a signal wakes the task, rather than who lets the lock go. */
static __always_inline bool is_signalled(struct task_struct *task)
{
	struct task_struct___signals *with = (void *)task;

	return ((__u64)with->pending.signal.sig[0] |
		BPF_CORE_READ(with, signal, shared_pending.signal.sig[0])) &
	       ~(__u64)with->blocked.sig[0];
}

/* A thread that is killed in its wait has waited until the end. */
static __always_inline bool is_killed(struct task_struct *task)
{
	return BPF_CORE_READ((struct task_struct___signals *)task, signal, flags) &
	       SIGNAL_GROUP_EXIT;
}

#endif
