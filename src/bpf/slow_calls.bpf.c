/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long functions take (bpf/call_times.bpf.h), and the stacks of the slowest calls: when a call
 * ends that is among the slowest of its CPU, its callers are walked and sent as a sample of its
 * duration. */
#define WALKS_LOG_READS 0

#include "bpf/slow_calls.h"
#include "bpf/call_times.bpf.h"
#include "bpf/cpu_state.bpf.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/task_stack.bpf.h"
#include "bpf/walk/walk_slot.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile __u32 slowest = SLOW_CALLS_MAX; /* how many are wanted */

/* Of the slowest calls of a CPU, in any order. A program that is preempted here may write a time
 * that is too short; then more samples are sent than needed, but none is missing. */
struct slow_times {
	__u64 ns[SLOW_CALLS_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slow_times);
} slow_times SEC(".maps");

static __always_inline bool is_slow(__u64 ns)
{
	const __u32 zero = 0;
	struct slow_times *known = bpf_map_lookup_elem(&slow_times, &zero);
	__u64 least = UINT64_MAX, place = 0;

	if (!known)
		return false;
	for (__u32 i = 0; i < SLOW_CALLS_MAX; i++) {
		if (i >= slowest)
			break;
		if (known->ns[i] < least) {
			least = known->ns[i];
			place = i;
		}
	}
	if (ns <= least)
		return false;
	UNWIND_OPAQUE(place);
	known->ns[place & (SLOW_CALLS_MAX - 1)] = ns;
	return true;
}

/* The function that has ended is on top of its callers. */
struct slow_call {
	__u64 pc, ns;
	bool inside; /* the thread is still in it, or in one that it jumped to */
};

static __always_inline long send_call(__u32 slot, const struct slow_call *call,
				      struct cpu_counts *count)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &slot);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	const struct sample_facts facts = { .period = call->ns, .ip = call->pc };
	__u64 pid_tgid = bpf_get_current_pid_tgid();

	if (!memory || !ring)
		return -1;
	memory->out.head.time_ns = clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
	memory->out.head.pid = pid_tgid >> 32;
	memory->out.head.tid = (__u32)pid_tgid;
	memory->out.head.flags = 0;
	memory->walk.count = !call->inside;
	memory->walk.stop = STACK_STOP_NONE;
	(void)take_user_stack(memory, count, slot);
	if (must_go_up(memory->walk.stop))
		give_up(memory, !call->inside, false);
	memory->out.frame[0] = call->pc;
	return send_stack(ring, memory, &facts);
}

static __always_inline int end(struct pt_regs *ctx, struct call call, bool inside)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	__u64 pc = 0, ns = end_call(call, &pc);
	const struct slow_call slow = { pc, ns, inside };
	long code = -1;
	int slot;

	if (!ns || !count || !is_slow(ns))
		return 0;
	slot = take_slot();
	if (slot >= 0) {
		code = send_call((__u32)slot, &slow, count);
		leave_slot((__u32)slot);
	}
	if (code)
		__sync_fetch_and_add(&count->lost, 1);
	return 0;
}

SEC("kprobe")
int on_entry(struct pt_regs *ctx)
{
	struct call call = call_at(ctx, ARCH_SP(ctx) + ARCH_CALL_PUSHES);

	return is_wanted_here() ? begin_call(call, ARCH_PC(ctx)) : 0;
}

/* It has returned. */
SEC("kprobe")
int on_return(struct pt_regs *ctx)
{
	return end(ctx, call_at(ctx, ARCH_SP(ctx)), false);
}

/* It is about to return, or to jump to another function. */
SEC("kprobe")
int on_leave(struct pt_regs *ctx)
{
	return end(ctx, call_at(ctx, ARCH_SP(ctx) + ARCH_CALL_PUSHES), true);
}
