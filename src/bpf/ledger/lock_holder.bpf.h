/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The holder of the lock that a thread waits for, and what the holder did during the wait. */
#ifndef BPF_LOCK_HOLDER_BPF_H
#define BPF_LOCK_HOLDER_BPF_H

#include "bpf/ledger/ledger_account.bpf.h"
#include "bpf/lock/lock_window.bpf.h"
#include "bpf/wait/futex.bpf.h"
#include "bpf/wait/futex_event.bpf.h"

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;
extern struct task_struct *bpf_task_from_vpid(__s32 pid) __ksym __weak;
extern void bpf_task_release(struct task_struct *task) __ksym __weak;

/* The wait for a lock with a known owner is over: what did the owner do meanwhile? */
static __noinline int end_held(struct thread *thread, __u64 ns)
{
	struct ledger_edge_key key = { .relation = LEDGER_HELD_BY };
	struct ledger_cell one = { ns, 1, ns };
	struct ledger_edge *edge;
	struct task_struct *owner;
	struct thread *held_by;
	__u64 now_ns = bpf_ktime_get_ns();

	if (!thread || !bpf_task_from_pid || !bpf_task_release)
		return 0;
	key.lock = thread->lock;
	key.waiter_tid = thread->ledger.tid;
	key.other_tid = thread->owner_tid;
	key.account = (__u8)thread->lock_account;
	key.lock_flags = thread->lock_flags;
	edge = edge_of(&key);
	if (!edge)
		return 0;
	add_cell(&edge->wait, &one);
	owner = bpf_task_from_pid((__s32)thread->owner_tid);
	if (!owner)
		return 0;
	edge->other_tgid = (__u32)owner->tgid;
	__builtin_memcpy(edge->other_comm, owner->comm, sizeof(edge->other_comm));
	held_by = bpf_task_storage_get(&threads, owner, NULL, 0);
	if (held_by) {
		__u32 open = held_by->ledger.account;
		__u64 since_ns = held_by->ledger.since_ns;

		for (__u32 i = 0; i < LEDGER_ACCOUNTS; i++) {
			__u64 did_ns = held_by->ledger.cell[i].ns - thread->owner_ns[i];

			if (i == open && now_ns > since_ns)
				did_ns += now_ns - since_ns;
			/* It may have switched on its CPU while this one looked. */
			if ((__s64)did_ns > 0)
				edge->owner_ns[i] += did_ns;
		}
	}
	bpf_task_release(owner);
	return 0;
}

/* Remembers what the owner of the lock has done so far, its open account up to now included. The
 * tid of a kernel's lock is the kernel's, that in a futex is of the thread's PID namespace. */
static __noinline int begin_held(struct thread *thread, __u32 tid, __u32 account)
{
	struct task_struct *owner;
	struct thread *held_by;
	__u64 now_ns = bpf_ktime_get_ns();
	int found = 0;

	if (!thread || !bpf_task_from_pid || !bpf_task_release)
		return 0;
	owner = account == LEDGER_LOCK && bpf_task_from_vpid ? bpf_task_from_vpid((__s32)tid)
							     : bpf_task_from_pid((__s32)tid);
	if (!owner)
		return 0;
	held_by = bpf_task_storage_get(&threads, owner, NULL, 0);
	/* The owner field of a futex may contain anything: it must be a thread of the same
	 * process. */
	if (held_by &&
	    (account == LEDGER_KERNEL_LOCK || (__u32)owner->tgid == thread->ledger.tgid)) {
		__u32 open = held_by->ledger.account;

		for (int i = 0; i < LEDGER_ACCOUNTS; i++)
			thread->owner_ns[i] = held_by->ledger.cell[i].ns;
		if (open < LEDGER_ACCOUNTS && now_ns > held_by->ledger.since_ns)
			thread->owner_ns[open] += now_ns - held_by->ledger.since_ns;
		thread->owner_tid = (__u32)owner->pid;
		thread->lock_account = account;
		found = 1;
	}
	bpf_task_release(owner);
	return found;
}

static __always_inline __u32 event_of(const struct futex_wait *wait)
{
	switch (wait->kind) {
	case LOCK_KIND_CONDITION:
		return LEDGER_EVENT_CONDITION;
	case LOCK_KIND_BARRIER:
		return LEDGER_EVENT_BARRIER;
	case LOCK_KIND_SEMAPHORE:
		return LEDGER_EVENT_SEMAPHORE;
	default:
		return LEDGER_EVENT_WORD;
	}
}

static __always_inline __u32 futex_account(struct task_struct *task, struct thread *thread,
					   const uint64_t arg[3])
{
	struct futex_wait wait = { .address = arg[0],
				   .operation = (__u32)arg[1],
				   .value = (__u32)arg[2] };
	__u32 account;

	if (!thread || task != bpf_get_current_task_btf())
		return futex_call_account(&wait);
	thread->ledger.event_kind = LEDGER_EVENT_WORD;
	wait.counter = thread->counter;
	account = (__u32)futex_wait_account(&wait);
	thread->counter = wait.counter;
	if (account == LEDGER_CONDITION) {
		(void)futex_event_kind(&wait);
		thread->ledger.event_kind = event_of(&wait);
	}
	thread->lock = wait.lock;
	if (wait.owner)
		(void)begin_held(thread, wait.owner, LEDGER_LOCK);
	return account;
}

#endif
