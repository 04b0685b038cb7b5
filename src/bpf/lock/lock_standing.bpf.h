/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks of programs that are on when watching begins. A program that may sleep reads the
 * memory of each waiting thread (Linux 5.18), after on_switch and on_waking are attached and all
 * threads are known. Include it after what it opens waits with. */
#ifndef BPF_LOCK_STANDING_BPF_H
#define BPF_LOCK_STANDING_BPF_H

#include "bpf/lock/lock_stack.bpf.h"
#include "bpf/lock/lock_thread.bpf.h"
#include "bpf/wait/standing_wait.bpf.h"

#define STANDING_STACK_BYTES 16384u

/* Pages of the stack from the stack pointer on. */
static __always_inline void copy_standing_stack(struct cpu_memory *memory, struct task_struct *task)
{
	struct raw_copy *copy = &memory->copy;

	copy->from = ARCH_SP(&memory->regs);
	copy->at = put_raw_payload(memory, 0);
	copy->done = copy->skip = 0;
	for (__u32 i = 0; i <= STANDING_STACK_BYTES / 4096; i++) {
		__u64 place = copy->at + copy->done, from = copy->from + copy->done;
		__u64 len = 4096 - (from & 4095);

		UNWIND_OPAQUE(place);
		UNWIND_OPAQUE(len);
		place &= STACK_ROOM - 1;
		len &= 8191;
		if (len > 4096 ||
		    bpf_copy_from_user_task(memory->raw.rest + place, len, (void *)from, task, 0))
			break;
		copy->done += len;
	}
}

/* The stack of a thread that sleeps goes up to be unwound. */
static __always_inline void send_standing_stack(struct task_struct *task, struct thread *thread,
						struct cpu_memory *memory, __u64 now_ns)
{
	struct lock_sum_key *key = &thread->open[OPEN_USER].key;
	const struct sample_facts facts = { .id = wait_id };
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 number = __sync_fetch_and_add(&numbers, 1) + 1;

	if (!ring || bpf_probe_read_kernel(&memory->regs, sizeof(memory->regs),
					   (void *)bpf_task_pt_regs(task)))
		return;
	memory->out.head.time_ns = now_ns;
	memory->out.head.pid = thread->pid;
	memory->out.head.tid = thread->tid;
	memory->out.head.base = 0;
	memory->out.head.flags = arch_in_syscall(&memory->regs) ? CPU_IN_SYSCALL : 0;
	memory->walk.stop = WALK_HANDED_UP;
	if (!may_send_raw(ring, memory, now_ns))
		return;
	memory->payload[1] = number;
	put_payload(memory, 8);
	copy_standing_stack(memory, task);
	if (memory->copy.done && !send_copied(ring, memory, 0, &facts)) {
		key->stack = number;
		key->flags |= LOCK_RAW_STACK;
	}
}

/* Read once at the start, behind `begin`. */
SEC("iter.s/task")
int begin_waits(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread = task ? thread_of(task) : NULL;
	struct futex_wait wait = { 0 };
	struct cpu_memory *memory;
	struct lock_open *open;
	__u64 now_ns = lock_now();
	__u32 account, owner, place;
	int slot;

	if (!thread || !thread->watched || !task->mm ||
	    (thread->account != LEDGER_LOCK && thread->account != LEDGER_CONDITION))
		return 0;
	open = &thread->open[OPEN_USER];
	if (open->since_ns)
		return 0;
	account = standing_wait_account(task, &wait);
	if (account == LEDGER_LOCK || account == LEDGER_CONDITION)
		note_lock(thread, &wait);
	/* Nearly all threads of a machine wait for something to do. */
	if (account != LEDGER_LOCK && (account != LEDGER_CONDITION || everybody))
		return 0;
	owner = open->key.holder_tid;
	open_user_wait(thread, open, now_ns);
	open->key.flags = LOCK_STANDING;
	(void)begin_holder(thread, open, owner);
	slot = take_slot();
	place = (__u32)slot;
	memory = slot < 0 ? NULL : bpf_map_lookup_elem(&memories, &place);
	if (memory && with_user)
		send_standing_stack(task, thread, memory, now_ns);
	if (slot >= 0)
		leave_slot(place);
	/* It may have been woken meanwhile. */
	if (thread->account > LEDGER_PREEMPTED)
		thread->account = account;
	else
		open->since_ns = 0;
	return 0;
}

#endif
