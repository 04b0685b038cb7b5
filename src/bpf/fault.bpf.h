/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page fault that a thread is in, by the kernel's tracepoints: what the access was, when it
 * began, and what the kernel did for it. The perf event of all page faults comes at the beginning;
 * those of minor and major ones come at the end, and see all of it. */
#ifndef BPF_FAULT_BPF_H
#define BPF_FAULT_BPF_H

#include <linux/bpf.h>

#include "bpf/arch/arch.bpf.h"
#include "bpf/cpu_state.bpf.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define FAULT_THREADS	 8192
#define FAULT_HUGE_ORDER 9u /* from 2 MiB on, of pages of 4 KiB */
#define FAULT_SWAPENTS	 2u /* MM_SWAPENTS */

struct fault {
	__u64 address, began_ns;
	__u64 what; /* CPU_FAULT_… */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FAULT_THREADS);
	__type(key, __u32);
	__type(value, struct fault);
} faults SEC(".maps");

static __always_inline struct fault *fault_of_thread(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&faults, &tid);
}

SEC("raw_tp/page_fault_user")
int on_fault(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	const struct fault fault = {
		.address = ctx->args[0],
		.began_ns = bpf_ktime_get_ns(),
		.what = CPU_FAULT_KNOWN | (__u16)ctx->args[2],
	};

	bpf_map_update_elem(&faults, &tid, &fault, BPF_ANY);
	return 0;
}

/* Only the page itself is that large: tables and the kernel's objects are smaller. */
SEC("raw_tp/mm_page_alloc")
int on_fault_page(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 order = ctx->args[1];
	struct fault *fault = order >= FAULT_HUGE_ORDER ? fault_of_thread() : NULL;

	if (fault && order < 32)
		fault->what |= order << CPU_FAULT_ORDER_SHIFT;
	return 0;
}

/* What a fault does last is to count the page that it maps, and after it one fewer in swap, if it
 * came from there. Pages that it moved to swap to find a free one were counted before. */
SEC("raw_tp/rss_stat")
int on_fault_count(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	struct fault *fault = fault_of_thread();

	if (!fault)
		return 0;
	fault->what &= ~(__u64)CPU_FAULT_SWAP;
	if (ctx->args[1] == FAULT_SWAPENTS && !(fault->what & ARCH_FAULT_PRESENT) &&
	    (void *)ctx->args[0] == (void *)BPF_CORE_READ(task, mm))
		fault->what |= CPU_FAULT_SWAP;
	return 0;
}

/* Into two words of a payload: enum of cpu.h, and how long it took so far. 0 = unknown: it is the
 * kernel's, which accesses the program's memory. */
static __always_inline void take_fault(__u64 address, __u64 now_ns, __u64 *ret)
{
	const struct fault *fault = fault_of_thread();

	ret[0] = ret[1] = 0;
	if (!fault || fault->address != address)
		return;
	ret[0] = fault->what;
	ret[1] = now_ns - fault->began_ns;
}

#endif
