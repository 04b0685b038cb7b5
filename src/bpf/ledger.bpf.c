/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger's kernel part: assigns every nanosecond of the observed threads to an account in the
 * kernel, so that only sums leave it. Attached to scheduler events (tp_btf); a thread's ledger is
 * in its task storage. The reason for blocking is found from the state of the thread when it leaves
 * the CPU: the system call in its saved registers, the kind of file, the futex word, the kernel's
 * I/O-wait flag. No event per system call is needed.
 *
 * Parts: ledger_account.bpf.h adds the time since the last change to an account and keeps edges
 * between waiting threads and the cause of their wakeup. block_reason.bpf.h finds the reason of a
 * wait, with waited_file.bpf.h, futex.bpf.h, wait_code.bpf.h, kernel_lock.bpf.h, lock_holder.bpf.h
 * and block_device.bpf.h for files, locks, lock holders and disks. interrupts.bpf.h separates
 * interrupts from the interrupted thread. ledger_span.bpf.h sends intervals for a timeline.
 * event/ledger_account.h is shared with user space. */
#include <stdbool.h>

#include "bpf/kernel.h"

#include "event/ledger_account.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "bpf/ledger/lock_holder.bpf.h"

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/targets.bpf.h"
#include "bpf/wait/block_reason.bpf.h"
#include "bpf/wait/interrupts.bpf.h"

#include "bpf/ledger/block_device.bpf.h"
#include "bpf/ledger/idle.bpf.h"
#include "bpf/ledger/ledger_span.bpf.h"
#include "bpf/ledger/lock_turns.bpf.h"
#include "bpf/ledger/ran_instead.bpf.h"
#include "bpf/ledger/told_lock.bpf.h"
#include "bpf/ledger/wait_code.bpf.h"
#include "bpf/lock/lock_kernel.bpf.h"
#include "bpf/wait/kernel_lock.bpf.h"
#include "bpf/wait/turn.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile bool everybody; /* watch all threads */

__u32 recorder;	  /* the process that reads the ledgers */
__u64 stopped_ns; /* when watching ended; 0 = not yet */
__u32 exiting;	  /* threads that have ended and not yet sent their ledger */

/* What changes without an event is taken when the ledger is handed out. */
static __always_inline void complete(struct ledger_thread *ledger, struct task_struct *task)
{
	ledger->user_ns = task->utime - ledger->user_start_ns;
	ledger->system_ns = task->stime - ledger->system_start_ns;
	__builtin_memcpy(ledger->comm, task->comm, sizeof(ledger->comm));
}

static __always_inline void end_exit(struct thread *thread)
{
	if (thread->exiting)
		__sync_fetch_and_add(&exiting, (__u32)-1);
	thread->exiting = false;
}

static __always_inline void end_thread(struct thread *thread, struct task_struct *task,
				       __u64 now_ns)
{
	flush_edge(&thread->by_waker);
	flush_edge(&thread->by_runner);
	thread->ledger.end_ns = now_ns;
	complete(&thread->ledger, task);
	if (bpf_ringbuf_output(&ended, &thread->ledger, sizeof(thread->ledger), 0))
		__sync_fetch_and_add(&counts.lost_threads, 1);
	thread->ledger.account = LEDGER_ACCOUNTS; /* nothing is open any more */
	end_exit(thread);
}

static __always_inline void begin_kernel_lock(struct thread *thread, struct task_struct *task)
{
	__u32 owner = kernel_lock_owner(thread);

	thread->lock = thread->kernel_lock;
	thread->lock_flags = known_lock(task, thread->lock);
	if (owner)
		(void)begin_held(thread, owner, LEDGER_KERNEL_LOCK);
}

/* A thread that was not seen to get the CPU which it leaves has been running all the same. */
static __noinline int make_up(struct thread *thread, __u64 began_ns)
{
	struct ledger_edge_key key = { 0 };

	if (!thread || !began_ns)
		return 0;
	key.waiter_tid = thread->ledger.tid;
	key.account = (__u8)thread->ledger.account;
	emit_span(&key, began_ns, charge(thread, LEDGER_RUNNING, began_ns));
	return 0;
}

/* A thread that waits for so short a time slice after slice has not worked in between. */
#define SLICE_GAP_NS 1000000u

/* Waits for a lock with a limit of time, as for Python's, are one wait: when it is known at last
 * what it was for, all slices are. */
static __noinline int move_from_idle(struct thread *thread, struct ledger_cell *waits, __u32 event)
{
	struct ledger_cell *idle, *of_event;

	if (!thread || !waits)
		return 0;
	idle = &thread->ledger.cell[LEDGER_CONDITION];
	idle->ns -= waits->ns;
	idle->count -= waits->count;
	of_event = event_cell(&thread->ledger, event);
	of_event->ns -= waits->ns < of_event->ns ? waits->ns : of_event->ns;
	of_event->count -= waits->count < of_event->count ? waits->count : of_event->count;
	add_cell(&thread->ledger.cell[LEDGER_THREAD], waits);
	__builtin_memset(waits, 0, sizeof(*waits));
	return 0;
}

static __always_inline void leave(struct task_struct *task, bool preempt, __u64 now_ns)
{
	struct thread *thread = thread_of(task);
	struct ledger_edge_key key = { 0 };
	unsigned int state;
	__u32 account;

	if (!thread)
		return;
	if (thread->ledger.account != LEDGER_RUNNING)
		(void)make_up(thread,
			      turn_began(task, thread->ran_ns, thread->ledger.since_ns, now_ns));
	thread->ran_ns = task->se.sum_exec_runtime;
	state = preempt ? TASK_RUNNING : task_state(task);
	thread->owner_tid = thread->device = 0;
	thread->lock = 0;
	thread->lock_flags = 0;
	thread->ring = false;
	account = state == TASK_RUNNING ? runnable_account(task, LEDGER_PREEMPTED)
		  : state & TASK_DEAD	? LEDGER_OTHER
					: blocked_account(task, thread, state);
	if (account == LEDGER_CONDITION && thread->lock)
		account = (__u32)wait_code_account(task);
	if (account != LEDGER_CONDITION || now_ns - thread->ledger.since_ns > SLICE_GAP_NS)
		thread->slices.ns = thread->slices.count = thread->slices.max_ns = 0;
	if (account == LEDGER_KERNEL_LOCK)
		begin_kernel_lock(thread, task);
	else if (thread->lock && thread->lock != thread->told_lock)
		(void)tell_lock(thread);
	if (account == LEDGER_DISK)
		thread->device = device_of_file(task);
	key.waiter_tid = thread->ledger.tid;
	key.account = (__u8)thread->ledger.account;
	emit_span(&key, now_ns, charge(thread, account, now_ns));
	if (state & TASK_DEAD)
		end_thread(thread, task, now_ns);
}

/* A runnable thread gets the CPU that prev had until now. */
static __always_inline void arrive(struct task_struct *task, struct task_struct *prev, __u64 now_ns)
{
	struct thread *thread = thread_of(task);
	struct ledger_edge_key key = { .relation = LEDGER_RAN_INSTEAD };
	__u64 since_ns, ns;

	if (!thread || thread->ledger.account >= LEDGER_ACCOUNTS)
		return;
	key.account = (__u8)thread->ledger.account;
	since_ns = thread->ledger.since_ns;
	ns = charge(thread, LEDGER_RUNNING, now_ns);
	key.waiter_tid = thread->ledger.tid;
	key.other_tid = key.account <= LEDGER_PREEMPTED ? (__u32)prev->pid : 0;
	emit_span(&key, now_ns, ns);
	/* It has been woken for a lock. */
	if (key.account == LEDGER_WOKEN && thread->owner_tid && thread->lock_account == LEDGER_LOCK)
		(void)note_hold(thread, &thread->took, thread->lock, now_ns);
	if (key.account <= LEDGER_PREEMPTED)
		(void)split_wait(thread, since_ns, key.account);
}

/* A wait for a lock that is on at the end, perhaps for ever. */
static __always_inline void emit_open_wait(struct thread *thread)
{
	if (stopped_ns > thread->ledger.since_ns && thread->owner_tid &&
	    is_lock(thread->ledger.account))
		(void)end_held(thread, stopped_ns - thread->ledger.since_ns);
}

/* A thread that ends between the end of watching and the reading of the living ones, as when a
 * terminal interrupts both programs at once: its ledger is that of the end of watching. */
static __noinline int end_late(struct task_struct *task)
{
	struct thread *thread;

	if (!task)
		return 0;
	thread = thread_of(task);
	if (!thread || thread->ledger.account >= LEDGER_ACCOUNTS)
		return 0;
	if (thread->taken) {
		end_exit(thread);
		return 0;
	}
	thread->taken = true;
	emit_open_wait(thread);
	if (stopped_ns > thread->ledger.since_ns)
		(void)charge(thread, LEDGER_OTHER, stopped_ns);
	end_thread(thread, task, stopped_ns);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct interrupts *here = interrupts_here();
	__u64 now_ns = bpf_ktime_get_ns();

	if (stopped_ns) {
		if (!preempt && task_state(prev) & TASK_DEAD)
			(void)end_late(prev);
		return 0;
	}
	/* No interrupt is served across a switch: an end that was missed, because programs do not
	 * interrupt themselves, is made up for here. */
	if (here) {
		here->timers = here->irqs = here->in_softirq = 0;
		here->turn++;
	}
	end_turn(prev, now_ns);
	leave(prev, preempt, now_ns);
	arrive(next, prev, now_ns);
	if (with_idle && !prev->pid)
		book_idle(LEDGER_POLL, now_ns);
	if (with_idle && !next->pid)
		book_idle(LEDGER_RUNNING, now_ns);
	return 0;
}

/* What a wait on a condition was for. A slice of one is kept until the wait ends. */
static __always_inline __u32 end_condition(struct thread *thread, struct task_struct *task,
					   __u32 waker_kind, bool slice, __u64 now_ns)
{
	__u64 ns = now_ns - thread->ledger.since_ns;
	struct ledger_cell one = { ns, 1, ns };
	struct thread *waker;
	__u32 account;

	if (slice) {
		add_cell(&thread->slices, &one);
		thread->slices_event = (__u8)thread->ledger.event_kind;
	}
	if (waker_kind != LEDGER_WAKER_THREAD)
		return LEDGER_CONDITION;
	waker = thread_of(bpf_get_current_task_btf());
	account = condition_account(task, &thread->work, waker ? &waker->work : NULL,
				    thread->ledger.since_ns);
	if (account == LEDGER_THREAD) {
		(void)move_from_idle(thread, &thread->slices, thread->slices_event);
	} else if (thread->work.handed) {
		add_cell(&thread->pending, &one);
		add_cell(&thread->pending, &thread->slices);
		thread->pending_event = (__u8)thread->ledger.event_kind;
		__builtin_memset(&thread->slices, 0, sizeof(thread->slices));
	}
	if (waker && waker->pending.count && takes_turns(&waker->work))
		(void)move_from_idle(waker, &waker->pending, waker->pending_event);
	return account;
}

/* The program waits in a pipe until the recorder lets it begin: its ledger begins here. */
static __noinline int restart(struct thread *thread, struct task_struct *task, __u64 now_ns)
{
	struct ledger_thread *ledger;

	if (!thread || !task)
		return 0;
	ledger = &thread->ledger;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++)
		ledger->cell[i].ns = ledger->cell[i].count = ledger->cell[i].max_ns = 0;
	for (int i = 0; i < LEDGER_EVENTS; i++)
		ledger->event[i].ns = ledger->event[i].count = ledger->event[i].max_ns = 0;
	for (int i = 0; i < LEDGER_BUCKETS; i++)
		ledger->histogram[LEDGER_INTERVAL_RUNNING][i] =
			ledger->histogram[LEDGER_INTERVAL_RUNNABLE][i] =
				ledger->histogram[LEDGER_INTERVAL_WAITING][i] = 0;
	ledger->born_ns = ledger->since_ns = now_ns;
	ledger->user_start_ns = task->utime;
	ledger->system_start_ns = task->stime;
	ledger->account = LEDGER_WOKEN;
	thread->begun = true;
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *thread = thread_of(task);
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct ledger_edge_key key = { 0 };
	struct pending_edge *pending;
	__u64 now_ns, ns;
	bool by_thread, slice, divided = false;
	__u32 account;

	if (!thread || stopped_ns)
		return 0;
	account = thread->ledger.account;
	/* Awake already: it has not left the CPU yet, or another waker was first. */
	if (account <= LEDGER_PREEMPTED || account >= LEDGER_ACCOUNTS)
		return 0;
	if (thread->ring)
		thread->ledger.account = account = ring_account();
	now_ns = bpf_ktime_get_ns();
	find_waker(&key, (__u32)pid_tgid);
	by_thread = key.waker == LEDGER_WAKER_THREAD;
	if (by_thread && pid_tgid >> 32 == recorder && account == LEDGER_PIPE && !thread->begun)
		return restart(thread, task, now_ns);
	slice = is_slice(account, key.waker, now_ns - thread->ledger.since_ns);
	if (account == LEDGER_CONDITION)
		thread->ledger.account = account =
			end_condition(thread, task, key.waker, slice, now_ns);
	resume_work(&thread->work, account, slice, now_ns);
	/* Before the account is closed: its beginning is that of the wait. */
	if (account == LEDGER_LOCK && by_thread && thread->owner_tid && !is_signalled(task))
		divided = take_turn(thread, (__u32)pid_tgid, now_ns);
	ns = charge(thread, runnable_account(task, LEDGER_WOKEN), now_ns);
	key.waiter_tid = thread->ledger.tid;
	key.account = (__u8)account;
	if (account == LEDGER_DISK || account == LEDGER_PAGE_FAULT)
		key.device = device_waited_for(now_ns, ns) ?: thread->device;
	key.lock = is_lock(account) || account == LEDGER_CONDITION ? thread->lock : 0;
	key.lock_flags = thread->lock_flags;
	key.relation = is_lock(account) ? LEDGER_RELEASED_BY : LEDGER_WOKEN_BY;
	if (thread->owner_tid) {
		key.relation = LEDGER_HELD_BY;
		key.waker = LEDGER_WAKER_THREAD;
		key.other_tid = thread->owner_tid;
		emit_span(&key, now_ns, ns);
		if (!divided)
			(void)end_held(thread, ns);
		return 0;
	}
	emit_span(&key, now_ns, ns);
	pending = &thread->by_waker;
	if (add_edge(pending, &key, ns)) {
		pending->other_tgid = by_thread ? (__u32)(pid_tgid >> 32) : 0;
		__builtin_memset(pending->other_comm, 0, sizeof(pending->other_comm));
		if (by_thread)
			(void)bpf_get_current_comm(pending->other_comm,
						   sizeof(pending->other_comm));
	}
	return 0;
}

static __always_inline void watch(struct task_struct *task, __u32 account)
{
	struct thread *thread =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread) {
		__sync_fetch_and_add(&counts.untracked, 1);
		return;
	}
	if (thread->ledger.tid)
		return; /* it was met by another way */
	thread->ledger.tid = (__u32)task->pid;
	thread->ledger.tgid = (__u32)task->tgid;
	thread->ledger.born_ns = thread->ledger.since_ns = bpf_ktime_get_ns();
	thread->ledger.user_start_ns = task->utime;
	thread->ledger.system_start_ns = task->stime;
	thread->ran_ns = task->se.sum_exec_runtime;
	thread->ledger.account = account;
	thread->ledger.pid_ns = BPF_CORE_READ(task, nsproxy, pid_ns_for_children, ns.inum);
}

/* From here to its last switch a thread may be preempted, for long on a busy machine. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct thread *thread = thread_of(task);

	if (!thread || thread->exiting || thread->taken ||
	    thread->ledger.account >= LEDGER_ACCOUNTS)
		return 0;
	thread->exiting = true;
	__sync_fetch_and_add(&exiting, 1);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (stopped_ns)
		return 0;
	if ((everybody && in_cgroup(child)) || thread_of(parent))
		watch(child, LEDGER_WOKEN);
	return 0;
}

/* Read once at the start, by reading the iterator: every thread of the targets gets its ledger. */
SEC("iter/task")
int begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	__u32 tgid, account = LEDGER_OTHER;
	unsigned int state;

	recorder = bpf_get_current_pid_tgid() >> 32;
	if (!task || !task->pid)
		return 0;
	tgid = (__u32)task->tgid;
	if (!everybody && !is_target(tgid))
		return 0;
	if (!in_cgroup(task))
		return 0;
	state = task_state(task);
	if (state == TASK_RUNNING)
		account = task->on_cpu ? LEDGER_RUNNING : LEDGER_WOKEN;
	else if (!(state & TASK_DEAD))
		account = blocked_account(task, NULL, state);
	watch(task, account);
	return 0;
}

#include "bpf/ledger/ledger_standing.bpf.h"

/* Read at the end, or in between: the ledgers of all threads that are alive. */
SEC("iter/task")
int collect(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread;

	if (!task)
		return 0;
	thread = thread_of(task);
	if (!thread || thread->taken || thread->ledger.account >= LEDGER_ACCOUNTS)
		return 0;
	thread->taken = stopped_ns != 0; /* first, as it may end on another CPU */
	flush_edge(&thread->by_waker);
	flush_edge(&thread->by_runner);
	complete(&thread->ledger, task);
	/* Where the buffer is full, the kernel comes back with the same thread. */
	if (bpf_seq_write(context->meta->seq, &thread->ledger, sizeof(thread->ledger)))
		thread->taken = false;
	else
		emit_open_wait(thread);
	return 0;
}
