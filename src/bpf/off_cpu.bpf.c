/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Off-CPU time with stacks: a thread's stack is unwound when it leaves the CPU, named (bpf/cpu.h),
 * and kept in the thread's storage. The wait is reported when it ends, with its duration: long ones
 * as samples, short ones as sums by thread and stack, so that sums are exact and little is written.
 * A thread that waits in the same place again is not unwound again (bpf/off_cpu/stack_cache.bpf.h).
 * Waits in progress at the start or end are found by iterators. */
#include "bpf/off_cpu/thread.bpf.h"

#include <bpf/bpf_tracing.h>

#include "bpf/off_cpu/calls.bpf.h"
#include "bpf/off_cpu/open_waits.bpf.h"
#include "bpf/off_cpu/take_stack.bpf.h"
#include "bpf/off_cpu/wait_sums.bpf.h"
#include "bpf/off_cpu/waker.bpf.h"
#include "bpf/wait/interrupts.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile bool everybody; /* all threads */
const volatile bool inherit = true;
const volatile __u32 program; /* waits for its exec, which begins everything; 0 = none */

/* Nothing is taken before. */
bool enabled;

/* It has been woken: what was waited for is over, and the wait for a CPU begins. A function of its
 * own, because the stack is scarce below on_waking(). */
SUBPROGRAM int end_sleep(struct thread *thread, __u64 now_ns)
{
	if (!thread)
		return 0;
	if (is_wanted(thread->account))
		end_wait(thread, &thread->waker, now_ns);
	thread->waker = (struct taken){ 0 };
	thread->account = LEDGER_WOKEN;
	thread->since_ns = is_wanted(LEDGER_WOKEN) ? now_ns : 0;
	return 0;
}

/* It is on a CPU again. */
SUBPROGRAM int end_leave(struct thread *thread, __u64 now_ns)
{
	if (!thread)
		return 0;
	if (thread->woken_ns && enabled && !until_running)
		(void)end_sleep(thread, thread->woken_ns);
	if (!thread->since_ns)
		return 0;
	if (enabled && is_wanted(thread->account))
		end_wait(thread, &thread->waker, now_ns);
	thread->since_ns = 0;
	return 0;
}

/* A wait that is still on while its thread leaves a CPU has ended. */
static __always_inline void make_up(struct thread *thread, struct task_struct *task, __u64 now_ns)
{
	__u64 began_ns = turn_began(task, thread->ran_ns, thread->since_ns, now_ns);

	if (thread->since_ns && began_ns)
		(void)end_leave(thread, began_ns);
	thread->ran_ns = task->se.sum_exec_runtime;
}

/* Stores where the thread waits. */
static __always_inline void take_place(struct stack_cache_now now, struct thread *thread)
{
	struct stand *stand;
	__u64 place = (__u32)find_stand(thread);

	UNWIND_OPAQUE(place);
	stand = &thread->stand[place & (OFF_CPU_STANDS - 1)];
	take_stack(now, &stand->taken, &stand->cache);
	thread->taken = stand->taken;
	stand->taken.fresh = false;
	/* User space keeps a raw stack for a while only. */
	if (thread->pending.key.raw && thread->pending.key.stack != thread->taken.stack)
		(void)flush_sum(&thread->pending, now.ns);
	if (thread->taken.stack)
		thread->since_ns = now.ns;
}

static __always_inline void leave(void *ctx, struct task_struct *task, bool preempt, __u64 now_ns)
{
	struct thread *thread = thread_of(task);
	unsigned int state;
	__u32 account;

	if (!thread)
		return;
	make_up(thread, task, now_ns);
	thread->since_ns = thread->woken_ns = 0;
	thread->ring = false;
	thread->waker = (struct taken){ 0 };
	state = preempt ? TASK_RUNNING : task_state(task);
	if (state & TASK_DEAD) {
		(void)flush_sum(&thread->pending, now_ns);
		if (with_calls) {
			(void)end_call(thread, now_ns);
			flush_all_calls(thread);
		}
	}
	if (!is_watched(task, state))
		return;
	account = state == TASK_RUNNING ? runnable_account(task, LEDGER_PREEMPTED)
					: blocked_account(task, thread, state);
	thread->account = account;
	if (!is_worth_it(account) && !(thread->ring && is_wanted(LEDGER_POLL)))
		return;
	thread->leaving = true;
	if (!with_calls)
		take_place((struct stack_cache_now){ ctx, task, now_ns, account }, thread);
	else if (thread->call.open)
		thread->since_ns = now_ns;
	*(volatile bool *)&thread->leaving = false; /* after since_ns */
}

static __always_inline void arrive(struct task_struct *task, __u64 now_ns)
{
	struct thread *thread = thread_of(task);

	if (thread && thread->since_ns)
		(void)end_leave(thread, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct interrupts *here = interrupts_here();
	__u64 now_ns = time_ns();

	if (here)
		here->timers = here->irqs = here->in_softirq = 0;
	if (enabled)
		leave(ctx, prev, preempt, now_ns);
	arrive(next, now_ns);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *thread = thread_of(task);
	__u64 now_ns;
	bool leaving;

	if (!thread)
		return 0;
	leaving = UNWIND_LOAD(thread->leaving); /* before since_ns */
	if (thread->account <= LEDGER_PREEMPTED)
		return 0;
	now_ns = time_ns();
	if (is_wanted(LEDGER_THREAD))
		(void)end_condition(thread, task, now_ns);
	if (!leaving && !thread->since_ns)
		return 0;
	if (thread->ring)
		thread->account = ring_account();
	if (leaving)
		thread->woken_ns = now_ns;
	if (with_wakers)
		take_waker(ctx, now_ns, &thread->waker);
	if (!thread->woken_ns && !until_running)
		(void)end_sleep(thread, now_ns);
	return 0;
}

static __always_inline void watch(struct task_struct *task)
{
	(void)bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = thread_of(task);
	__u32 call;

	if (!thread || !enabled)
		return 0;
	thread->call.open = false;
	call = (__u32)number & ~SYSCALL_COMPAT_BIT;
	if (arch_in_compat(task))
		call |= SYSCALL_COMPAT_BIT;
	if (is_wanted_call(call) && in_cgroup(task))
		begin_call(ctx, thread, regs, call);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());

	if (thread && thread->call.open)
		(void)end_call(thread, time_ns());
	return 0;
}

/* The sums of a thread that ends are added here, where the kernel can get memory for many at once.
 * In the last context switch, interrupts are off, and it has room for the exit call only. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_end, struct task_struct *task)
{
	struct thread *thread = thread_of(task);

	if (thread && enabled)
		flush_all_calls(thread);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (everybody || (inherit && thread_of(parent)))
		watch(child);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	if (with_calls) /* what follows is of the new program */
		(void)end_call(thread_of(task), time_ns());
	if (program && (__u32)task->tgid == program)
		enabled = true;
	return 0;
}

/* Read once at the start, by reading the iterator. */
SEC("iter/task")
int begin(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	__u32 tid;

	if (!task || !task->pid)
		return 0;
	tid = (__u32)task->pid;
	if (everybody || is_target(tid))
		watch(task);
	return 0;
}
