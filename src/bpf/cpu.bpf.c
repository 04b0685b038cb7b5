/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU sampler's kernel part: a perf event program that takes the kernel's stack and unwinds the
 * user's with tables that user space has prepared. Sends registers and stack bytes if it cannot
 * unwind a stack. bpf/cpu.h describes the representation of stacks. The payload, if there is one,
 * is the address of the data. */
#define WALKS_LOG_READS 0

#include <linux/bpf_perf_event.h>

#include "bpf/cpu_state.bpf.h"
#include "bpf/fault.bpf.h"
#include "bpf/follow.bpf.h"
#include "bpf/hits.bpf.h"
#include "bpf/perf_event.bpf.h"
#include "bpf/walk/sample_out.bpf.h"
#include "bpf/walk/user_walk.bpf.h"

/* What sampling may take at once of a CPU's time. */
#define BURST_NS 20000000u

const volatile __u32 tick_ns = 2000; /* of an interrupt, beside the program */

/* Periods of clocks are no longer those that events were opened with. */
bool rate_changed;

char LICENSE[] SEC("license") = "GPL";

/* The registers with which the task left user mode, or was interrupted there. False: it never is in
 * user mode. */
static __noinline bool read_user_registers(struct bpf_perf_event_data *ctx,
					   const struct task_struct *task, struct pt_regs *ret)
{
	void *place;

	if (arch_in_user(&ctx->regs)) {
		arch_copy_context(&ctx->regs, ret);
		return true;
	}
	if (BPF_CORE_READ(task, flags) & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ||
	    !BPF_CORE_READ(task, mm))
		return false;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		place = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	else
		place = BPF_CORE_READ(task, stack) + ARCH_STACK_BYTES - sizeof(*ret);
	return bpf_probe_read_kernel(ret, sizeof(*ret), place) == 0 && ARCH_PC(ret);
}

static __always_inline __u64 now_ns(void)
{
	return clock_boottime ? bpf_ktime_get_boot_ns() : bpf_ktime_get_ns();
}

static __always_inline void count_cost(struct cpu_counts *count, __u64 ns)
{
	__u64 bucket = cpu_cost_bucket(ns);

	UNWIND_OPAQUE(bucket);
	count->cost[bucket & (CPU_COST_BUCKETS - 1)]++;
}

/* 32-bit code has tables of another kind: the kernel follows its frame pointers. */
static __always_inline void walk_foreign(struct bpf_perf_event_data *ctx, struct cpu_memory *memory)
{
	__u64 place = memory->walk.count;
	long bytes;

	UNWIND_OPAQUE(place);
	bytes = bpf_get_stack(ctx, memory->out.frame + (place & 255), CPU_KERNEL_FRAMES * 8,
			      BPF_F_USER_STACK);
	memory->walk.stop = STACK_STOP_FP_LOST;
	if (bytes > 0)
		memory->walk.count += bytes / 8;
}

/* Whether the program that entered execve() is gone already: the registers are still its, the
 * memory is the next one's. */
static __always_inline bool is_between_programs(const struct task_struct *task,
						const struct pt_regs *regs)
{
	__u64 word;

	return BPF_CORE_READ_BITFIELD_PROBED(task, in_execve) &&
	       bpf_probe_read_user(&word, sizeof(word), (void *)ARCH_SP(regs));
}

static __noinline void take_user_stack(struct bpf_perf_event_data *ctx, struct cpu_memory *memory,
				       struct cpu_counts *count)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	__u32 cpu = bpf_get_smp_processor_id();
	struct rule_cache *cache = bpf_map_lookup_elem(&caches, &cpu);
	struct walk *walk = &memory->walk;
	bool in_syscall;
	__u64 start;

	walk->stop = STACK_STOP_NONE;
	if (!cache || !read_user_registers(ctx, task, &memory->regs))
		return;
	walk->stop = WALK_HANDED_UP;
	if (!arch_is_native(&memory->regs)) {
		walk_foreign(ctx, memory);
		return;
	}
	in_syscall = !arch_in_user(&ctx->regs) && arch_in_syscall(&memory->regs);
	if (in_syscall && is_between_programs(task, &memory->regs)) {
		walk->stop = STACK_STOP_NONE;
		return;
	}
	if (in_syscall)
		memory->out.head.flags |= CPU_IN_SYSCALL;
	if (!find_space(walk))
		return;
	walk->hits = walk->misses = 0;
	start = bpf_ktime_get_ns();
	(void)python_start(&walk->python);
	walk_user(memory, cache, in_syscall);
	count_cost(count, bpf_ktime_get_ns() - start);
	count->walked++;
	count->cache_hits += walk->hits + walk->cached_frames;
	count->cache_misses += walk->misses;
	count->replaced += walk->met_replaced;
}

/* For clocks, the kernel reports the period with which they were opened, even after changes. A
 * clock's frequency is a period from its opening on. */
static __noinline __u64 period_of(struct bpf_perf_event_data *ctx)
{
	struct perf_event *event;

	if (!rate_changed ||
	    bpf_core_read(&event, sizeof(event),
			  &((struct bpf_perf_event_data_kern *)(void *)ctx)->event) ||
	    BPF_CORE_READ_BITFIELD_PROBED(&event->attr, freq))
		return ctx->sample_period;
	return BPF_CORE_READ(event, hw.sample_period);
}

static __noinline __u64 event_id(struct bpf_perf_event_data *ctx)
{
	struct perf_event *event, *parent;

	if (bpf_core_read(&event, sizeof(event),
			  &((struct bpf_perf_event_data_kern *)(void *)ctx)->event))
		return 0;
	parent = BPF_CORE_READ(event, parent);
	return parent ? BPF_CORE_READ(parent, id) : BPF_CORE_READ(event, id);
}

/* Events may come faster than stacks can be taken. Then the program that is sampled would stand
 * still; half of its time is the most we take, but for bursts. */
static __always_inline bool may_take_time(struct cpu_memory *memory, __u64 now)
{
	__u64 had = now - memory->left_ns;

	had = had > tick_ns ? had - tick_ns : 0;
	memory->debt_ns = memory->debt_ns > had ? memory->debt_ns - had : 0;
	memory->left_ns = now;
	return memory->debt_ns < BURST_NS;
}

/* A skipped sample is not lost: the next one on this CPU covers its period. With several events its
 * event is unknown. */
static __always_inline bool is_put_off(struct cpu_memory *memory, struct cpu_counts *count,
				       __u64 period, __u64 now)
{
	if (may_take_time(memory, now))
		return false;
	if (many_events)
		count->lost++;
	else
		memory->owed += period;
	return true;
}

/* What a sample would stand for; 0 = there is to be none. */
static __always_inline __u64 weight_of(struct bpf_perf_event_data *ctx, struct cpu_counts *count,
				       __u32 tid, __u64 id)
{
	struct cpu_hits *hits = any_counted ? bpf_map_lookup_elem(&counted, &id) : NULL;

	if (hits)
		return is_followed(tid) ? take_hit(hits) : 0;
	count->ticks += tid != 0;
	return period_of(ctx);
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_memory *memory = bpf_map_lookup_elem(&memories, &cpu);
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	bool in_user = arch_in_user(&ctx->regs);
	struct sample_facts facts = { .ip = ARCH_PC(&ctx->regs) };
	__u32 kernel_frames = 0;
	struct cpu_sample *head;
	__u64 start;
	long bytes;

	if (!memory || !count || !ring)
		return 0;
	if (many_events || any_counted)
		facts.id = event_id(ctx);
	start = bpf_ktime_get_ns();
	facts.period = weight_of(ctx, count, (__u32)pid_tgid, facts.id);
	if (!facts.period || is_put_off(memory, count, facts.period, start))
		return 0;
	facts.period += memory->owed;
	memory->owed = 0;
	if (program && !is_followed((__u32)pid_tgid))
		return 0;
	count->samples++;
	head = &memory->out.head;
	head->time_ns = now_ns();
	head->tid = (__u32)pid_tgid;
	head->pid = pid_tgid >> 32;
	head->flags = in_user ? 0 : CPU_IN_KERNEL;
	if (!in_user && with_kernel) {
		bytes = bpf_get_stack(ctx, memory->out.frame, CPU_KERNEL_FRAMES * 8, 0);
		if (bytes > 0)
			kernel_frames = bytes / 8;
	}
	memory->walk.count = kernel_frames;
	memory->walk.stop = STACK_STOP_NONE;
	if (with_user)
		take_user_stack(ctx, memory, count);
	if (with_payload && payload_is_registers) {
		if (in_user)
			arch_perf_registers(&memory->regs, memory->payload + 1);
		put_payload(memory, in_user ? CPU_REGISTERS * sizeof(__u64) : 0);
	} else if (with_payload) {
		memory->payload[1] = ctx->addr;
		if (payload_has_fault)
			take_fault(ctx->addr, start, memory->payload + 2);
		put_payload(memory, (payload_has_fault ? 3 : 1) * sizeof(__u64));
	}
	if (send_sample(ring, memory, count, kernel_frames, &facts))
		count->lost++;
	memory->left_ns = bpf_ktime_get_ns();
	memory->debt_ns += memory->left_ns - start;
	count->spent_ns += memory->left_ns - start;
	return 0;
}

/* Rules for code there may be outdated until user space has processed the change. */
static __always_inline void mark_replaced(struct unwind_space *space, __u64 start, __u64 end)
{
	if (space->replaced_ns > space->as_of_ns) { /* nor has it of the last one */
		start = start < space->replaced_start ? start : space->replaced_start;
		end = end > space->replaced_end ? end : space->replaced_end;
	}
	space->replaced_start = start;
	space->replaced_end = end;
	*(volatile __u64 *)&space->replaced_ns = now_ns();
}

/* A mapping is about to replace one in the table: a library was unloaded and another one loaded.
 * User space is notified a moment later. */
SEC("raw_tp/vm_unmapped_area")
int on_unmapped_area(struct bpf_raw_tracepoint_args *ctx)
{
	const struct vm_unmapped_area_info *info = (void *)ctx->args[1];
	struct unwind_space *space = unwind_space_of(bpf_get_current_pid_tgid() >> 32);
	__u64 start = ctx->args[0], end;
	struct unwind_range range;

	if (!space || (long)start < 0)
		return 0;
	end = start + BPF_CORE_READ(info, length);
	(void)unwind_find_range(NULL, UNWIND_LOAD(space->where), end - 1, &range);
	if (range.start < end && range.end > start)
		mark_replaced(space, start, end);
	return 0;
}

/* A mapping of code is put where the table has a file's: MAP_FIXED chooses the place itself and
 * unmaps what was there, so it does not pass by the point above. */
SEC("raw_tp/ma_write")
int on_map_write(struct bpf_raw_tracepoint_args *ctx)
{
	const struct ma_state *state = (void *)ctx->args[1];
	const struct vm_area_struct *area = (void *)ctx->args[3];
	const struct task_struct *task = (void *)bpf_get_current_task();
	struct unwind_space *space;
	struct unwind_range range;
	struct mm_struct *mm;
	__u64 start, end;

	mm = BPF_CORE_READ(task, mm);
	if (!bpf_core_field_exists(mm->mm_mt) || !mm || (long)area >= 0 ||
	    BPF_CORE_READ(state, tree) != &mm->mm_mt || !(BPF_CORE_READ(area, vm_flags) & VM_EXEC))
		return 0;
	space = unwind_space_of(bpf_get_current_pid_tgid() >> 32);
	if (!space)
		return 0;
	start = BPF_CORE_READ(state, index);
	end = BPF_CORE_READ(state, last) + 1;
	(void)unwind_find_range(NULL, UNWIND_LOAD(space->where), end - 1, &range);
	if (range.start < end && range.end > start && range.kind == UNWIND_RANGE_FILE)
		mark_replaced(space, start, end);
	return 0;
}
