/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends calls of functions and their returns, one by one (event/function_call.h). Where it is
 * attached, the cookie is the function's number. */
#include <stdbool.h>

#include "bpf/kernel.h"

#include "bpf/arch/arch.bpf.h"
#include "event/function_call.h"

#include "bpf/thread_filter.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define WAKE_BYTES (1u << 20) /* in the ring */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} calls SEC(".maps");

__u64 hits, lost;
volatile bool stopped; /* by user space */

static __always_inline int send(const bpf_user_pt_regs_t *regs, __u64 sp, bool returns)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	const struct task_struct *task = (const void *)bpf_get_current_task();
	struct function_call *call;

	if (stopped || !is_wanted_here())
		return 0;
	__sync_fetch_and_add(&hits, 1);
	call = bpf_ringbuf_reserve(&calls, sizeof(*call), 0);
	if (!call) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	call->time_ns = bpf_ktime_get_ns();
	call->sp = sp;
	call->return_address = returns ? 0 : arch_return_address(regs);
	call->cpu_ns = BPF_CORE_READ(task, se.sum_exec_runtime);
	call->pid = pid_tgid >> 32;
	call->tid = (__u32)pid_tgid;
	call->number = (__u32)bpf_get_attach_cookie((void *)regs);
	call->cpu = (__u16)bpf_get_smp_processor_id();
	call->returns = returns;
	bpf_get_current_comm(call->comm, sizeof(call->comm));
	bpf_ringbuf_submit(call, bpf_ringbuf_query(&calls, BPF_RB_AVAIL_DATA) >= WAKE_BYTES
					 ? BPF_RB_FORCE_WAKEUP
					 : BPF_RB_NO_WAKEUP);
	return 0;
}

/* For uprobe_multi or, with kernels before 6.6, an event for each place. */
SEC("kprobe")
int on_call(bpf_user_pt_regs_t *regs)
{
	return send(regs, ARCH_SP(regs), false);
}

/* It has returned. */
SEC("kprobe")
int on_return(bpf_user_pt_regs_t *regs)
{
	return send(regs, ARCH_SP(regs) - ARCH_CALL_PUSHES, true);
}

/* It is about to return, or to jump to another function. */
SEC("kprobe")
int on_leave(bpf_user_pt_regs_t *regs)
{
	return send(regs, ARCH_SP(regs), true);
}
