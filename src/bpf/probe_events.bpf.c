/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples at places in programs, with the whole user stack of the hit. Where it is attached, the
 * cookie is the number of the place. A program at a uprobe may be preempted by another thread that
 * comes to one, so a hit takes the memory that it works in (walk/walk_slot.bpf.h). */
#define WALKS_LOG_READS 0

#include "bpf/probe_events.h"
#include "bpf/cpu_state.bpf.h"
#include "bpf/entered.bpf.h"
#include "bpf/fetch.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/own.bpf.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/task_stack.bpf.h"
#include "bpf/walk/walk_slot.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile bool everybody; /* all threads */
const volatile bool some_cpus; /* only those in wanted_cpus */
const volatile __u64 wanted_cpus[PROBE_EVENTS_CPUS / 64];
const volatile bool with_kernel_part = true; /* of stacks at functions of the kernel */

volatile bool enabled; /* by user space */

/* By number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading */
	__type(key, __u32);
	__type(value, struct probe_event);
} events SEC(".maps");

/* By the number of the place: the event's. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading */
	__type(key, __u32);
	__type(value, __u32);
} places SEC(".maps");

/* By memory: what is fetched at the hit that works in it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading */
	__type(key, __u32);
	__type(value, struct fetch_run);
} fetch_runs SEC(".maps");

static __always_inline bool is_wanted_cpu(__u32 cpu)
{
	__u64 place = cpu / 64 & (PROBE_EVENTS_CPUS / 64 - 1);

	return !some_cpus || wanted_cpus[place] >> (cpu & 63) & 1;
}

static __always_inline bool is_wanted_here(__u64 pid_tgid, __u32 cpu)
{
	if (!enabled || is_own(pid_tgid >> 32) || !is_wanted_cpu(cpu))
		return false;
	return everybody || is_followed((__u32)pid_tgid);
}

/* What a sample of this hit stands for; 0 = it is none. Sums are exact, also when CPUs race. */
static __always_inline __u64 take_hit(struct probe_event *event)
{
	__s64 period = UNWIND_LOAD(event->period);

	if (period <= 1)
		return 1;
	__sync_fetch_and_add(&event->unsent, 1);
	if (UNWIND_LOAD(event->unsent) < period)
		return 0;
	__sync_fetch_and_add(&event->unsent, -period);
	return period;
}

/* run: NULL = nothing was fetched. */
static __always_inline void put_data(struct cpu_memory *memory, __u32 type, __u64 pc,
				     const struct fetch_run *run)
{
	const __u32 words = sizeof(struct probe_event_data) / 8;
	const __u32 head = __builtin_offsetof(struct fetch_result, text);
	__u64 len;
	struct probe_event_data data = { .type = type, .pid = memory->out.head.tid, .pc = pc };

	__builtin_memcpy(memory->payload + 1, &data, sizeof(data));
	put_payload(memory, sizeof(data));
	if (!run)
		return;
	__builtin_memcpy(memory->payload + 1 + words, &run->result, head);
	len = run->result.text_len;
	UNWIND_OPAQUE(len);
	if (len > FETCH_TEXT)
		len = FETCH_TEXT;
	if (len)
		bpf_probe_read_kernel(memory->payload + 1 + words + head / 8, len,
				      run->result.text);
	put_payload(memory, sizeof(data) + head + len);
}

struct hit {
	const struct probe_event *event;
	__u64 weight;
	const struct fetch_run *run; /* NULL = nothing is fetched */
	void *kernel_context;	     /* of a function of the kernel; NULL = of a program's */
};

/* The kernel's part of the stack; how many frames it has. */
static __always_inline __u32 take_kernel_part(const struct hit *hit, struct cpu_memory *memory)
{
	long bytes = 0;

	if (hit->kernel_context && with_kernel_part)
		bytes = bpf_get_stack(hit->kernel_context, memory->out.frame, CPU_KERNEL_FRAMES * 8,
				      0);
	return bytes > 0 ? (__u32)bytes / 8 : 0;
}

static __always_inline long take_sample(__u32 slot, const struct hit *hit, struct cpu_counts *count)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &slot);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct sample_facts facts = { .id = hit->event->id, .period = hit->weight };
	struct cpu_sample *head;
	__u32 kernel_frames;

	if (!memory || !ring)
		return -1;
	head = &memory->out.head;
	head->time_ns = clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
	head->tid = (__u32)pid_tgid;
	head->pid = pid_tgid >> 32;
	head->flags = hit->kernel_context ? CPU_IN_KERNEL : 0;
	kernel_frames = take_kernel_part(hit, memory);
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	(void)take_user_stack(memory, count, slot);
	facts.ip = hit->kernel_context ? bpf_get_func_ip(hit->kernel_context)
				       : ARCH_PC(&memory->regs);
	put_data(memory, hit->event->type, facts.ip, hit->run);
	return send_sample(ring, memory, count, kernel_frames, &facts);
}

static __always_inline int pass(void *regs, bool fetches, bool of_kernel)
{
	__u32 cpu = bpf_get_smp_processor_id(), place;
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	struct hit hit = { 0 };
	struct fetch_run *run;
	struct probe_event *event;
	__u64 began_ns;
	__u32 *number;
	long code = -1;
	int slot;

	if (!count || !is_wanted_here(bpf_get_current_pid_tgid(), cpu))
		return 0;
	place = (__u32)bpf_get_attach_cookie(regs);
	number = bpf_map_lookup_elem(&places, &place);
	event = number ? bpf_map_lookup_elem(&events, number) : NULL;
	hit.event = event;
	hit.kernel_context = of_kernel ? regs : NULL;
	hit.weight = event ? take_hit(event) : 0;
	if (!hit.weight)
		return 0;
	began_ns = bpf_ktime_get_ns();
	slot = take_slot();
	if (slot >= 0) {
		run = fetches ? bpf_map_lookup_elem(&fetch_runs, &slot) : NULL;
		if (run) {
			fetch_start(run, regs, place, 0);
			if (fetch_in_map(run, of_kernel))
				hit.run = run;
		}
		code = take_sample((__u32)slot, &hit, count);
		leave_slot((__u32)slot);
	}
	__sync_fetch_and_add(&count->samples, 1);
	if (code)
		__sync_fetch_and_add(&count->lost, 1);
	__sync_fetch_and_add(&count->spent_ns, bpf_ktime_get_ns() - began_ns);
	return 0;
}

/* For uprobe_multi or, with kernels before 6.6, an event for each place. */
SEC("kprobe")
int on_hit(bpf_user_pt_regs_t *regs)
{
	return pass(regs, false, false);
}

/* Instead, where values are fetched: it may sleep, to read what is not in memory. */
SEC("uprobe.s")
int on_hit_fetch(void *regs)
{
	return pass(regs, true, false);
}

SEC("kprobe")
int on_kernel_hit(void *regs)
{
	return pass(regs, false, true);
}

SEC("kprobe")
int on_kernel_hit_fetch(void *regs)
{
	return pass(regs, true, true);
}

SEC("kprobe")
int on_enter(bpf_user_pt_regs_t *regs)
{
	return enter_call(regs);
}

SEC("kprobe")
int on_leave(bpf_user_pt_regs_t *regs)
{
	return leave_call(regs) ? pass(regs, false, false) : 0;
}

SEC("uprobe.s")
int on_leave_fetch(void *regs)
{
	return leave_call(regs) ? pass(regs, true, false) : 0;
}
