/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who holds the lock that a thread waits for, and what that thread does meanwhile. */
#ifndef BPF_LOCK_OWNER_BPF_H
#define BPF_LOCK_OWNER_BPF_H

#include "bpf/lock/lock_thread.bpf.h"
#include "bpf/subprogram.bpf.h"

/* What the account that is open has had since it was opened. */
static __always_inline __u64 *open_account(struct lock_open *open, const struct thread *holder)
{
	__u64 account = holder->account;

	UNWIND_OPAQUE(account);
	return &open->owner_ns[account < LEDGER_ACCOUNTS ? account : LEDGER_OTHER];
}

/* Remembers what a thread did up to now. */
SUBPROGRAM int note_doings(struct lock_open *open, const struct thread *holder, __u64 now_ns)
{
	if (!open || !holder)
		return 0;
	for (__u32 i = 0; i < LEDGER_ACCOUNTS; i++)
		open->owner_ns[i] = holder->did_ns[i];
	if (holder->since_ns && now_ns > holder->since_ns)
		*open_account(open, holder) += now_ns - holder->since_ns;
	return 0;
}

/* What it did since then. It may have switched on its CPU while this one looked: below 0 is 0, by
 * its sign, because each branch is a path for the verifier. */
SUBPROGRAM int take_doings(struct lock_open *open, const struct thread *holder, __u64 now_ns)
{
	if (!open || !holder)
		return 0;
	for (__u32 i = 0; i < LEDGER_ACCOUNTS; i++)
		open->owner_ns[i] = holder->did_ns[i] - open->owner_ns[i];
	if (holder->since_ns && now_ns > holder->since_ns)
		*open_account(open, holder) += now_ns - holder->since_ns;
	for (__u32 i = 0; i < LEDGER_ACCOUNTS; i++)
		open->owner_ns[i] &= ~(__u64)((__s64)open->owner_ns[i] >> 63);
	return 0;
}

static __always_inline struct task_struct *task_of(__u32 tid, bool in_kernel)
{
	if (!bpf_task_from_pid || !bpf_task_release)
		return NULL;
	return !in_kernel && bpf_task_from_vpid ? bpf_task_from_vpid((__s32)tid)
						: bpf_task_from_pid((__s32)tid);
}

/* The wait begins. The tid of a kernel's lock is the kernel's, that in a futex is of the thread's
 * PID namespace. A futex's may be anything, and must be of a thread of the same process. Shared
 * ones may be another process's. */
SUBPROGRAM int begin_holder(struct thread *thread, struct lock_open *open, __u32 tid)
{
	bool in_kernel;
	struct task_struct *owner;
	struct thread *holder;

	if (!thread || !open)
		return 0;
	in_kernel = open->key.kind == LOCK_KIND_KERNEL;
	open->owner_is_known = 0;
	open->key.holder_tid = open->key.holder_pid = 0;
	/* The owner of a program's lock may be the thread itself, which then waits for ever. */
	if (!tid || (in_kernel && tid == thread->tid))
		return 0;
	if (!bpf_task_from_pid || !bpf_task_release) { /* before Linux 6.2 */
		open->key.holder_tid = tid;
		open->key.holder_pid = in_kernel ? 0 : thread->pid;
		return 0;
	}
	owner = task_of(tid, in_kernel);
	if (!owner)
		return 0;
	if (in_kernel || (__u32)owner->tgid == thread->pid ||
	    open->key.kind & LOCK_PROCESS_SHARED) {
		open->key.holder_tid = (__u32)owner->pid;
		open->key.holder_pid = (__u32)owner->tgid;
		holder = bpf_task_storage_get(&threads, owner, NULL, 0);
		if (holder) {
			(void)note_doings(open, holder, open->since_ns);
			open->owner_is_known = 1;
		}
	}
	bpf_task_release(owner);
	return 0;
}

/* It is over. */
SUBPROGRAM int end_holder(struct lock_open *open, __u64 now_ns)
{
	struct task_struct *owner;
	struct thread *holder = NULL;

	if (!open || !open->owner_is_known || !bpf_task_from_pid || !bpf_task_release)
		return 0;
	owner = bpf_task_from_pid((__s32)open->key.holder_tid);
	if (owner) {
		holder = bpf_task_storage_get(&threads, owner, NULL, 0);
		if (holder)
			(void)take_doings(open, holder, now_ns);
		bpf_task_release(owner);
	}
	if (!holder)
		open->owner_is_known = 0;
	return 0;
}

#endif
