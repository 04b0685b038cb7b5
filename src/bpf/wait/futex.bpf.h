/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reason of a FUTEX wait: a held lock, or an event. The call does not distinguish them, so the
 * futex word and the library's data around it are examined, in the current thread's memory before
 * it leaves its CPU. */
#ifndef BPF_FUTEX_BPF_H
#define BPF_FUTEX_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/arch/arch.bpf.h"
#include "bpf/kernel.h"
#include "bpf/subprogram.bpf.h"

#include "event/ledger_account.h"
#include "event/lock_wait.h"

#include <bpf/bpf_helpers.h>

/* linux/futex.h */
#define FUTEX_OPERATION	     0x7f
#define FUTEX_WAIT_OP	     0
#define FUTEX_LOCK_PI_OP     6
#define FUTEX_WAIT_BITSET_OP 9 /* what glibc waits with when it can be given a time */
#define FUTEX_LOCK_PI2_OP    13
#define FUTEX_PRIVATE_BIT    128
#define FUTEX_TID_BITS	     0x3fffffff
#define FUTEX_WAITERS_BIT    0x80000000

#define WORD_WITH_WAITERS 2 /* of a lock that is 0, 1 or 2 */
#define WORD_IN_USE	  2 /* PTHREAD_RWLOCK_FUTEX_USED, with or without 1 */
/* Rust's RwLock: a writer holds it, plus bits for waiters; all bits set: a parked thread. */
#define WORD_WRITTEN 0x3fffffff
#define WORD_PARKED  0xffffffff
#define MOST_KINDS   0x3ff
#define MOST_THREADS (1 << 22) /* PID_MAX_LIMIT */

/* Of glibc, as they are since 2.25. */
struct glibc_mutex {
	__u32 word, count, owner, users, kind;
};

struct glibc_rwlock {
	__u32 readers, writers, phase_word, writers_word, unused[2], writer, shared;
};

#define RWLOCK_WRITER_BIT 2 /* in readers: a writer has it, or is the next to have it */
#define MUTEX_RECURSIVE	  1 /* in kind, under MUTEX_TYPE_BITS */
#define MUTEX_TYPE_BITS	  3

struct glibc_barrier {
	__u32 in, round_word, count, shared, out;
};

/* address to value are the call's. A lock of Rust is one word, and has no mark but its value 2,
 * which the counter of a condition variable, the other such word, has but once. */
struct futex_wait {
	__u64 address;
	__u32 operation, value;
	__u64 lock;	/* where it begins; the address, when it is no lock */
	__u32 owner;	/* its tid as the process knows it; 0 = not known */
	__u32 kind;	/* enum lock_kind, with its bits */
	__u64 counter;	/* where the thread last waited for another value: kept by the caller */
	__u64 standing; /* it is another thread's wait; see FUTEX_READ */
};

/* Reads memory of the thread that waits: the current one, unless the includer knows more. */
#ifndef FUTEX_READ
#define FUTEX_READ(wait, to, size, from) bpf_probe_read_user(to, size, (void *)(from))
#endif

static __always_inline bool is_owned_mutex(struct futex_wait *wait)
{
	struct glibc_mutex mutex;

	if (FUTEX_READ(wait, &mutex, sizeof(mutex), wait->address) || mutex.kind & ~MOST_KINDS ||
	    mutex.owner - 1 >= MOST_THREADS - 1 || mutex.users - 1 >= MOST_THREADS)
		return false;
	wait->owner = mutex.owner;
	wait->kind = LOCK_KIND_MUTEX;
	if ((mutex.kind & MUTEX_TYPE_BITS) == MUTEX_RECURSIVE)
		wait->kind |= LOCK_RECURSIVE;
	return true;
}

/* A waiter waits while a writer holds it, or is next. */
static __always_inline bool is_rwlock(struct futex_wait *wait, __u64 address)
{
	struct glibc_rwlock lock;

	if (FUTEX_READ(wait, &lock, sizeof(lock), address) || lock.unused[0] || lock.unused[1] ||
	    lock.shared > 1 || !(lock.readers & RWLOCK_WRITER_BIT) || lock.writer >= MOST_THREADS)
		return false;
	wait->lock = address;
	wait->owner = lock.writer;
	wait->kind = address + __builtin_offsetof(struct glibc_rwlock, phase_word) ==
					     wait->address &&
				     wait->value & 1
			     ? LOCK_KIND_RWLOCK_READ
			     : LOCK_KIND_RWLOCK_WRITE;
	return true;
}

static __always_inline bool is_barrier(const struct futex_wait *wait)
{
	__u64 address = wait->address - __builtin_offsetof(struct glibc_barrier, round_word);
	struct glibc_barrier barrier;

	return !FUTEX_READ(wait, &barrier, sizeof(barrier), address) &&
	       !(barrier.shared & ~FUTEX_PRIVATE_BIT) && barrier.out <= barrier.in &&
	       barrier.in - barrier.round_word - 1 < barrier.count;
}

/* The word is the number of a thread that has not ended, in glibc's description of the thread. Of
 * another thread than the current one only the number is known: no thread of a program has one as
 * small as the values of a lock. */
static __always_inline bool is_join(const struct futex_wait *wait)
{
	return !(wait->operation & FUTEX_PRIVATE_BIT) && wait->value - 1 < MOST_THREADS &&
	       (wait->standing ? wait->value > WORD_WITH_WAITERS
			       : arch_is_thread_number(wait->address));
}

/* For another thread than the current one, with unreadable memory: by the call alone. */
static __always_inline __u32 futex_call_account(const struct futex_wait *wait)
{
	switch (wait->operation & FUTEX_OPERATION) {
	case FUTEX_LOCK_PI_OP:
	case FUTEX_LOCK_PI2_OP:
		return LEDGER_LOCK;
	case FUTEX_WAIT_OP:
		return wait->value == WORD_WITH_WAITERS || wait->value & FUTEX_WAITERS_BIT
			       ? LEDGER_LOCK
			       : LEDGER_CONDITION;
	default:
		return LEDGER_CONDITION;
	}
}

/* The account, with the lock and its owner filled in. Global, so that the
 * verifier looks at it by itself. */
SUBPROGRAM int futex_wait_account(struct futex_wait *wait)
{
	__u32 value, operation;

	if (!wait)
		return LEDGER_CONDITION;
	wait->lock = wait->address;
	wait->owner = 0;
	wait->kind = LOCK_KIND_WORD;
	value = wait->value;
	operation = wait->operation & FUTEX_OPERATION;
	if (operation == FUTEX_LOCK_PI_OP || operation == FUTEX_LOCK_PI2_OP) {
		if (FUTEX_READ(wait, &value, sizeof(value), wait->address))
			value = 0;
		wait->owner = value & FUTEX_TID_BITS;
		wait->kind = LOCK_KIND_PI;
		return LEDGER_LOCK;
	}
	if (operation != FUTEX_WAIT_OP && operation != FUTEX_WAIT_BITSET_OP)
		return LEDGER_CONDITION;
	if (is_join(wait))
		return LEDGER_JOIN;
	/* Robust mutexes, and those of musl. */
	if (value & FUTEX_WAITERS_BIT && (value & FUTEX_TID_BITS) - 1 < MOST_THREADS - 1) {
		wait->owner = value & FUTEX_TID_BITS;
		wait->kind = LOCK_KIND_ROBUST;
		return LEDGER_LOCK;
	}
	if (value == WORD_WITH_WAITERS && is_owned_mutex(wait))
		return LEDGER_LOCK;
	if (operation == FUTEX_WAIT_OP)
		return value == WORD_WITH_WAITERS && !is_barrier(wait) ? LEDGER_LOCK
								       : LEDGER_CONDITION;
	if ((value | 1) == (WORD_IN_USE | 1) &&
	    (is_rwlock(wait, wait->address - __builtin_offsetof(struct glibc_rwlock, phase_word)) ||
	     is_rwlock(wait,
		       wait->address - __builtin_offsetof(struct glibc_rwlock, writers_word))))
		return LEDGER_LOCK;
	if ((value & WORD_WRITTEN) == WORD_WRITTEN && value != WORD_PARKED)
		return LEDGER_LOCK;
	if (value == WORD_WITH_WAITERS && wait->address != wait->counter)
		return LEDGER_LOCK;
	wait->counter = wait->address;
	return LEDGER_CONDITION;
}

#endif
