/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in FUTEX calls that are on when watching begins: what they are for, and who holds the lock.
 * A program that may sleep reads the memory of each waiting thread (Linux 5.18), after on_switch
 * and on_waking are attached and all threads are known. */
#ifndef BPF_LEDGER_STANDING_BPF_H
#define BPF_LEDGER_STANDING_BPF_H

#include "bpf/ledger/ledger_account.bpf.h"
#include "bpf/ledger/lock_holder.bpf.h"
#include "bpf/ledger/told_lock.bpf.h"
#include "bpf/wait/standing_wait.bpf.h"

/* Read once at the start, behind `begin`. */
SEC("iter.s/task")
int begin_waits(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread = task ? thread_of(task) : NULL;
	struct futex_wait wait = { 0 };
	__u64 since_ns;
	__u32 account;

	if (!thread || !task->mm)
		return 0;
	account = thread->ledger.account;
	since_ns = thread->ledger.since_ns;
	/* One that was seen to leave its CPU has a lock already. */
	if (thread->lock || (account != LEDGER_LOCK && account != LEDGER_CONDITION))
		return 0;
	account = standing_wait_account(task, &wait);
	if (account != LEDGER_LOCK && account != LEDGER_CONDITION && account != LEDGER_JOIN)
		return 0;
	/* It may have been woken meanwhile. */
	if (thread->ledger.since_ns != since_ns || thread->ledger.account <= LEDGER_PREEMPTED)
		return 0;
	thread->ledger.event_kind = event_of(&wait);
	thread->ledger.account = account;
	thread->lock = wait.lock;
	if (account == LEDGER_LOCK && wait.owner)
		(void)begin_held(thread, wait.owner, LEDGER_LOCK);
	if (account != LEDGER_JOIN)
		(void)tell_lock(thread);
	return 0;
}

#endif
