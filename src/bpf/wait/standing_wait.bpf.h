/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The FUTEX call that another thread than the current one sleeps in, from a program that may sleep
 * (Linux 5.18). Before including this, define what bpf/wait/block_reason.bpf.h needs, and include
 * bpf/lock/lock_window.bpf.h before bpf/wait/futex.bpf.h. */
#ifndef BPF_STANDING_WAIT_BPF_H
#define BPF_STANDING_WAIT_BPF_H

#include "bpf/lock/lock_window.bpf.h"
#include "bpf/wait/block_reason.bpf.h"
#include "bpf/wait/futex.bpf.h"
#include "bpf/wait/futex_event.bpf.h"

/* As much around the word as is there: it may be the first or the last of its page. */
static __always_inline bool fill_lock_window(struct task_struct *task, __u64 address)
{
	__u64 start = address - LOCK_WINDOW_BEFORE, bytes = LOCK_WINDOW_BYTES;

	lock_window_start = start;
	lock_window_bytes = bytes;
	if (!bpf_copy_from_user_task(lock_window, LOCK_WINDOW_BYTES, (void *)start, task, 0))
		return true;
	lock_window_bytes = LOCK_WINDOW_BEFORE;
	if (!bpf_copy_from_user_task(lock_window, LOCK_WINDOW_BEFORE, (void *)address, task, 0)) {
		lock_window_start = address;
		return true;
	}
	lock_window_bytes = 0;
	return false;
}

/* Owners are numbered as the process's PID namespace has it. */
static __always_inline bool has_our_numbers(struct task_struct *task)
{
	struct task_struct *self = bpf_get_current_task_btf();

	return BPF_CORE_READ(task, nsproxy, pid_ns_for_children, ns.inum) ==
	       BPF_CORE_READ(self, nsproxy, pid_ns_for_children, ns.inum);
}

/* The account, LEDGER_OTHER if it sleeps in no FUTEX call or its memory cannot be read. */
static __always_inline __u32 standing_wait_account(struct task_struct *task,
						   struct futex_wait *wait)
{
	uint64_t arg[3];
	__u32 account;

	if (class_of_call(arch_syscall((const struct pt_regs *)bpf_task_pt_regs(task), arg)) !=
	    LEDGER_CLASS_FUTEX)
		return LEDGER_OTHER;
	wait->standing = 1;
	wait->address = arg[0];
	wait->operation = (__u32)arg[1];
	wait->value = (__u32)arg[2];
	if (!fill_lock_window(task, wait->address))
		return LEDGER_OTHER;
	wait->counter = wait->address; /* of a word that may be either, an event */
	account = (__u32)futex_wait_account(wait);
	if (account == LEDGER_CONDITION)
		(void)futex_event_kind(wait);
	if (!has_our_numbers(task))
		wait->owner = 0;
	return account;
}

#endif
