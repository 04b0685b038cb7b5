/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in progress when observation begins or ends, which no event reports: found by iterators
 * over all threads. */
#ifndef BPF_OPEN_WAITS_BPF_H
#define BPF_OPEN_WAITS_BPF_H

#include "bpf/off_cpu/name_stack.bpf.h"
#include "bpf/off_cpu/thread.bpf.h"
#include "bpf/off_cpu/wait_sums.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct off_cpu_open);
} open_waits SEC(".maps");

static __always_inline bool waits(struct task_struct *task)
{
	return task_state(task) != TASK_RUNNING && !(task_state(task) & TASK_DEAD) && !task->on_cpu;
}

/* The stack of a thread that was already waiting at the start: kernel frames and registers, from
 * which user space continues. Its wait counts from now on. */
SEC("iter/task")
int begin_waits(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct off_cpu_open *open;
	struct thread *thread;
	__u32 zero = 0, account;
	long bytes;

	open = bpf_map_lookup_elem(&open_waits, &zero);
	if (!task || !open)
		return 0;
	thread = thread_of(task);
	if (!thread || thread->since_ns || !waits(task) || !is_watched(task, task_state(task)))
		return 0;
	account = blocked_account(task, thread, task_state(task));
	if (!is_worth_it(account))
		return 0;
	open->head = (struct cpu_sample){ .time_ns = time_ns(),
					  .pid = (__u32)task->tgid,
					  .tid = (__u32)task->pid,
					  .kind = CPU_WALKED };
	if (with_kernel) {
		bytes = bpf_get_task_stack(task, open->kernel, sizeof(open->kernel), 0);
		open->head.frames = bytes > 0 ? (__u16)((__u32)bytes / 8) : 0;
		open->head.flags = CPU_IN_KERNEL;
	}
	if (with_user && !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)) &&
	    task->mm &&
	    !bpf_probe_read_kernel(&open->regs, sizeof(open->regs),
				   (void *)bpf_task_pt_regs(task))) {
		open->head.kind = CPU_RAW;
		open->stack_top = task->mm->start_stack + 8;
		if (arch_in_syscall(&open->regs))
			open->head.flags |= CPU_IN_SYSCALL;
		arch_perf_registers(&open->regs, open->raw.reg);
	}
	open->raw.ip = open->head.frames ? open->kernel[0] : ARCH_PC(&open->regs);
	open->raw.period = raw_name(open->head.time_ns, open->head.tid);
	thread->taken =
		(struct taken){ open->raw.period, open->head.pid, open->head.tid, true, false };
	thread->account = account;
	thread->since_ns = open->head.time_ns;
	thread->ran_ns = task->se.sum_exec_runtime;
	if (!waits(task))
		thread->since_ns = 0; /* it has just been woken */
	else
		(void)bpf_seq_write(context->meta->seq, open, sizeof(*open));
	return 0;
}

__u64 end_ns; /* when watching ended */

/* A wait that continues at the end of observation lasts until then. */
SEC("iter/task")
int end_waits(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct off_cpu_rest rest = { 0 };
	struct thread *thread;

	if (!task)
		return 0;
	thread = thread_of(task);
	if (!thread)
		return 0;
	if (with_calls) {
		if (thread->since_ns && thread->since_ns < end_ns)
			(void)end_call_wait(thread, end_ns);
		(void)break_off_call(thread, end_ns);
		return 0;
	}
	(void)flush_sum(&thread->pending, end_ns);
	if (!thread->since_ns || thread->since_ns >= end_ns || !is_wanted(thread->account))
		return 0;
	rest.stack = thread->taken.stack;
	rest.pid = thread->taken.pid;
	rest.tid = thread->taken.tid;
	rest.ns = end_ns - thread->since_ns;
	if (rest.ns < min_ns || rest.ns > max_ns)
		return 0;
	rest.raw = thread->taken.raw;
	thread->since_ns = 0;
	(void)bpf_seq_write(context->meta->seq, &rest, sizeof(rest));
	return 0;
}

#endif
