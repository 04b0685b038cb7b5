/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that lock.bpf.c watches: what it does, and the wait for a lock that is on. */
#ifndef BPF_LOCK_THREAD_BPF_H
#define BPF_LOCK_THREAD_BPF_H

#include <stdbool.h>

#include "bpf/cpu_state.bpf.h"
#include "bpf/lock/lock_window.bpf.h"
#include "bpf/off_cpu/stack_cache.bpf.h"
#include "bpf/wait/futex.bpf.h"
#include "bpf/wait/handover.bpf.h"

#include "event/ledger_account.h"
#include "event/lock_wait.h"

const volatile bool everybody; /* all threads */

#define LOCK_STANDS 4u /* places of a thread that are remembered; a power of two */

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;
extern struct task_struct *bpf_task_from_vpid(__s32 pid) __ksym __weak;
extern void bpf_task_release(struct task_struct *task) __ksym __weak;

/* A recorded stack: a name, or the number of the sample that has it. */
struct lock_stack {
	__u64 name;
	bool raw;
};

struct lock_stand {
	struct lock_stack stack;
	struct stack_cache cache;
};

/* A wait. owner_ns: what the holder had done when it began, then what it did meanwhile. */
struct lock_open {
	struct lock_sum_key key;
	__u64 since_ns, woken_ns; /* 0 = none is on; it is not woken */
	__u32 owner_is_known, unused;
	__u64 owner_ns[LEDGER_ACCOUNTS];
	__u64 handed; /* by a thread that worked */
	__u64 together, again;
};

/* A wait of a FUTEX call, for a lock of the kernel, and one for a spinlock meanwhile, perhaps in an
 * interrupt; and room for the sum of a lock that is let go. A power of two. */
enum {
	OPEN_USER,
	OPEN_KERNEL,
	OPEN_SPIN,
	OPEN_HOLD,
	LOCK_OPENS,
};

#define LOCK_HELD 8u /* locks of a thread at once; a power of two */

/* A lock that the thread took. */
struct lock_held {
	__u64 lock, since_ns; /* 0 = none */
	__u32 kind;
	__u32 condition; /* it waits for a condition meanwhile, without the lock */
};

#define LOCK_KERNEL_HELD 16u /* the same of the kernel's */

struct lock_kernel_held {
	__u64 lock, since_ns; /* 0 = none */
	__u64 stack;	      /* where it was taken */
	__u32 flags, unused;
};

struct thread {
	__u64 since_ns; /* of the account that is open */
	__u64 did_ns[LEDGER_ACCOUNTS];
	__u64 ran_ns;
	__u32 account;
	__u32 kernel_lock_flags;
	__u64 kernel_lock;
	__u64 counter; /* struct futex_wait */
	bool ring, watched;
	__u32 pid, tid;
	struct work work;
	struct lock_open open[LOCK_OPENS];
	__u64 last_lock, last_end_ns; /* the wait before */
	__u64 woke_lock, woke_ns;     /* the last lock at which it woke a waiter */
	__u32 next_stand, next_held, next_kernel_held;
	struct lock_kernel_held taking; /* asked for, not had yet */
	struct lock_kernel_held kernel_held[LOCK_KERNEL_HELD];
	struct lock_held held[LOCK_HELD];
	struct lock_stand stand[LOCK_STANDS]; /* where it waited */
	struct lock_stand woke;		      /* where it woke another thread */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

/* One of them, so that the verifier goes through what follows once for all. */
static __always_inline struct lock_open *open_of(struct thread *thread, __u64 which)
{
	UNWIND_OPAQUE(which);
	return &thread->open[which & (LOCK_OPENS - 1)];
}

static __always_inline __u64 lock_now(void)
{
	return clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
}

/* Ends the account that is open, and opens another. */
static __always_inline void change_account(struct thread *thread, __u32 account, __u64 now_ns)
{
	__u64 open = thread->account;

	UNWIND_OPAQUE(open);
	if (open < LEDGER_ACCOUNTS && thread->since_ns && now_ns > thread->since_ns)
		thread->did_ns[open] += now_ns - thread->since_ns;
	thread->account = account;
	thread->since_ns = now_ns;
}

#endif
