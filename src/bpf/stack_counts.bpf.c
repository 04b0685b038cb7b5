/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts how often places in programs and tracepoints are passed, by thread and whole stack. A
 * stack is walked and named here (bpf/cpu.h), so that counts are sums, and exact at any rate. One
 * that only user space can walk goes up as it is, and counts as one. */
#define WALKS_LOG_READS 0

#include <stdbool.h>

#include "bpf/cpu_state.bpf.h"
#include "bpf/own.bpf.h"
#include "bpf/stack_counts.h"
#include "bpf/thread_filter.bpf.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/stack_name.bpf.h"
#include "bpf/walk/task_stack.bpf.h"
#include "bpf/walk/walk_slot.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile bool with_kernel_part = true; /* of the stacks of events in the kernel */

volatile bool stopped; /* by user space */
__u64 lost;	       /* hits that found no room for a sum */

/* Two by turns: one is added to while user space empties the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACK_COUNTS_SUMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct stack_count_key);
	__type(value, __u64);
} sums SEC(".maps"), odd_sums SEC(".maps");

volatile __u32 odd_turn;

static __always_inline void add_in(void *map, const struct stack_count_key *key)
{
	static const __u64 one = 1;
	__u64 *sum = bpf_map_lookup_elem(map, key);

	if (!sum) {
		if (!bpf_map_update_elem(map, key, &one, BPF_NOEXIST))
			return;
		sum = bpf_map_lookup_elem(map, key); /* another CPU was faster */
	}
	if (sum)
		__sync_fetch_and_add(sum, 1);
	else
		__sync_fetch_and_add(&lost, 1);
}

static __always_inline void add(const struct stack_count_key *key)
{
	if (odd_turn)
		add_in(&odd_sums, key);
	else
		add_in(&sums, key);
}

/* Whether the stack in memory was sent to user space for unwinding, as one hit. Else it may be
 * named as far as it is known. */
static __always_inline bool hand_up(void *ring, struct cpu_memory *memory, struct cpu_counts *count,
				    __u32 kernel_frames)
{
	const struct sample_facts facts = { .period = 1,
					    .ip = kernel_frames ? memory->out.frame[0]
								: ARCH_PC(&memory->regs) };
	long code;

	if (!may_send_raw(ring, memory, memory->out.head.time_ns)) {
		count->raw_refused++;
		give_up(memory, kernel_frames, false);
		return false;
	}
	code = send_raw(ring, memory, kernel_frames, &facts);
	if (!code)
		count->raw++;
	else
		give_up(memory, kernel_frames, code == NOTHING_THERE);
	return !code;
}

/* Names the current stack in the key. True: it was sent, and is counted thereby. */
static __always_inline bool take_stack(void *ctx, __u32 slot, bool in_kernel,
				       struct stack_count_key *key)
{
	__u32 cpu = bpf_get_smp_processor_id(), kernel_frames = 0;
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &slot);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	long bytes;

	if (!memory || !count || !ring)
		return false;
	memory->out.head.time_ns = clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
	memory->out.head.pid = key->pid;
	memory->out.head.tid = key->tid;
	memory->out.head.flags = in_kernel ? CPU_IN_KERNEL : 0;
	if (in_kernel && with_kernel_part) {
		bytes = bpf_get_stack(ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8, 0);
		if (bytes > 0)
			kernel_frames = (__u32)bytes / 8;
	}
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	if (with_user)
		(void)take_user_stack(memory, count, slot);
	if (must_go_up(memory->walk.stop) && hand_up(ring, memory, count, kernel_frames))
		return true;
	key->stack = name_stack(ring, memory);
	memory->walk.python.fresh = false;
	return false;
}

static __always_inline int take_hit(void *ctx, bool in_kernel)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct stack_count_key key = { 0, pid_tgid >> 32, (__u32)pid_tgid };
	bool sent = false;
	int slot;

	if (stopped || is_own(key.pid) || !is_wanted_here())
		return 0;
	slot = take_slot();
	if (slot >= 0) {
		sent = take_stack(ctx, (__u32)slot, in_kernel, &key);
		leave_slot((__u32)slot);
	}
	if (!sent)
		add(&key);
	return 0;
}

/* For uprobe_multi or, with kernels before 6.6, an event for each place. */
SEC("kprobe")
int on_place(void *ctx)
{
	return take_hit(ctx, false);
}

SEC("tp")
int on_tracepoint(void *ctx)
{
	return take_hit(ctx, true);
}

/* At the beginning of a function of the kernel. */
SEC("kprobe")
int on_kernel(void *ctx)
{
	return take_hit(ctx, true);
}
