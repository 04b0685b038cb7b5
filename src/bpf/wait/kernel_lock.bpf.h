/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel locks that threads sleep for: reported by a tracepoint on the way to sleep, so uncontended
 * locks cost nothing. Not attached on kernels without it (before 5.19): such waits are then
 * attributed to the system call. Before including this, define struct thread with the members
 * kernel_lock and kernel_lock_flags, and thread_of(). */
#ifndef BPF_KERNEL_LOCK_BPF_H
#define BPF_KERNEL_LOCK_BPF_H

#include "bpf/wait/kernel_lock_owner.bpf.h"

#include <bpf/bpf_helpers.h>

SEC("raw_tp/contention_begin")
int on_contention(struct bpf_raw_tracepoint_args *ctx)
{
	struct thread *thread;

	if (ctx->args[1] & LOCK_SPIN) /* it does not sleep, or not yet */
		return 0;
	thread = thread_of(bpf_get_current_task_btf());
	if (!thread)
		return 0;
	thread->kernel_lock = ctx->args[0];
	thread->kernel_lock_flags = (__u32)ctx->args[1];
	return 0;
}

SEC("raw_tp/contention_end")
int on_contention_end(struct bpf_raw_tracepoint_args *ctx)
{
	struct thread *thread = thread_of(bpf_get_current_task_btf());

	/* Interrupts take spinlocks of their own meanwhile. */
	if (thread && thread->kernel_lock == ctx->args[0])
		thread->kernel_lock = 0;
	return 0;
}

#endif
