/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts how often places in programs are passed, and tracepoints: one program for all of them.
 * Where it is attached, the cookie is the number that it counts for. */
#include <stdbool.h>

#include "bpf/kernel.h"

#include "bpf/entered.bpf.h"
#include "bpf/thread_filter.bpf.h"

char LICENSE[] SEC("license") = "GPL";

volatile bool paused; /* by user space */

/* Set before loading. */
const volatile __u32 stride; /* counters for each CPU */

/* By CPU and number. Programs at places may be preempted, so adding is atomic; the CPUs do not
 * share cache lines. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* stride times the number of CPUs */
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline int count(__u64 number)
{
	__u32 key = bpf_get_smp_processor_id() * stride + (__u32)number;
	__u64 *counter;

	if (paused || !is_wanted_here())
		return 0;
	counter = bpf_map_lookup_elem(&counts, &key);
	if (counter)
		__sync_fetch_and_add(counter, 1);
	return 0;
}

/* For uprobe_multi or, with kernels before 6.6, an event for each place. */
SEC("kprobe")
int on_place(void *ctx)
{
	return count(bpf_get_attach_cookie(ctx));
}

SEC("kprobe")
int on_enter(void *ctx)
{
	return enter_call(ctx);
}

SEC("kprobe")
int on_leave(void *ctx)
{
	return leave_call(ctx) ? count(bpf_get_attach_cookie(ctx)) : 0;
}

/* A function of the kernel. */
SEC("kprobe")
int on_function(void *ctx)
{
	return count(bpf_get_attach_cookie(ctx));
}

SEC("tp")
int on_tracepoint(void *ctx)
{
	return count(bpf_get_attach_cookie(ctx));
}

/* With kernels since 6.10. */
SEC("raw_tp")
int on_raw_tracepoint(void *ctx)
{
	return count(bpf_get_attach_cookie(ctx));
}
