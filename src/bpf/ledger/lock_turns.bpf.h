/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that hold a lock in turn while another one waits for it. Who lets a lock go for which
 * others wait wakes one of them: the last such times of each lock are kept, and a wait is divided
 * at them. */
#ifndef BPF_LEDGER_LOCK_TURNS_BPF_H
#define BPF_LEDGER_LOCK_TURNS_BPF_H

#include "bpf/ledger/ledger_account.bpf.h"
#include "bpf/ledger/lock_holder.bpf.h"
#include "bpf/ledger/told_lock.bpf.h"
#include "bpf/subprogram.bpf.h"

#define LOCK_TURNS 8u	 /* kept of a lock; a power of two */
#define SAME_TURN  20000 /* ns: one call that wakes several */

struct lock_turn {
	__u64 at_ns; /* when the thread let the lock go */
	__u64 tid;
};

struct lock_turns {
	__u64 next;
	struct lock_turn item[LOCK_TURNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct told_lock);
	__type(value, struct lock_turns);
} lock_turns SEC(".maps");

/* A part of a wait for a lock, and who held it then. */
struct lock_part {
	__u64 from_ns, to_ns;
	__u64 tid; /* 0 = several threads */
};

/* What a thread had done when it got a lock, or let it go. */
SUBPROGRAM int note_hold(struct thread *thread, struct lock_hold_note *note, __u64 lock,
			 __u64 now_ns)
{
	__u64 open;

	if (!thread || !note)
		return 0;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++)
		note->did_ns[i] = thread->ledger.cell[i].ns;
	open = thread->ledger.account;
	__asm__ volatile("" : "+r"(open));
	if (open < LEDGER_ACCOUNTS && now_ns > thread->ledger.since_ns)
		note->did_ns[open] += now_ns - thread->ledger.since_ns;
	note->lock = lock;
	note->at_ns = now_ns;
	return 0;
}

/* What the holder did in its part, if it is known for the whole of it. */
SUBPROGRAM int add_turn_doings(struct thread *waiter, struct thread *holder,
			       struct ledger_edge *edge, struct lock_part *part)
{
	bool first;

	if (!waiter || !holder || !edge || !part)
		return 0;
	first = part->from_ns == waiter->ledger.since_ns && part->tid == waiter->owner_tid;
	if (holder->let_go.lock != waiter->lock || holder->let_go.at_ns != part->to_ns)
		return 0;
	if (!first && (holder->took.lock != waiter->lock || holder->took.at_ns < part->from_ns ||
		       holder->took.at_ns > part->to_ns))
		return 0;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		__u64 before = first ? waiter->owner_ns[i] : holder->took.did_ns[i];
		__s64 did_ns = (__s64)(holder->let_go.did_ns[i] - before);

		if (did_ns > 0)
			edge->owner_ns[i] += (__u64)did_ns;
	}
	return 0;
}

SUBPROGRAM int end_turn_part(struct thread *thread, struct lock_part *part)
{
	struct ledger_edge_key key = { .relation = LEDGER_HELD_BY };
	struct ledger_cell one = { 0 };
	struct ledger_edge *edge;
	struct task_struct *task;
	struct thread *holder;

	if (!thread || !part || part->to_ns <= part->from_ns || !bpf_task_from_pid ||
	    !bpf_task_release)
		return 0;
	one.ns = one.max_ns = part->to_ns - part->from_ns;
	one.count = 1;
	key.lock = thread->lock;
	key.waiter_tid = thread->ledger.tid;
	key.other_tid = (__u32)part->tid;
	key.account = (__u8)thread->lock_account;
	edge = edge_of(&key);
	if (!edge)
		return 0;
	add_cell(&edge->wait, &one);
	task = part->tid ? bpf_task_from_pid((__s32)part->tid) : NULL;
	if (!task)
		return 0;
	edge->other_tgid = (__u32)task->tgid;
	__builtin_memcpy(edge->other_comm, task->comm, sizeof(edge->other_comm));
	holder = bpf_task_storage_get(&threads, task, NULL, 0);
	if (holder)
		(void)add_turn_doings(thread, holder, edge, part);
	bpf_task_release(task);
	return 0;
}

/* The last turn is that of the thread which wakes the waiter now. 0 if that is the only one. */
SUBPROGRAM int divide_wait(struct thread *thread, struct lock_turns *turns, __u64 tid, __u64 now_ns)
{
	struct lock_part part = { .to_ns = now_ns, .tid = tid };
	__u64 since_ns, at;

	if (!thread || !turns)
		return 0;
	since_ns = thread->ledger.since_ns;
	at = turns->next - 1;
	if (turns->item[at & (LOCK_TURNS - 1)].at_ns <= since_ns)
		return 0;
	for (__u32 i = 0; i < LOCK_TURNS; i++) {
		__u64 place = (at - i) & (LOCK_TURNS - 1);
		struct lock_turn *turn;

		__asm__ volatile("" : "+r"(place));
		turn = &turns->item[place & (LOCK_TURNS - 1)];
		part.from_ns = turn->at_ns > since_ns ? turn->at_ns : since_ns;
		(void)end_turn_part(thread, &part);
		if (turn->at_ns <= since_ns)
			return 1;
		part.to_ns = turn->at_ns;
		part.tid = turn->tid;
	}
	part.from_ns = since_ns; /* earlier ones are not kept */
	part.tid = 0;
	(void)end_turn_part(thread, &part);
	return 1;
}

/* The current thread releases the lock of a thread that waits, since its account was opened.
 * Returns whether the wait is divided among its holders. */
static __noinline int take_turn(struct thread *thread, __u64 tid, __u64 now_ns)
{
	static const struct lock_turns none;
	struct thread *self = thread_of(bpf_get_current_task_btf());
	struct told_lock key = { 0 };
	struct lock_turns *turns;
	struct lock_turn *turn;
	__u64 last, place;
	int divided;

	if (!thread || !bpf_task_from_pid || !bpf_task_release)
		return 0;
	key.lock = thread->lock;
	key.tgid = thread->ledger.tgid;
	turns = bpf_map_lookup_elem(&lock_turns, &key);
	if (!turns) {
		(void)bpf_map_update_elem(&lock_turns, &key, &none, BPF_NOEXIST);
		turns = bpf_map_lookup_elem(&lock_turns, &key);
	}
	if (!turns)
		return 0;
	if (self) {
		/* It took the lock again without a wait. */
		if (self->let_go.lock == thread->lock && self->let_go.at_ns > self->took.at_ns)
			self->took = self->let_go;
		(void)note_hold(self, &self->let_go, thread->lock, now_ns);
	}
	divided = divide_wait(thread, turns, tid, now_ns);
	last = (turns->next - 1) & (LOCK_TURNS - 1);
	__asm__ volatile("" : "+r"(last));
	turn = &turns->item[last & (LOCK_TURNS - 1)];
	if (turn->tid == tid && now_ns - turn->at_ns < SAME_TURN)
		return divided;
	place = turns->next++;
	__asm__ volatile("" : "+r"(place));
	turn = &turns->item[place & (LOCK_TURNS - 1)];
	turn->at_ns = now_ns;
	turn->tid = tid;
	return divided;
}

#endif
