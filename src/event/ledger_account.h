/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger of a thread assigns every nanosecond of its life to one account; edges connect waiting
 * threads with the cause of their wakeup. bpf/ledger.bpf.c shares this vocabulary with user space,
 * so the header contains only types. Times are CLOCK_MONOTONIC nanoseconds. */
#ifndef EVENT_LEDGER_ACCOUNT_H
#define EVENT_LEDGER_ACCOUNT_H

#include <stdint.h>

/* The accounts: a state and a reason in one. Names in profile/ledger.c. */
enum ledger_account {
	LEDGER_RUNNING,
	LEDGER_WOKEN,	  /* runnable: woken, waits for a CPU */
	LEDGER_PREEMPTED, /* runnable: lost its CPU to another thread */
	LEDGER_LOCK,	  /* user-space lock: futex with an owner, or waiting for one; of a file */
	LEDGER_KERNEL_LOCK,
	LEDGER_THREAD, /* a condition that another thread fulfilled after working the whole time */
	LEDGER_DISK,
	LEDGER_NET,
	LEDGER_PIPE,
	LEDGER_PAGE_FAULT,
	LEDGER_CHILD,
	LEDGER_SLEEP,
	LEDGER_STOPPED,	 /* by a signal or a tracer, or with its cgroup */
	LEDGER_THROTTLE, /* its cgroup has used up the CPU time of this period */
	LEDGER_OTHER,
	/* Idle: waiting for something to do. */
	LEDGER_POLL,
	LEDGER_CONDITION, /* futex without an owner: condition variables, semaphores */
	LEDGER_JOIN,	  /* the end of another thread */
	LEDGER_SIGNAL,
	LEDGER_TERMINAL,
	LEDGER_WORK, /* a thread of the kernel: its next piece of work */
	LEDGER_ACCOUNTS,
};

/* What a wait on LEDGER_CONDITION is for, as far as the C library's data around the word tell. */
enum ledger_event {
	LEDGER_EVENT_WORD, /* a futex with no more than that */
	LEDGER_EVENT_CONDITION,
	LEDGER_EVENT_BARRIER,
	LEDGER_EVENT_SEMAPHORE,
	LEDGER_EVENTS, /* a power of two */
};

/* Classes of system calls, by number, in a table that user space fills. */
enum ledger_class {
	LEDGER_CLASS_OTHER,
	LEDGER_CLASS_FD,     /* by the kind of file in argument 0 */
	LEDGER_CLASS_SPLICE, /* and in argument 2 */
	LEDGER_CLASS_QUEUE,  /* of messages */
	LEDGER_CLASS_FUTEX,
	LEDGER_CLASS_LOCK,
	LEDGER_CLASS_CONDITION,
	LEDGER_CLASS_POLL,
	LEDGER_CLASS_RING, /* of requests: for disks, or for events */
	LEDGER_CLASS_SLEEP,
	LEDGER_CLASS_CHILD,
	LEDGER_CLASS_SIGNAL,
	LEDGER_CLASS_SYNC,
	LEDGER_CLASS_SYNC_FILE, /* fsync and the like: of the file in argument 0 */
};

#define LEDGER_SYSCALLS 512

/* How long the intervals of a kind were, in a unit chosen at the start: bucket 0 counts lengths 0
 * and 1, bucket i those of [2^i, 2^(i+1)), the last all longer ones. */
#define LEDGER_BUCKETS 36

enum ledger_interval {
	LEDGER_INTERVAL_RUNNING,
	LEDGER_INTERVAL_RUNNABLE,
	LEDGER_INTERVAL_WAITING, /* blocked or idle */
	LEDGER_INTERVALS,
};

struct ledger_cell {
	uint64_t ns, count, max_ns;
};

/* What ended a wait. An interrupt is not attributed to the interrupted thread. */
enum ledger_waker {
	LEDGER_WAKER_THREAD, /* other_tid */
	LEDGER_WAKER_TIMER,
	LEDGER_WAKER_IRQ,     /* other_tid is the interrupt's number */
	LEDGER_WAKER_SOFTIRQ, /* other_tid is the vector: 3 = network receive, … */
};

enum ledger_relation {
	LEDGER_WOKEN_BY,
	LEDGER_RELEASED_BY, /* woken by FUTEX_WAKE on the lock */
	LEDGER_HELD_BY,	    /* the owner in the lock when the wait began */
	LEDGER_RAN_INSTEAD, /* ran meanwhile on the CPU that the waiter got */
};

#define LEDGER_MINOR_BITS 20 /* of a device's number; the major number is above */

struct ledger_edge_key {
	uint64_t lock; /* address of the lock in the waiter's process; 0 = none */
	uint32_t waiter_tid, other_tid;
	uint32_t device;  /* waited for, as the kernel numbers them: LEDGER_MINOR_BITS; 0 = none */
	uint8_t relation; /* enum ledger_relation */
	uint8_t waker;	  /* enum ledger_waker: what other_tid is */
	uint8_t account;  /* of the wait */
	uint8_t lock_flags; /* LOCK_MMAP, LOCK_SIGNALS (event/lock_wait.h): which of the kernel */
};

struct ledger_edge {
	struct ledger_cell wait;
	uint64_t owner_ns[LEDGER_ACCOUNTS]; /* HELD_BY: what the owner did meanwhile */
	uint32_t other_tgid;
	char other_comm[16];
	uint32_t unused;
};

/* One interval: key.waiter_tid was on key.account for ns. The rest of the key is what ended the
 * wait, or ran instead. */
struct ledger_span {
	struct ledger_edge_key key;
	uint64_t start_ns, ns;
};

/* That a thread of a process waits for a lock of the program: sent once for each lock, while the
 * process is there, so that the lock's name can be found. */
struct ledger_lock {
	uint64_t address;
	uint32_t tgid, tid;
};

/* A question about the code at an address in which threads of a process wait: 0 = whether the
 * process has such code at all. */
struct ledger_code {
	uint64_t pc;
	uint32_t tgid;
	uint32_t unused[3];
};

/* A thread, as handed out when it ends or when the recording does. */
struct ledger_thread {
	uint32_t tid, tgid;
	char comm[16];
	uint64_t born_ns;	     /* since when it is watched */
	uint64_t end_ns;	     /* 0 = still alive */
	uint64_t user_ns, system_ns; /* CPU time by the kernel's own account, since born_ns, */
	uint64_t user_start_ns, system_start_ns; /* when these were so much */
	uint64_t since_ns;			 /* of the account that is open */
	uint32_t account;
	uint32_t pid_ns; /* its PID namespace's number when it was met; 0 = not known */
	struct ledger_cell cell[LEDGER_ACCOUNTS];
	struct ledger_cell event[LEDGER_EVENTS]; /* cell[LEDGER_CONDITION] by what it was for */
	uint32_t event_kind;			 /* enum ledger_event, of the wait that is on */
	uint32_t unused;
	uint32_t histogram[LEDGER_INTERVALS][LEDGER_BUCKETS];
};

struct ledger_counts {
	uint64_t lost_threads; /* ended without a place to put their ledger */
	uint64_t lost_edges;
	uint64_t lost_spans;
	uint64_t untracked; /* threads that could not be given a ledger */
};

#endif
