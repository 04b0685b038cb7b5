/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a thread leaves the CPU without being preempted, from where it stands. The includer defines,
 * before including this, struct thread as bpf/wait/kernel_lock.bpf.h needs it, with a member ring,
 * and
 *
 *   __u32 futex_account(struct task_struct *, struct thread *, const uint64_t arg[3])
 *       of a FUTEX call
 */
#ifndef BPF_BLOCK_REASON_BPF_H
#define BPF_BLOCK_REASON_BPF_H

#include "bpf/arch/arch.bpf.h"
#include "bpf/kernel.h"
#include "bpf/task_state.bpf.h"
#include "bpf/wait/waited_file.bpf.h"

#include "event/ledger_account.h"

#include <bpf/bpf_core_read.h>

/* include/linux/sched.h; the same on all architectures */
#define TASK_STOPPED_TRACED 0x000c
#define TASK_DEAD	    0x0080
#define TASK_NOLOAD	    0x0400
#define TASK_FROZEN	    0x8000 /* Linux 6.1 */

const volatile __u8 class_of[LEDGER_SYSCALLS]; /* enum ledger_class by number */

/* Older verifiers do not derive a range from comparisons of a signed number as compiled; they
 * understand a mask. */
static __always_inline __u32 class_of_call(long number)
{
	__u64 place = (__u64)number;

	if (place >= LEDGER_SYSCALLS)
		return LEDGER_CLASS_OTHER;
	__asm__ volatile("" : "+r"(place));
	return class_of[place & (LEDGER_SYSCALLS - 1)];
}

/* The device with the file that a system call is about; 0 = none. */
static __always_inline __u32 device_of_file(struct task_struct *task)
{
	struct file *file;
	uint64_t arg[3];
	__u32 class;

	if (task->flags & PF_KTHREAD)
		return 0;
	class = class_of_call(arch_syscall((const struct pt_regs *)bpf_task_pt_regs(task), arg));
	if (class != LEDGER_CLASS_FD && class != LEDGER_CLASS_SYNC_FILE)
		return 0;
	file = open_file(task, arg[0]);
	if (!file)
		return 0;
	if ((mode_of(file) & FILE_KIND) == KIND_BLOCK)
		return BPF_CORE_READ(file, f_inode, i_rdev);
	return BPF_CORE_READ(file, f_inode, i_sb, s_dev);
}

/* The reason if the kernel marks the wait as I/O. A thread that is not in a system call hit a
 * missing page. A thread that waits for a ring has requests in progress of unknown kinds: the end
 * of the wait determines the reason (ring_account()). */
static __always_inline __u32 io_wait_account(struct task_struct *task, struct thread *thread)
{
	uint64_t arg[3];
	long number;

	if (task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return LEDGER_DISK;
	number = arch_syscall((const struct pt_regs *)bpf_task_pt_regs(task), arg);
	if (number < 0)
		return LEDGER_PAGE_FAULT;
	if (thread && class_of_call(number) == LEDGER_CLASS_RING)
		thread->ring = true;
	return LEDGER_DISK;
}

/* Not inlined, because stack space is scarce in a context switch. */
static __noinline __u32 call_account(struct task_struct *task, struct thread *thread)
{
	uint64_t arg[3];
	long number;

	/* What the helper of Linux 5.15 returns may be read directly. */
	number = arch_syscall((const struct pt_regs *)bpf_task_pt_regs(task), arg);
	if (number < 0)
		return task->flags & PF_EXITING ? LEDGER_OTHER : LEDGER_PAGE_FAULT;
	switch (class_of_call(number)) {
	case LEDGER_CLASS_FD:
		return file_account(task, arg[0]);
	case LEDGER_CLASS_SPLICE:
		return splice_account(task, arg);
	case LEDGER_CLASS_QUEUE:
		return LEDGER_PIPE;
	case LEDGER_CLASS_FUTEX:
		return futex_account(task, thread, arg);
	case LEDGER_CLASS_LOCK:
		return LEDGER_LOCK;
	case LEDGER_CLASS_CONDITION:
		return LEDGER_CONDITION;
	case LEDGER_CLASS_POLL:
	case LEDGER_CLASS_RING:
		return LEDGER_POLL;
	case LEDGER_CLASS_SLEEP:
		return LEDGER_SLEEP;
	case LEDGER_CLASS_CHILD:
		return LEDGER_CHILD;
	case LEDGER_CLASS_SIGNAL:
		return LEDGER_SIGNAL;
	case LEDGER_CLASS_SYNC:
	case LEDGER_CLASS_SYNC_FILE:
		return LEDGER_DISK;
	default:
		return LEDGER_OTHER;
	}
}

/* Whether the thread's cgroup may not run for the rest of its period, though the thread could. */
static __always_inline bool is_throttled(struct task_struct *task)
{
	struct cfs_rq *queue;

	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (!bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return false;
	queue = task->se.cfs_rq;
	return queue && queue->throttle_count > 0;
}

/* Why a thread that could go on has no CPU. */
static __always_inline __u32 runnable_account(struct task_struct *task, __u32 account)
{
	return is_throttled(task) ? LEDGER_THROTTLE : account;
}

/* Threads of the kernel sleep like this for what they are there for, so that it is no load. */
static __always_inline bool waits_for_work(unsigned int state)
{
	return !(state & TASK_UNINTERRUPTIBLE) || state & TASK_NOLOAD;
}

/* By a signal or a tracer, or with its cgroup. The kernel marks who waits for a child of vfork() as
 * frozen too, so that the cgroup can be; that wait alone is uninterruptible. */
static __always_inline bool is_stopped(struct task_struct *task, unsigned int state)
{
	return state & (TASK_STOPPED_TRACED | TASK_FROZEN) ||
	       (!(state & TASK_UNINTERRUPTIBLE) && bpf_core_field_exists(task->frozen) &&
		BPF_CORE_READ_BITFIELD(task, frozen));
}

/* thread is NULL for one that was not seen to leave its CPU. */
static __always_inline __u32 blocked_account(struct task_struct *task, struct thread *thread,
					     unsigned int state)
{
	if (is_stopped(task, state))
		return LEDGER_STOPPED;
	if (thread && thread->kernel_lock)
		return LEDGER_KERNEL_LOCK;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return io_wait_account(task, thread);
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return waits_for_work(state) ? LEDGER_WORK : LEDGER_OTHER;
	return call_account(task, thread);
}

#endif
