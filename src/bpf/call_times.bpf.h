/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of calls, measured from a program at a function's first instruction to one at its return,
 * and their sums. A call is known by its thread and by where its return address lies, so recursion
 * and calls that longjmp(3) or an exception left do not confuse it. */
#ifndef BPF_CALL_TIMES_BPF_H
#define BPF_CALL_TIMES_BPF_H

#include <stdbool.h>

#include "bpf/arch/registers.h"
#include "bpf/kernel.h"
#include "bpf/log2.h"
#include "bpf/probe_times.h"
#include "bpf/thread_filter.bpf.h"

/* Set before loading. */
const volatile __u32 numbers;		     /* of struct probe_times for each CPU */
const volatile bool by_function;	     /* else all functions are number 0 */
const volatile __u64 unit_ns = 1;	     /* of the slots */
const volatile __u64 steps_from, step_units; /* steps of equal size; 0 = powers of two */

__u64 lost; /* calls that there was no room for */

/* A function that jumps to itself, or that two others jump to, begins again with the same return
 * address; then it returns as often. */
#define NESTED 4

struct call {
	__u64 return_at;
	__u32 tid, number;
};

struct running {
	__u64 pc; /* at which it began */
	__u64 depth;
	__u64 since_ns[NESTED];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct call);
	__type(value, struct running);
} calls SEC(".maps");

/* By CPU and number. Programs at places may be preempted, so adding is atomic. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* numbers times the number of CPUs */
	__type(key, __u32);
	__type(value, struct probe_times);
} times SEC(".maps");

static __always_inline struct probe_times *times_of(__u32 number)
{
	__u32 key = bpf_get_smp_processor_id() * numbers + (by_function ? number : 0);

	return bpf_map_lookup_elem(&times, &key);
}

/* Calls in the kernel return in the order in which they were made, and registers at their ends
 * differ between kernels: they are known by the thread alone, those of idle CPUs by the CPU. */
static __always_inline struct call kernel_call(void *ctx)
{
	struct call call = { .tid = (__u32)bpf_get_current_pid_tgid(),
			     .number = (__u32)bpf_get_attach_cookie(ctx) };

	if (!call.tid)
		call.return_at = 1 + bpf_get_smp_processor_id();
	return call;
}

static __always_inline struct call call_at(void *ctx, __u64 return_at)
{
	struct call call = kernel_call(ctx);

	call.return_at = return_at;
	return call;
}

static __always_inline int begin_call(struct call call, __u64 pc)
{
	struct running fresh = { .pc = pc }, *running;
	struct probe_times *sums;

	sums = times_of(call.number);
	if (!sums)
		return 0;
	__sync_fetch_and_add(&sums->calls, 1);
	running = bpf_map_lookup_elem(&calls, &call);
	if (!running) {
		fresh.depth = 1;
		fresh.since_ns[0] = bpf_ktime_get_ns();
		if (bpf_map_update_elem(&calls, &call, &fresh, BPF_ANY))
			__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	if (running->depth >= NESTED)
		running->depth = 0;
	running->since_ns[running->depth & (NESTED - 1)] = bpf_ktime_get_ns();
	running->depth++;
	return 0;
}

static __always_inline __u32 slot_of(__u64 ns)
{
	__u64 length = ns / unit_ns;

	if (!step_units)
		return log2_of(length);
	if (length < steps_from)
		return 0;
	length = (length - steps_from) / step_units + 1;
	return length < PROBE_TIME_SLOTS ? (__u32)length : PROBE_TIME_SLOTS - 1;
}

/* Returns how long it was, and where it began; 0 = that is not known. */
static __always_inline __u64 end_call(struct call call, __u64 *ret_pc)
{
	__u64 now_ns = bpf_ktime_get_ns(), ns;
	struct probe_times *sums;
	struct running *running;
	__u32 slot;

	running = bpf_map_lookup_elem(&calls, &call);
	if (!running || !running->depth)
		return 0;
	*ret_pc = running->pc;
	ns = now_ns - running->since_ns[--running->depth & (NESTED - 1)];
	if (!running->depth)
		bpf_map_delete_elem(&calls, &call);
	sums = times_of(call.number);
	if (!sums)
		return 0;
	slot = slot_of(ns) & (PROBE_TIME_SLOTS - 1);
	__sync_fetch_and_add(&sums->returned, 1);
	__sync_fetch_and_add(&sums->total_ns, ns);
	__sync_fetch_and_add(&sums->slot[slot], 1);
	return ns;
}

#endif
