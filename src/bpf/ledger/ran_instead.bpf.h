/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads that ran while a thread waited for its CPU: each CPU remembers its last turns, and a
 * wait is divided among the turns it overlaps. */
#ifndef BPF_RAN_INSTEAD_BPF_H
#define BPF_RAN_INSTEAD_BPF_H

#include "bpf/ledger/ledger_account.bpf.h"
#include "bpf/loop.bpf.h"

#define TURNS 64u /* a power of two */

/* A thread's turn, which began when the one before it ended. */
struct turn {
	__u64 end_ns;
	__u32 tid, tgid;
	char comm[16];
};

struct turns {
	__u64 count;
	struct turn turn[TURNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct turns);
} turns_of_cpu SEC(".maps");

static __always_inline struct turn *turn_at(struct turns *turns, __u64 place)
{
	__asm__ volatile("" : "+r"(place)); /* the verifier is to see the mask */
	return &turns->turn[place & (TURNS - 1)];
}

static __always_inline void end_turn(struct task_struct *task, __u64 now_ns)
{
	__u32 zero = 0;
	struct turns *turns = bpf_map_lookup_elem(&turns_of_cpu, &zero);
	struct turn *turn;

	if (!turns)
		return;
	turn = turn_at(turns, turns->count++);
	turn->end_ns = now_ns;
	turn->tid = (__u32)task->pid;
	turn->tgid = (__u32)task->tgid;
	__builtin_memcpy(turn->comm, task->comm, sizeof(turn->comm));
}

struct split {
	struct thread *thread;
	struct turns *turns;
	__u64 since_ns; /* of the wait */
	__u64 account;
};

/* One turn, from the latest backwards; 1 = the wait began in it, or after it. */
static long split_turn(__u32 index, struct split *split)
{
	struct ledger_edge_key key = { .relation = LEDGER_RAN_INSTEAD };
	struct thread *thread = split->thread;
	struct turns *turns = split->turns;
	struct pending_edge *pending;
	struct turn *turn;
	__u64 began_ns;

	if (!thread || !turns)
		return 1;
	turn = turn_at(turns, turns->count - 1 - index);
	began_ns = turn_at(turns, turns->count - 2 - index)->end_ns;
	if (began_ns < split->since_ns)
		began_ns = split->since_ns;
	if (turn->end_ns <= began_ns)
		return 1;
	/* If the CPU was idle, nothing ran instead: the time is its wakeup latency. */
	if (turn->tid) {
		key.account = (__u8)split->account;
		key.waiter_tid = thread->ledger.tid;
		key.other_tid = turn->tid;
		pending = &thread->by_runner;
		if (add_edge(pending, &key, turn->end_ns - began_ns)) {
			pending->other_tgid = turn->tgid;
			__builtin_memcpy(pending->other_comm, turn->comm,
					 sizeof(pending->other_comm));
		}
	}
	return turn_over(began_ns <= split->since_ns);
}

/* The thread gets this CPU, after a wait for it. */
static __noinline int split_wait(struct thread *thread, __u64 since_ns, __u32 account)
{
	__u32 zero = 0;
	struct split split = { thread, bpf_map_lookup_elem(&turns_of_cpu, &zero), since_ns,
			       account };

	LOOP(TURNS - 1, split_turn, &split);
	return 0;
}

#endif
