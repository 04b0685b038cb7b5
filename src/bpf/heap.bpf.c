/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampled blocks of memory, with the whole user stack of the call: attached to the functions of the
 * preloaded library (heap/preload.h) that do nothing. */
#define WALKS_LOG_READS 0

#include "bpf/cpu_state.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/heap_probes.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/task_stack.bpf.h"
#include "bpf/walk/walk_slot.bpf.h"

#include "event/heap_block.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile __u64 token;	       /* of this run: other runs use the same library */
const volatile __u64 ids[HEAP_PROBES]; /* of the events */

/* Programs that loaded the library, and what it found there. */
__u64 starts, own_malloc;

/* Programs that began, and those that had no room in `begun`. */
__u64 programs, unlisted;

/* By number: programs that did not load the library, up to now. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HEAP_PROGRAMS);
	__type(key, __u64);
	__type(value, struct heap_program_name);
} begun SEC(".maps");

/* The number of a process's program. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HEAP_PROGRAMS);
	__type(key, __u32);
	__type(value, __u64);
} numbers SEC(".maps");

/* A sample of what happens at an instruction. Only the stacks of allocations are of use. */
struct hit {
	__u64 ip, time_ns;
	bool allocates;
};

static __always_inline long take_sample(__u32 slot, const struct hit *hit,
					const struct heap_block *block, struct cpu_counts *count)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &slot);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct sample_facts facts = { .id = ids[hit->allocates ? HEAP_AT_ALLOC : HEAP_AT_FREE],
				      .period = 1,
				      .ip = hit->ip };
	struct cpu_sample *head;

	if (!memory || !ring)
		return -1;
	head = &memory->out.head;
	head->time_ns = clock_boottime ? bpf_ktime_get_boot_ns() : hit->time_ns;
	head->tid = (__u32)pid_tgid;
	head->pid = pid_tgid >> 32;
	head->flags = 0;
	memory->walk.count = 0;
	memory->walk.stop = STACK_STOP_NONE;
	if (hit->allocates)
		(void)take_user_stack(memory, count, slot);
	__builtin_memcpy(memory->payload + 1, block, sizeof(*block));
	put_payload(memory, sizeof(*block));
	return send_sample(ring, memory, count, 0, &facts);
}

static __always_inline void note_found(__u64 found)
{
	if (found & HEAP_START_OWN_MALLOC)
		__sync_fetch_and_add(&own_malloc, 1);
}

static __always_inline void note_start(__u32 pid)
{
	__u64 *number = bpf_map_lookup_elem(&numbers, &pid);

	__sync_fetch_and_add(&starts, 1);
	if (!number)
		return;
	bpf_map_delete_elem(&begun, number);
	bpf_map_delete_elem(&numbers, &pid);
}

/* Besides on_exec(), in any order. */
SEC("raw_tp/sched_process_exec")
int on_program(struct bpf_raw_tracepoint_args *ctx)
{
	const struct linux_binprm *binary = (void *)ctx->args[2];
	__u64 pid_tgid = bpf_get_current_pid_tgid(), number;
	__u32 pid = pid_tgid >> 32, old_tid = (__u32)ctx->args[1];
	struct heap_program_name name = { 0 };

	if (pid != program && !is_followed(old_tid) && !is_followed((__u32)pid_tgid))
		return 0;
	number = __sync_fetch_and_add(&programs, 1);
	bpf_probe_read_kernel_str(name.text, sizeof(name.text), BPF_CORE_READ(binary, filename));
	if (bpf_map_update_elem(&begun, &number, &name, BPF_ANY) ||
	    bpf_map_update_elem(&numbers, &pid, &number, BPF_ANY))
		__sync_fetch_and_add(&unlisted, 1);
	return 0;
}

SEC("kprobe")
int on_hit(bpf_user_pt_regs_t *regs)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	struct heap_block block = { ARCH_ARG0(regs), ARCH_ARG1(regs) };
	__u64 probe = bpf_get_attach_cookie(regs);
	struct hit hit = { .ip = ARCH_PC(regs), .allocates = probe == HEAP_AT_ALLOC };
	long code = -1;
	int slot;

	if (!count || ARCH_ARG2(regs) != token)
		return 0;
	if (probe >= HEAP_AT_START) {
		if (block.size == HEAP_START_FOUND) {
			note_found(block.address);
			return 0;
		}
		if (block.size == HEAP_START_GROWN) {
			block.size = HEAP_GROWN;
		} else {
			note_start(bpf_get_current_pid_tgid() >> 32);
			block.address = 0;
			block.size = HEAP_BEGUN;
		}
	}
	hit.time_ns = bpf_ktime_get_ns();
	slot = take_slot();
	if (slot >= 0) {
		code = take_sample((__u32)slot, &hit, &block, count);
		leave_slot((__u32)slot);
	}
	__sync_fetch_and_add(&count->samples, 1);
	if (code)
		__sync_fetch_and_add(&count->lost, 1);
	__sync_fetch_and_add(&count->spent_ns, bpf_ktime_get_ns() - hit.time_ns);
	return 0;
}
