/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kind of event a FUTEX wait on a condition is for, by the C library's data around the word.
 */
#ifndef BPF_FUTEX_EVENT_BPF_H
#define BPF_FUTEX_EVENT_BPF_H

#include "bpf/wait/futex.bpf.h"

/* Of glibc, as they are since 2.25. */
struct glibc_condition {
	__u64 sequence, first_start;
	__u32 references[2], size[2], first_size, waiters, signals[2];
};

/* The word that is waited on, how many wait, and whether processes share it. */
struct glibc_semaphore {
	__u32 value, waiters, shared, unused;
};

/* Waiters of the group that the word belongs to. */
static __always_inline bool is_condition(struct futex_wait *wait, __u32 group)
{
	__u64 address = wait->address - __builtin_offsetof(struct glibc_condition, signals) -
			4 * (__u64)group;
	struct glibc_condition condition;

	if (address & 7 || FUTEX_READ(wait, &condition, sizeof(condition), address) ||
	    (condition.waiters >> 3) - 1 >= MOST_THREADS - 1 ||
	    (condition.references[group] >> 1) - 1 >= MOST_THREADS - 1)
		return false;
	wait->lock = address;
	wait->kind = LOCK_KIND_CONDITION;
	return true;
}

static __always_inline bool is_semaphore(struct futex_wait *wait)
{
	struct glibc_semaphore semaphore;

	if (wait->address & 7 || wait->value ||
	    FUTEX_READ(wait, &semaphore, sizeof(semaphore), wait->address) ||
	    semaphore.waiters - 1 >= MOST_THREADS - 1 || semaphore.shared & ~FUTEX_PRIVATE_BIT)
		return false;
	wait->kind = LOCK_KIND_SEMAPHORE;
	return true;
}

/* What the wait of LEDGER_CONDITION is for, by what is around the word. */
SUBPROGRAM int futex_event_kind(struct futex_wait *wait)
{
	if (!wait)
		return 0;
	wait->kind = LOCK_KIND_EVENT;
	if (is_barrier(wait)) {
		wait->kind = LOCK_KIND_BARRIER;
		wait->lock -= __builtin_offsetof(struct glibc_barrier, round_word);
		return 0;
	}
	if (!is_condition(wait, 0) && !is_condition(wait, 1))
		(void)is_semaphore(wait);
	return 0;
}

#endif
