/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of threads as lines: those that return, and those that any thread is in. */
#ifndef BPF_SYSCALL_EMIT_H
#define BPF_SYSCALL_EMIT_H

#include "bpf/arch/arch.bpf.h"
#include "bpf/syscall_line.bpf.h"
#include "bpf/syscall_open.bpf.h"
#include "bpf/syscall_place.h"
#include "bpf/syscall_thread.bpf.h"
#include "bpf/task_state.bpf.h"

#define MAX_ERRNO 4095
/* Results of calls that a signal interrupts, for the kernel to repeat them. */
#define RESTARTS_FIRST 512
#define RESTARTS_LAST  516

static __always_inline bool is_error(long result)
{
	return result < 0 && result >= -MAX_ERRNO;
}

static __always_inline bool is_restarted(long result)
{
	return result <= -RESTARTS_FIRST && result >= -RESTARTS_LAST;
}

static __always_inline __u8 stop_of(struct task_struct *task)
{
	unsigned int state = task_state(task);

	return state & TASK_TRACED    ? SYSCALL_STOPPED_TRACED
	       : state & TASK_STOPPED ? SYSCALL_STOPPED
				      : SYSCALL_RUNS;
}

/* The call that another task sleeps in, or that stopping has interrupted. What runs may have left
 * the one in its registers. */
static __always_inline __u32 waits_in(struct task_struct *task, const struct pt_regs *regs)
{
	const __u32 waits = TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE;
	long number = (long)ARCH_CALL(regs);

	if (!task->mm || number < 0)
		return SYSCALL_NONE;
	if (!(task_state(task) & waits) &&
	    !(stop_of(task) && is_restarted((long)ARCH_RESULT(regs))))
		return SYSCALL_NONE;
	return call_of(task, number);
}

static __always_inline struct line_scratch *new_line(struct task_struct *task,
						     const struct thread *thread, __u32 call)
{
	const __u32 zero = 0;
	struct line_scratch *to = bpf_map_lookup_elem(&scratch, &zero);

	if (!to)
		return NULL;
	__builtin_memset(&to->line, 0, sizeof(to->line));
	to->line.start_ns = thread->since_ns;
	__builtin_memcpy(to->line.arg, thread->arg, sizeof(to->line.arg));
	to->line.call = call;
	to->line.tid = (__u32)task->pid;
	to->line.tgid = (__u32)task->tgid;
	to->line.missing = thread->missing;
	to->line.not_followed = thread->not_followed;
	__builtin_memcpy(to->line.comm, task->comm, sizeof(to->line.comm));
	return to;
}

static __always_inline void sent(struct thread *thread, bool unshown, bool yes)
{
	if (yes) {
		thread->missing = 0;
		thread->not_followed = false;
	} else if (unshown) {
		thread->not_followed = true;
	} else {
		thread->missing++;
		__sync_fetch_and_add(&counts.lost_lines, 1);
	}
}

/* Of the current task. */
static __always_inline void emit(struct thread *thread, const struct syscall_line *end)
{
	struct line_scratch *to = new_line(bpf_get_current_task_btf(), thread, end->call);

	if (!to)
		return;
	to->line.ns = end->ns;
	to->line.result = end->result;
	to->line.returns_never = end->returns_never;
	to->line.unshown = end->unshown;
	sent(thread, end->unshown, send_line(to));
}

static __always_inline void put_place(struct line_scratch *to, struct task_struct *task)
{
	struct syscall_place *place = (void *)to->data;
	struct pt_regs regs;

	if (!with_places || !task->mm ||
	    bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task)))
		return;
	to->line.place = true;
	place->stack_top = task->mm->start_stack + 8;
	place->sp = ARCH_SP(&regs);
	place->in_syscall = arch_in_syscall(&regs);
	arch_perf_registers(&regs, place->reg);
}

/* A task that began before tracing did: the call it is in, and whether it is stopped. */
static __always_inline void emit_old(struct task_struct *task, struct thread *thread, __u64 now_ns)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	__u8 stop = now_ns ? SYSCALL_RUNS : stop_of(task);
	__u32 call = waits_in(task, regs);
	struct line_scratch *to;

	if (call != SYSCALL_NONE && (only_errors || !is_wanted(call)))
		call = SYSCALL_NONE;
	if (call == SYSCALL_NONE && !stop)
		return;
	if (call & SYSCALL_COMPAT_BIT)
		arch_compat_arguments(regs, thread->arg);
	else
		arch_arguments(regs, thread->arg);
	to = new_line(task, thread, call);
	if (!to)
		return;
	to->line.open = to->line.old = true;
	to->line.stopped = stop;
	to->line.start_ns = started_ns;
	if (now_ns > started_ns)
		to->line.ns = now_ns - started_ns;
	if (to->line.ns < min_ns && !stop)
		return;
	put_place(to, task);
	sent(thread, false, send_old_line(to));
}

/* The call that any task is in, at `now_ns`; 0 = when tracing begins. */
static __always_inline void emit_open(struct task_struct *task, struct thread *thread, __u64 now_ns)
{
	__u32 call = thread->call;
	struct line_scratch *to;

	if (thread->before_exec)
		return;
	if (call == SYSCALL_NONE && thread->in_unseen) {
		emit_old(task, thread, now_ns);
		return;
	}
	if (call == SYSCALL_NONE || call == UNWANTED || only_errors || !is_wanted(call))
		return;
	to = new_line(task, thread, call);
	if (!to)
		return;
	to->line.open = true;
	if (now_ns > to->line.start_ns)
		to->line.ns = now_ns - to->line.start_ns;
	if (to->line.ns < min_ns)
		return;
	sent(thread, false, send_open_line(to, task));
}

#endif
