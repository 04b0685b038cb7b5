/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that off_cpu.bpf.c watches, and which of its waits are wanted. */
#ifndef BPF_OFF_CPU_THREAD_BPF_H
#define BPF_OFF_CPU_THREAD_BPF_H

#include "bpf/off_cpu.h"
#include "bpf/off_cpu/stack_cache.bpf.h"

#include "event/ledger_account.h"

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/targets.bpf.h"
#include "bpf/wait/futex.bpf.h"
#include "bpf/wait/handover.bpf.h"

/* Set before loading; these are usual. */
const volatile __u32 accounts = 0x3ff8;	     /* bits of enum ledger_account that are wanted */
const volatile __u64 threshold_ns = 1000000; /* shorter waits are summed up */
const volatile __u64 off_cpu_id, wakeup_id;  /* of events, when there are several */
const volatile bool with_sleepers = true, with_wakers; /* samples to record */
const volatile bool until_running; /* being woken ends no wait, having a CPU again does */
/* Other waits are left out. */
const volatile __u64 min_ns, max_ns = UINT64_MAX;
const volatile __u32 task_states; /* bits of task_struct.__state; 0 = whatever it is */
const volatile bool without_user_threads, without_kernel_threads;

const volatile bool with_calls; /* instead of waits: system calls with their waits */

/* A recorded stack: its thread and its name, 0: none. */
struct taken {
	__u64 stack;
	__u32 pid, tid;
	bool raw;
	bool fresh; /* with Python functions to be named by user space */
};

/* Calls of similar lengths that a stand keeps until one of another length follows. */
#define CALL_PENDING_BUCKETS 8u

struct pending_calls {
	struct off_cpu_call_key key;
	__u64 first_ns, last_ns; /* when they began */
	__u64 ns;
	__u32 calls;
	__u32 first_bucket;
	__u32 bucket[CALL_PENDING_BUCKETS];
};

/* Where a thread was, and what that was known by. */
struct stand {
	struct taken taken;
	struct stack_cache cache;
	__u64 sure_ns; /* of a system call: when all of it was looked at */
	struct pending_calls pending;
};

/* Short waits that a thread carries until another kind of wait follows, or SUM_KEPT_NS. */
struct pending_sum {
	struct off_cpu_sum_key key;
	struct off_cpu_sum sum;
	__u64 first_ns;
};

/* The system call that a thread is in. */
struct open_call {
	struct off_cpu_call_key key;
	__u64 since_ns;
	__u64 ended_ns; /* the one before */
	__u32 waits;	/* bits of accounts that it waited on */
	__u32 stand;
	bool open;
	__u64 wait_ns[LEDGER_ACCOUNTS];
};

/* A thread that is watched. */
struct thread {
	__u64 since_ns; /* it left the CPU, or was woken; 0 = nothing that is wanted */
	__u64 woken_ns; /* while it was leaving; waker is set */
	__u64 ran_ns;	/* in its life, when it left the CPU */
	bool leaving;	/* its stack is being taken */
	bool ring;	/* it waits for requests of a ring */
	__u32 kernel_lock_flags;
	__u64 kernel_lock;	   /* that it is about to sleep for; 0 = none */
	struct taken taken, waker; /* where it waits, and its waker */
	__u64 counter;		   /* struct futex_wait */
	struct work work;
	__u32 account; /* enum ledger_account */
	__u32 next_stand;
	struct stand stand[OFF_CPU_STANDS]; /* where it waited */
	struct stand woke;		    /* where it was when it woke another thread last */
	struct pending_sum pending;
	struct open_call call;
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

static __always_inline __u32 futex_account(struct task_struct *task, struct thread *thread,
					   const uint64_t arg[3])
{
	struct futex_wait wait = { .address = arg[0],
				   .operation = (__u32)arg[1],
				   .value = (__u32)arg[2] };
	__u32 account;

	if (task != bpf_get_current_task_btf())
		return futex_call_account(&wait);
	wait.counter = thread->counter;
	account = (__u32)futex_wait_account(&wait);
	thread->counter = wait.counter;
	return account;
}

#include "bpf/wait/block_reason.bpf.h"
#include "bpf/wait/kernel_lock.bpf.h"
#include "bpf/wait/turn.bpf.h"

static __always_inline __u64 time_ns(void)
{
	return clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
}

static __always_inline bool is_wanted(__u32 account)
{
	return accounts >> (account & 31) & 1;
}

/* Whether a thread that leaves the CPU in this state is looked at. */
static __always_inline bool is_watched(struct task_struct *task, unsigned int state)
{
	if (task->flags & PF_KTHREAD ? without_kernel_threads : without_user_threads)
		return false;
	return !(state & TASK_DEAD) && (!task_states || state & task_states) && in_cgroup(task);
}

/* True if the blocked time, or the time until it runs again, is selected. */
static __always_inline bool is_worth_it(__u32 account)
{
	return is_wanted(account) || (is_wanted(LEDGER_WOKEN) && account > LEDGER_PREEMPTED) ||
	       (is_wanted(LEDGER_THREAD) && account == LEDGER_CONDITION);
}

#endif
