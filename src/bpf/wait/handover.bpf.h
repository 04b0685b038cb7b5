/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits on a condition that are not idle. To the kernel a lock of Java, Go or Python, a bounded
 * queue and a result that another thread computes are conditions, just as a queue of requests is.
 * They differ in who ends the wait: a thread of the same process that worked the whole time, or one
 * that itself waited for something outside meanwhile, such as a request or a clock. Threads that
 * take turns are not idle; one that is only ever given work is: to count, the thread that waits
 * must have ended such waits of other threads before, and more of them than a thread does when it
 * starts: the handshakes of a runtime do not make a thread that then waits for the program's end
 * one that takes turns. */
#ifndef BPF_HANDOVER_BPF_H
#define BPF_HANDOVER_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"
#include "bpf/wait/interrupts.bpf.h"

#include "event/ledger_account.h"

#define ACCOUNT_BIT(account) (1u << (account))
#define FROM_OUTSIDE                                                                           \
	(ACCOUNT_BIT(LEDGER_NET) | ACCOUNT_BIT(LEDGER_PIPE) | ACCOUNT_BIT(LEDGER_CHILD) |      \
	 ACCOUNT_BIT(LEDGER_SLEEP) | ACCOUNT_BIT(LEDGER_STOPPED) | ACCOUNT_BIT(LEDGER_OTHER) | \
	 ACCOUNT_BIT(LEDGER_POLL) | ACCOUNT_BIT(LEDGER_CONDITION) | ACCOUNT_BIT(LEDGER_JOIN) | \
	 ACCOUNT_BIT(LEDGER_SIGNAL) | ACCOUNT_BIT(LEDGER_TERMINAL) | ACCOUNT_BIT(LEDGER_WORK))

/* When a thread last was not at work. A wait with a limit of time (Python's threads wait for the
 * interpreter 5 ms at a time) is a slice of one with an end that shows its purpose. */
#define SLICE_MOST_NS 20000000u /* a longer limit is a clock's, not a lock's */

struct work {
	__u64 outside_ns;	/* the end of its last wait for something outside */
	__u64 before_slices_ns; /* the same before the slices, if there were any */
	bool sliced;
	bool handed; /* a thread that worked all the while ended its last wait */
	__u8 gives;  /* waits of others that it ended after working all the while */
};

#define GIVES_LEAST 3

static __always_inline bool takes_turns(const struct work *work)
{
	return work->gives >= GIVES_LEAST;
}

/* The account of a task's wait on a condition since since_ns that the current thread ends. waker is
 * what is kept of that thread; NULL = it is not watched. */
static __always_inline __u32 condition_account(struct task_struct *task, struct work *work,
					       struct work *waker, __u64 since_ns)
{
	if (!waker || (__u32)task->tgid != (__u32)(bpf_get_current_pid_tgid() >> 32) ||
	    waker->outside_ns > since_ns)
		return LEDGER_CONDITION;
	if (waker->gives < GIVES_LEAST)
		waker->gives++;
	work->handed = true;
	return takes_turns(work) ? LEDGER_THREAD : LEDGER_CONDITION;
}

static __always_inline bool is_slice(__u32 account, enum ledger_waker waker, __u64 ns)
{
	return account == LEDGER_CONDITION && waker == LEDGER_WAKER_TIMER && ns <= SLICE_MOST_NS;
}

/* A thread's wait on an account has ended. */
static __always_inline void resume_work(struct work *work, __u32 account, bool slice, __u64 now_ns)
{
	if (work->handed && work->sliced)
		work->outside_ns = work->before_slices_ns;
	if (slice && !work->sliced)
		work->before_slices_ns = work->outside_ns;
	if (FROM_OUTSIDE >> (account & 31) & 1 && !work->handed)
		work->outside_ns = now_ns;
	work->sliced = slice;
	work->handed = false;
}

#endif
