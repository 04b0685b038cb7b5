/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel part of ledgers: a thread's accounts in its task storage, and the edges between
 * threads that waited and whatever ended the waiting. */
#ifndef BPF_LEDGER_ACCOUNT_BPF_H
#define BPF_LEDGER_ACCOUNT_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"
#include "bpf/log2.h"
#include "bpf/wait/handover.bpf.h"

#include "event/ledger_account.h"

#include <bpf/bpf_helpers.h>

/* The edge that was added to last, kept at the thread: the same one again costs no map lookup. */
struct pending_edge {
	struct ledger_edge_key key;
	struct ledger_cell cell;
	__u32 other_tgid;
	char other_comm[16];
};

/* When a thread got a lock, or let it go, and what it had done until then. */
struct lock_hold_note {
	__u64 lock, at_ns;
	__u64 did_ns[LEDGER_ACCOUNTS];
};

/* What a thread carries besides its ledger. */
struct thread {
	struct ledger_thread ledger; /* first */
	struct pending_edge by_waker, by_runner;
	/* The wait that is on: its futex or kernel lock, the thread that holds it (0 = not known),
	 * and what that thread's ledger said when the wait began. */
	__u64 lock;
	__u64 told_lock; /* the last one that user space knows of */
	__u32 owner_tid, lock_account;
	__u64 owner_ns[LEDGER_ACCOUNTS];
	struct lock_hold_note took, let_go;
	__u64 kernel_lock; /* that it is about to sleep for; 0 = none */
	__u64 ran_ns;	   /* in its life, when it left the CPU */
	__u64 counter;	   /* struct futex_wait */
	struct work work;
	/* Waits on a condition that ended by time, each soon after the one before. */
	struct ledger_cell slices;
	/* Waits that a working thread ended before this thread was known to take turns. */
	struct ledger_cell pending;
	__u32 kernel_lock_flags;
	__u32 device;			  /* of the file it waits for; 0 = not known */
	__u8 lock_flags;		  /* of the kernel's lock */
	__u8 slices_event, pending_event; /* enum ledger_event: of those cells */
	bool ring;			  /* it waits for requests of a ring */
	bool begun;			  /* the recorder has let the program begin */
	bool exiting;			  /* it has begun to end */
	bool taken;			  /* its ledger was handed out at the end of watching */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* preallocated: no allocation during a switch */
	__type(key, struct ledger_edge_key);
	__type(value, struct ledger_edge);
} edges SEC(".maps");

/* Ledgers of threads that ended, and locks. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ended SEC(".maps");

struct ledger_counts counts;

static __always_inline struct thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

const volatile __u32 interval_unit_ns = 1; /* of histograms */

static __always_inline void count_interval(struct ledger_thread *ledger, __u32 account, __u64 ns)
{
	__u64 bucket = log2_of(interval_unit_ns > 1 ? ns / interval_unit_ns : ns);
	__u32 *histogram = account == LEDGER_RUNNING ? ledger->histogram[LEDGER_INTERVAL_RUNNING]
			   : account <= LEDGER_PREEMPTED
				   ? ledger->histogram[LEDGER_INTERVAL_RUNNABLE]
				   : ledger->histogram[LEDGER_INTERVAL_WAITING];

	/* In one register from the check to the use: the verifier of 6.1 forgets the bound of a
	 * copy. */
	__asm__ volatile("" : "+r"(bucket));
	if (bucket > LEDGER_BUCKETS - 1)
		bucket = LEDGER_BUCKETS - 1;
	__asm__ volatile("" : "+r"(bucket));
	histogram[bucket]++;
}

static __always_inline void add_cell(struct ledger_cell *cell, const struct ledger_cell *more)
{
	cell->ns += more->ns;
	cell->count += more->count;
	if (more->max_ns > cell->max_ns)
		cell->max_ns = more->max_ns;
}

static __always_inline struct ledger_cell *event_cell(struct ledger_thread *ledger, __u64 event)
{
	__asm__ volatile("" : "+r"(event)); /* the verifier is to see the mask */
	return &ledger->event[event & (LEDGER_EVENTS - 1)];
}

/* Charges the time since the last change to the open account, and opens another. */
static __always_inline __u64 charge(struct thread *thread, __u32 account, __u64 now_ns)
{
	struct ledger_thread *ledger = &thread->ledger;
	__u32 open = ledger->account;
	__u64 ns = now_ns - ledger->since_ns;

	if (open < LEDGER_ACCOUNTS) {
		const struct ledger_cell one = { ns, 1, ns };

		add_cell(&ledger->cell[open], &one);
		if (open == LEDGER_CONDITION)
			add_cell(event_cell(ledger, ledger->event_kind), &one);
		count_interval(ledger, open, ns);
	}
	ledger->account = account;
	ledger->since_ns = now_ns;
	return ns;
}

static __always_inline struct ledger_edge *edge_of(const struct ledger_edge_key *key)
{
	static const struct ledger_edge none;
	struct ledger_edge *edge = bpf_map_lookup_elem(&edges, key);

	if (edge)
		return edge;
	(void)bpf_map_update_elem(&edges, key, &none, BPF_NOEXIST);
	edge = bpf_map_lookup_elem(&edges, key);
	if (!edge)
		__sync_fetch_and_add(&counts.lost_edges, 1);
	return edge;
}

static __always_inline void flush_edge(struct pending_edge *pending)
{
	struct ledger_edge *edge;

	if (!pending->cell.count)
		return;
	edge = edge_of(&pending->key);
	if (edge) {
		add_cell(&edge->wait, &pending->cell);
		edge->other_tgid = pending->other_tgid;
		__builtin_memcpy(edge->other_comm, pending->other_comm, sizeof(edge->other_comm));
	}
	__builtin_memset(&pending->cell, 0, sizeof(pending->cell));
}

/* Books a wait of ns, ended by key->other_tid. True if that thread's name is not set yet. Not
 * inlined, because clang 14 then drops the copy of the key. */
static __noinline bool add_edge(struct pending_edge *pending, const struct ledger_edge_key *key,
				__u64 ns)
{
	const struct ledger_edge_key *last = &pending->key;
	struct ledger_cell one = { ns, 1, ns };
	bool same = last->other_tid == key->other_tid && last->lock == key->lock &&
		    last->relation == key->relation && last->waker == key->waker &&
		    last->account == key->account && last->device == key->device &&
		    last->lock_flags == key->lock_flags;

	if (!same) {
		flush_edge(pending);
		pending->key = *key;
	}
	add_cell(&pending->cell, &one);
	return !same;
}

#endif
