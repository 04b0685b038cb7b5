/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long functions take (bpf/call_times.bpf.h). */
#include "bpf/call_times.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("kprobe")
int on_entry(struct pt_regs *ctx)
{
	struct call call = call_at(ctx, ARCH_SP(ctx) + ARCH_CALL_PUSHES);

	return is_wanted_here() ? begin_call(call, ARCH_PC(ctx)) : 0;
}

SEC("kprobe")
int on_kernel_entry(struct pt_regs *ctx)
{
	return is_wanted_here() ? begin_call(kernel_call(ctx), 0) : 0;
}

/* It has returned. */
SEC("kprobe")
int on_return(struct pt_regs *ctx)
{
	__u64 pc;

	(void)end_call(call_at(ctx, ARCH_SP(ctx)), &pc);
	return 0;
}

/* It is about to return, or to jump to another function. */
SEC("kprobe")
int on_leave(struct pt_regs *ctx)
{
	__u64 pc;

	(void)end_call(call_at(ctx, ARCH_SP(ctx) + ARCH_CALL_PUSHES), &pc);
	return 0;
}

SEC("kprobe")
int on_kernel_return(struct pt_regs *ctx)
{
	__u64 pc;

	(void)end_call(kernel_call(ctx), &pc);
	return 0;
}
