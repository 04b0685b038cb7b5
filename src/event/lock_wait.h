/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks, as the kernel part sums them up (bpf/lock.bpf.c) and as samples of lock-wait and
 * lock-holder carry them. Only types and numbers, because both sides include it. */
#ifndef EVENT_LOCK_WAIT_H
#define EVENT_LOCK_WAIT_H

#include <stdint.h>

#include "event/ledger_account.h"

/* What is waited for, as far as memory around the futex word tells. */
enum lock_kind {
	LOCK_KIND_WORD,	  /* a lock of one word, such as Rust's; no owner in it */
	LOCK_KIND_MUTEX,  /* of glibc, with its owner */
	LOCK_KIND_PI,	  /* the kernel passes it on, by priority */
	LOCK_KIND_ROBUST, /* the word is the owner; also of musl */
	LOCK_KIND_RWLOCK_READ,
	LOCK_KIND_RWLOCK_WRITE,
	LOCK_KIND_CONDITION,
	LOCK_KIND_BARRIER,
	LOCK_KIND_SEMAPHORE,
	LOCK_KIND_EVENT, /* another word: who changes it ends the wait */
	LOCK_KIND_KERNEL,
	LOCK_KINDS,
};

/* Bits of a kind. */
#define LOCK_RECURSIVE	    0x10 /* the same thread may take it again */
#define LOCK_PROCESS_SHARED 0x20
#define LOCK_KIND_BITS	    0x0f

/* How the other thread of a sum is known. */
enum lock_relation {
	LOCK_NOBODY,	  /* it is not known who ended the wait */
	LOCK_HELD_BY,	  /* the owner in the lock when the wait began */
	LOCK_RELEASED_BY, /* it woke the waiter */
	LOCK_TIMED_OUT,	  /* a timer did */
	LOCK_STILL_ON,	  /* the wait had not ended when watching did; held by, if a tid is known */
	LOCK_HOLD,	  /* no wait: how long the thread itself held the lock */
};

/* Bits of lock_sum_key.flags. */
#define LOCK_RAW_STACK	0x01 /* `stack` is the number of a sample that has it */
#define LOCK_RAW_HOLDER 0x02 /* likewise `holder_stack` */
#define LOCK_MMAP	0x04 /* the kernel's lock of an address space */
#define LOCK_SIGNALS	0x08 /* and of signal handlers */
#define LOCK_STANDING	0x10 /* the wait was on when watching began; its time counts from then */

/* What a function of the C library does with a lock (bpf/lock/lock_hold.bpf.h). */
enum lock_hold_action {
	HOLD_NOTHING,
	HOLD_TAKE_MUTEX,
	HOLD_TAKE_RWLOCK,
	HOLD_LET_GO,
	HOLD_CONDITION, /* releases a mutex until it is signalled */
};

/* How a function of the kernel that takes a lock tells that it has it
 * (bpf/lock/lock_kernel_hold.bpf.h). */
enum lock_taking {
	TAKEN_ALWAYS,
	TAKEN_IF_ZERO,
	TAKEN_IF_NOT_ZERO,
};

#define KERNEL_HOLD_FUNCTIONS 32 /* a power of two */

#define HOLD_FUNCTIONS 64     /* a power of two */
#define HOLD_STACK_NS  20000u /* shorter holds have no stack */

struct lock_sum_key {
	uint64_t lock; /* address in the process, or in the kernel */
	uint64_t stack, holder_stack;
	uint32_t pid, tid;
	uint32_t holder_pid, holder_tid; /* 0 = not known */
	uint32_t kernel_flags;		 /* LCB_F_* */
	uint8_t kind, relation, flags, unused;
};

/* Buckets of waits: two for each power of two from 256 ns on. */
#define LOCK_BUCKETS	  64u
#define LOCK_BUCKET_SHIFT 7
#define LOCK_CONVOY_NS	  20000u /* from the end of a wait for a lock to the next for it */

struct lock_sum {
	uint64_t ns, count, max_ns;
	uint64_t delay_ns;  /* woken, until it had a CPU */
	uint64_t again;	    /* waits that began within LOCK_CONVOY_NS of the one before */
	uint64_t together;  /* waits that one call ended after it had ended another */
	uint64_t handed_ns; /* of waits for an event that a thread brought about that worked */
	uint64_t first_ns, last_ns;	     /* when one began first, ended last */
	uint64_t holder_ns[LEDGER_ACCOUNTS]; /* what the holder did meanwhile */
	uint32_t bucket[LOCK_BUCKETS];
};

/* What a sample of lock-wait carries. Samples of lock-holder have the same number, and the stack
 * of the thread that the key names. A sample with nothing but a number has the stack that sums
 * refer to (LOCK_RAW_STACK). */
struct lock_wait_data {
	uint64_t number;
	struct lock_sum_key key;
	struct lock_sum sum;
};

struct lock_stack_data {
	uint64_t number;
};

#endif
