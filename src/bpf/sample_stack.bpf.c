/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks of samples that perf takes at tracepoints. The program is attached to the tracepoint
 * after perf is, so it runs right behind perf, and looks whether perf has written a record:
 * filters, targets and periods are perf's matter alone. If so, it walks the stack and sends it with
 * the times between which perf wrote. User space joins the two (source/bpf/stack_join.h). */
#define WALKS_LOG_READS 0

#include "bpf/sample_stack.h"
#include "bpf/cpu_state.bpf.h"
#include "bpf/perf_event.bpf.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/task_stack.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* A CPU's rings of perf's records: while one is replaced by a larger one there are two. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, SAMPLE_STACK_RINGS); /* for each CPU */
	__type(key, __u32);
	__type(value, __u32);
} perf_rings SEC(".maps");

/* Where perf_rings is in the kernel. The verifier follows pointers to maps, but not memory. */
__u64 perf_rings_at;

struct hit_state {
	__u64 written; /* perf_written() at the latest hit */
	__u64 left_ns; /* when the program ended that had one */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hit_state);
} hit_states SEC(".maps");

static __always_inline __u64 ring_head(__u64 entries, __u32 place)
{
	struct bpf_event_entry *entry;
	struct perf_buffer *ring;

	if (bpf_probe_read_kernel(&entry, sizeof(entry), (void *)(entries + place * 8ull)) ||
	    !entry)
		return 0;
	ring = BPF_CORE_READ(entry, event, rb);
	return ring ? (__u64)BPF_CORE_READ(ring, head.a.counter) : 0;
}

/* Bytes of this CPU's records so far; differs from what it was if there is a new one. */
static __always_inline __u64 perf_written(__u32 cpu)
{
	__u64 entries, bytes = 0;

	if (!*(volatile __u64 *)&perf_rings_at)
		*(volatile __u64 *)&perf_rings_at = (__u64)&perf_rings;
	entries = *(volatile __u64 *)&perf_rings_at + bpf_core_field_offset(struct bpf_array, ptrs);
	for (__u32 i = 0; i < SAMPLE_STACK_RINGS; i++)
		bytes += ring_head(entries, cpu * SAMPLE_STACK_RINGS + i);
	return bytes;
}

static __always_inline __u64 now_ns(void)
{
	return clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
}

/* The kernel does not run it again on a CPU where it is running: a hit in an interrupt meanwhile
 * has no stack. */
SEC("raw_tp")
int on_hit(void *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id(), zero = 0;
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	struct hit_state *state = bpf_map_lookup_elem(&hit_states, &zero);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 pid_tgid = bpf_get_current_pid_tgid(), written;
	struct sample_facts facts = { 0 };
	struct cpu_sample *head;

	(void)ctx;
	if (!memory || !count || !ring || !state)
		return 0;
	written = perf_written(cpu);
	if (written == state->written)
		return 0;
	state->written = written;
	count->samples++;
	head = &memory->out.head;
	head->time_ns = now_ns();
	head->tid = (__u32)pid_tgid;
	head->pid = pid_tgid >> 32;
	head->flags = 0;
	memory->walk.count = 0;
	memory->walk.stop = STACK_STOP_NONE;
	(void)take_user_stack(memory, count, cpu);
	memory->payload[1] = state->left_ns;
	put_payload(memory, sizeof(__u64));
	if (send_sample(ring, memory, count, 0, &facts))
		count->lost++;
	state->left_ns = now_ns();
	count->spent_ns += state->left_ns - head->time_ns;
	return 0;
}
