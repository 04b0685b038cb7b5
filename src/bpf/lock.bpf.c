/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks, summed up by lock, waiting thread and stack, and the thread that holds or
 * releases the lock. Locks of programs: a thread that leaves its CPU in a FUTEX call, so that a
 * lock that is free costs nothing. Locks of the kernel: the tracepoints around their slow paths.
 * The stack of the thread that wakes the waiter is the holder's where it lets the lock go.
 *
 * Parts: lock_thread.bpf.h is what is kept of a thread, lock_owner.bpf.h follows the holder,
 * lock_stack.bpf.h names stacks, lock_standing.bpf.h finds the waits that are on at the beginning,
 * lock_sums.bpf.h sums up, lock_hold.bpf.h and lock_kernel_hold.bpf.h time how long locks are held.
 * event/lock_wait.h is shared with user space. */
#include "bpf/lock/lock_thread.bpf.h"

#include <bpf/bpf_tracing.h>

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/lock/lock_kernel.bpf.h"
#include "bpf/lock/lock_owner.bpf.h"
#include "bpf/lock/lock_stack.bpf.h"
#include "bpf/lock/lock_sums.bpf.h"
#include "bpf/targets.bpf.h"
#include "bpf/wait/futex_event.bpf.h"
#include "bpf/wait/interrupts.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile bool inherit = true;
const volatile __u32 program; /* waits for its exec, which begins everything; 0 = none */
const volatile bool with_user_locks = true, with_kernel_locks = true;

/* Nothing is taken before. */
bool enabled;

const volatile bool with_hold; /* how long locks are held, too */

#include "bpf/lock/lock_hold.bpf.h"
#include "bpf/lock/lock_kernel_hold.bpf.h"

static __always_inline void note_lock(struct thread *thread, const struct futex_wait *wait)
{
	struct lock_sum_key *key = &thread->open[OPEN_USER].key;

	key->lock = wait->lock;
	key->kind = (__u8)wait->kind;
	if (!(wait->operation & FUTEX_PRIVATE_BIT))
		key->kind |= LOCK_PROCESS_SHARED;
	key->holder_tid = wait->owner; /* as the process knows it, until it is looked up */
}

/* Notes the lock of a FUTEX call that the current thread sleeps in. */
static __always_inline __u32 futex_account(struct task_struct *task, struct thread *thread,
					   const uint64_t arg[3])
{
	struct futex_wait wait = { .address = arg[0],
				   .operation = (__u32)arg[1],
				   .value = (__u32)arg[2] };
	__u32 account;

	if (!thread || task != bpf_get_current_task_btf())
		return futex_call_account(&wait);
	wait.counter = thread->counter;
	account = (__u32)futex_wait_account(&wait);
	thread->counter = wait.counter;
	if (account == LEDGER_CONDITION)
		(void)futex_event_kind(&wait);
	else if (account != LEDGER_LOCK)
		return account;
	note_lock(thread, &wait);
	return account;
}

#include "bpf/wait/block_reason.bpf.h"
#include "bpf/wait/kernel_lock_owner.bpf.h"

/* Of wakers of which nothing is remembered. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lock_stand);
} strangers SEC(".maps");

static __always_inline void set_stack(struct lock_open *open, const struct lock_stack *stack)
{
	open->key.stack = stack->name;
	open->key.flags &= ~LOCK_RAW_STACK;
	if (stack->raw)
		open->key.flags |= LOCK_RAW_STACK;
}

static __always_inline void set_holder_stack(struct lock_open *open, const struct lock_stack *stack)
{
	open->key.holder_stack = stack->name;
	if (stack->raw)
		open->key.flags |= LOCK_RAW_HOLDER;
}

static __always_inline void open_user_wait(struct thread *thread, struct lock_open *open,
					   __u64 now_ns)
{
	open->key.flags = 0;
	open->key.stack = open->key.holder_stack = 0;
	open->key.pid = thread->pid;
	open->key.tid = thread->tid;
	open->key.kernel_flags = 0;
	open->key.relation = LOCK_NOBODY;
	open->handed = open->together = open->again = 0;
	open->woken_ns = 0;
	open->since_ns = now_ns;
}

/* The current thread is about to sleep for a lock of a program. */
static __always_inline int begin_user_wait(void *ctx, struct thread *thread, __u64 now_ns)
{
	struct lock_open *open;
	struct lock_stand *stand;
	__u32 owner;

	if (!thread)
		return 0;
	open = &thread->open[OPEN_USER];
	owner = open->key.holder_tid;
	open_user_wait(thread, open, now_ns);
	open->again = open->key.lock == thread->last_lock &&
		      now_ns - thread->last_end_ns < LOCK_CONVOY_NS;
	(void)begin_holder(thread, open, owner);
	stand = stand_here(thread);
	(void)take_place(ctx, stand, LOCK_STACK_USER, now_ns);
	set_stack(open, &stand->stack);
	return 0;
}

/* The thread runs again. */
SUBPROGRAM int end_user_wait(struct thread *thread, __u64 now_ns)
{
	struct lock_open *open;
	__u64 woken_ns;

	if (!thread || !thread->open[OPEN_USER].since_ns)
		return 0;
	open = &thread->open[OPEN_USER];
	if (with_hold)
		wake_held(thread, &open->key, now_ns);
	woken_ns = open->woken_ns ? open->woken_ns : now_ns;
	if (woken_ns > open->since_ns)
		(void)add_wait(open, woken_ns - open->since_ns, now_ns - woken_ns, woken_ns);
	thread->last_lock = open->key.lock;
	thread->last_end_ns = now_ns;
	open->since_ns = 0;
	return 0;
}

static __always_inline void leave(void *ctx, struct task_struct *task, bool preempt, __u64 now_ns)
{
	struct thread *thread = thread_of(task);
	unsigned int state;
	__u32 account;

	if (!thread || !thread->watched)
		return;
	thread->ran_ns = task->se.sum_exec_runtime;
	thread->ring = false;
	state = preempt ? TASK_RUNNING : task_state(task);
	if (state != TASK_RUNNING)
		thread->open[OPEN_USER].since_ns = thread->open[OPEN_USER].key.lock = 0;
	account = state == TASK_RUNNING ? runnable_account(task, LEDGER_PREEMPTED)
		  : state & TASK_DEAD	? LEDGER_OTHER
					: blocked_account(task, thread, state);
	change_account(thread, account, now_ns);
	if (with_user_locks && enabled && state != TASK_RUNNING &&
	    thread->open[OPEN_USER].key.lock &&
	    (account == LEDGER_LOCK || account == LEDGER_CONDITION))
		(void)begin_user_wait(ctx, thread, now_ns);
}

static __always_inline void arrive(struct task_struct *task, __u64 now_ns)
{
	struct thread *thread = thread_of(task);

	if (!thread || !thread->watched)
		return;
	change_account(thread, LEDGER_RUNNING, now_ns);
	if (thread->open[OPEN_USER].since_ns && enabled)
		(void)end_user_wait(thread, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct interrupts *here = interrupts_here();
	__u64 now_ns = lock_now();

	if (here) {
		here->timers = here->irqs = here->in_softirq = 0;
		here->turn++;
	}
	leave(ctx, prev, preempt, now_ns);
	arrive(next, now_ns);
	return 0;
}

/* The current thread, or an interrupt, ends the wait. */
static __always_inline int note_waker(void *ctx, struct lock_open *open, __u64 now_ns)
{
	struct thread *waker = thread_of(bpf_get_current_task_btf());
	struct ledger_edge_key by = { 0 };
	struct lock_stand *stand;
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	__u32 zero = 0;

	if (!open)
		return 0;
	find_waker(&by, (__u32)pid_tgid);
	if (by.waker == LEDGER_WAKER_TIMER && open->key.kind != LOCK_KIND_KERNEL) {
		open->key.relation = LOCK_TIMED_OUT;
		return 0;
	}
	if (open->key.holder_tid)
		open->key.relation = LOCK_HELD_BY;
	if (by.waker != LEDGER_WAKER_THREAD)
		return 0;
	if (!open->key.holder_tid) {
		open->key.relation = LOCK_RELEASED_BY;
		open->key.holder_tid = (__u32)pid_tgid;
		open->key.holder_pid = pid_tgid >> 32;
	} else if (open->key.holder_tid != (__u32)pid_tgid) {
		return 0; /* that thread had it later: its stack is not the holder's */
	}
	if (waker && waker->watched) {
		open->together = waker->woke_lock == open->key.lock &&
				 now_ns - waker->woke_ns < LOCK_CONVOY_NS;
		waker->woke_lock = open->key.lock;
		waker->woke_ns = now_ns;
	}
	stand = bpf_map_lookup_elem(&strangers, &zero);
	if (!stand)
		return 0;
	stand->cache.checked_ns = 0;
	if (waker && waker->watched) {
		UNWIND_OPAQUE(waker); /* no arithmetic before the check */
		stand = &waker->woke;
	}
	(void)take_place(ctx, stand,
			 open->key.kind == LOCK_KIND_KERNEL ? LOCK_STACK_USER | LOCK_STACK_KERNEL
							    : LOCK_STACK_USER,
			 now_ns);
	set_holder_stack(open, &stand->stack);
	return 0;
}

/* What a wait for an event was for, and what the thread did meanwhile. */
static __noinline int note_work(struct task_struct *task, struct thread *thread, __u64 now_ns)
{
	struct ledger_edge_key by = { 0 };
	struct thread *waker;
	__u32 account;
	bool slice;

	if (!thread || !task)
		return 0;
	find_waker(&by, 0);
	account = thread->account;
	if (account == LEDGER_CONDITION && by.waker == LEDGER_WAKER_THREAD) {
		waker = thread_of(bpf_get_current_task_btf());
		account = condition_account(task, &thread->work, waker ? &waker->work : NULL,
					    thread->since_ns);
		thread->open[OPEN_USER].handed = account == LEDGER_THREAD;
	}
	slice = is_slice(account, by.waker, now_ns - thread->since_ns);
	resume_work(&thread->work, account, slice, now_ns);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *thread = thread_of(task);
	__u64 now_ns, which = OPEN_USER;
	struct lock_open *open;

	if (!thread || !thread->watched || thread->account <= LEDGER_PREEMPTED)
		return 0;
	now_ns = lock_now();
	(void)note_work(task, thread, now_ns);
	if (thread->account == LEDGER_KERNEL_LOCK)
		which = OPEN_KERNEL;
	open = open_of(thread, which);
	if (enabled && open->since_ns && !open->woken_ns) {
		(void)end_holder(open, now_ns);
		if (which == OPEN_USER && is_killed(task))
			open->key.relation = LOCK_STILL_ON;
		else if (!is_signalled(task))
			(void)note_waker(ctx, open, now_ns);
		open->woken_ns = now_ns;
	}
	change_account(thread, runnable_account(task, LEDGER_WOKEN), now_ns);
	return 0;
}

static __always_inline void open_kernel_wait(struct lock_open *open, struct task_struct *task,
					     __u64 lock, __u32 flags)
{
	__builtin_memset(&open->key, 0, sizeof(open->key));
	open->key.lock = lock;
	open->key.kernel_flags = flags;
	open->key.kind = LOCK_KIND_KERNEL;
	open->key.pid = (__u32)task->tgid;
	open->key.tid = (__u32)task->pid;
	open->key.flags = known_lock(task, lock);
	open->owner_is_known = 0;
	open->handed = open->together = open->again = 0;
	open->woken_ns = 0;
	open->since_ns = lock_now();
}

static __always_inline bool is_spinning(__u64 flags)
{
	return flags & LOCK_SPIN && !(flags & LOCK_MUTEX);
}

SEC("tp_btf/contention_begin")
int BPF_PROG(on_lock, void *lock, unsigned int flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);

	if (!thread || !thread->watched)
		return 0;
	if (is_spinning(flags)) {
		if (with_kernel_locks && enabled && !thread->open[OPEN_SPIN].since_ns)
			open_kernel_wait(&thread->open[OPEN_SPIN], task, (__u64)lock, flags);
		return 0;
	}
	if (flags & LOCK_SPIN ? thread->open[OPEN_KERNEL].since_ns == 0
			      : thread->open[OPEN_KERNEL].key.lock != (__u64)lock ||
					!thread->open[OPEN_KERNEL].since_ns) {
		open_kernel_wait(&thread->open[OPEN_KERNEL], task, (__u64)lock, flags);
		thread->kernel_lock = (__u64)lock;
		thread->kernel_lock_flags = flags;
		(void)begin_holder(thread, &thread->open[OPEN_KERNEL], kernel_lock_owner(thread));
	}
	thread->kernel_lock_flags = thread->open[OPEN_KERNEL].key.kernel_flags = flags;
	/* While it spins for a mutex it does not sleep. */
	thread->kernel_lock = flags & LOCK_SPIN ? 0 : (__u64)lock;
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(on_lock_end, void *lock, int result)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());
	struct interrupts *here = interrupts_here();
	__u32 what = LOCK_STACK_USER | LOCK_STACK_KERNEL;
	__u64 now_ns = lock_now(), which = OPEN_KERNEL;
	struct lock_stand *stand;
	struct lock_open *open;

	if (!thread || !thread->watched)
		return 0;
	if (thread->open[OPEN_SPIN].since_ns && thread->open[OPEN_SPIN].key.lock == (__u64)lock) {
		which = OPEN_SPIN;
		if (here && (here->irqs || here->in_softirq))
			what = LOCK_STACK_KERNEL;
	} else {
		thread->kernel_lock = 0;
	}
	open = open_of(thread, which);
	if (!open->since_ns || open->key.lock != (__u64)lock)
		return 0;
	if (with_kernel_locks && enabled && now_ns > open->since_ns) {
		if (!open->woken_ns)
			(void)end_holder(open, now_ns);
		if (open->key.holder_tid && open->key.relation == LOCK_NOBODY)
			open->key.relation = LOCK_HELD_BY;
		stand = stand_here(thread);
		(void)take_place(ctx, stand, what, now_ns);
		set_stack(open, &stand->stack);
		(void)add_wait(open, now_ns - open->since_ns, 0, now_ns);
	}
	open->since_ns = 0;
	return 0;
}

static __always_inline void watch(struct task_struct *task, __u32 account)
{
	struct thread *thread =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread || thread->watched)
		return;
	thread->pid = (__u32)task->tgid;
	thread->tid = (__u32)task->pid;
	thread->account = account;
	thread->since_ns = lock_now();
	thread->watched = true;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (everybody ? in_cgroup(child) : inherit && thread_of(parent))
		watch(child, LEDGER_WOKEN);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	if (program && (__u32)task->tgid == program)
		enabled = true;
	return 0;
}

/* Read once at the start, by reading the iterator. */
SEC("iter/task")
int begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	unsigned int state;

	if (!task || !task->pid)
		return 0;
	if (!in_cgroup(task) || (!everybody && !is_target((__u32)task->pid)))
		return 0;
	state = task_state(task);
	watch(task, state & TASK_DEAD	    ? LEDGER_OTHER
		    : state != TASK_RUNNING ? blocked_account(task, NULL, state)
		    : task->on_cpu	    ? LEDGER_RUNNING
					    : LEDGER_WOKEN);
	return 0;
}

#include "bpf/lock/lock_standing.bpf.h"

__u64 end_ns; /* when watching ended */

static __always_inline void end_open(struct lock_open *open)
{
	__u64 until_ns = open->woken_ns && open->woken_ns < end_ns ? open->woken_ns : end_ns;

	if (!open->since_ns || open->since_ns >= until_ns)
		return;
	if (until_ns == end_ns) {
		(void)end_holder(open, end_ns);
		open->key.relation = LOCK_STILL_ON;
	}
	(void)add_wait(open, until_ns - open->since_ns, end_ns - until_ns, until_ns);
	open->since_ns = 0;
}

/* Read at the end: waits that are on. */
SEC("iter/task")
int end(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct thread *thread = task ? thread_of(task) : NULL;

	if (!thread || !thread->watched)
		return 0;
	if (with_user_locks)
		end_open(&thread->open[OPEN_USER]);
	if (with_kernel_locks)
		end_open(&thread->open[OPEN_KERNEL]);
	return 0;
}
