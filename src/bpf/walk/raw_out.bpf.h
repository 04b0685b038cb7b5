/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends what user space must unwind: registers and the stack's bytes, as far as they are there. */
#ifndef BPF_RAW_OUT_BPF_H
#define BPF_RAW_OUT_BPF_H

#include "bpf/arch/arch.bpf.h"
#include "bpf/loop.bpf.h"
#include "bpf/walk/stack_out.bpf.h"

#define NS_PER_SECOND 1000000000ull
#define NOTHING_THERE 1 /* what send_raw() says when there is no stack */

/* What only another look at the process, or all its registers, can make whole. */
static __always_inline bool must_go_up(__u32 stop)
{
	return stop == WALK_HANDED_UP || stop == STACK_STOP_UNSUPPORTED ||
	       stop == STACK_STOP_NO_MAPPING || stop == STACK_STOP_READ_FAULT;
}

/* What is left of this second's bytes is enough, and half of the ring stays for other samples. */
static __always_inline bool may_send_raw(void *ring, struct cpu_memory *memory, __u64 time_ns)
{
	if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >
	    bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 2)
		return false;
	if (time_ns - memory->tokens_ns >= NS_PER_SECOND) {
		memory->tokens_ns = time_ns;
		memory->tokens = raw_bytes_per_second;
	}
	return memory->tokens >= sizeof(struct outgoing_raw);
}

/* One page of the stack, so that what is there is copied up to the first page that is not. A
 * function that has just made room for itself may have its stack pointer in a page that never was
 * used. What is done so far is kept in the map, where the verifier takes it for unknown, or it
 * would go through all rounds one by one. */
static long copy_page(__u32 index, struct cpu_memory **where)
{
	struct cpu_memory *memory = *where;
	struct raw_copy *copy;
	__u64 place, from, len;

	(void)index;
	if (!memory)
		return 1;
	copy = &memory->copy;
	place = copy->at + copy->done;
	from = copy->from + copy->skip + copy->done;
	len = 4096 - (from & 4095);
	if (copy->skip + copy->done >= copy->len)
		return 1;
	if (len > copy->len - copy->skip - copy->done)
		len = copy->len - copy->skip - copy->done;
	UNWIND_OPAQUE(place);
	UNWIND_OPAQUE(len);
	place &= STACK_ROOM - 1;
	len &= 8191;
	if (len > 4096)
		return 1;
	if (bpf_probe_read_user(memory->raw.rest + place, len, (void *)from)) {
		if (copy->done)
			return 1;
		copy->skip += len;
		return 0;
	}
	copy->done += len;
	return 0;
}

/* The main thread's stack ends a little above where the kernel put the program's arguments, which
 * no walk needs. Those of other threads end where C libraries put what belongs to the thread. */
static __always_inline __u32 stack_bytes(__u64 sp)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	__u64 most = BPF_CORE_READ(task, mm, start_stack) + 8 - sp;
	__u64 own = arch_thread_pointer(task) - sp; /* wraps where that is below */

	most = most < CPU_STACK_BYTES ? most : CPU_STACK_BYTES;
	return own < most ? own : most;
}

static __always_inline void copy_kernel_frames(struct cpu_memory *memory, __u32 kernel_frames)
{
	__u64 bytes = kernel_frames * 8ull;

	UNWIND_OPAQUE(bytes);
	if (bytes <= CPU_KERNEL_FRAMES * 8)
		bpf_probe_read_kernel(memory->raw.rest, bytes, memory->out.frame);
}

/* Behind the kernel's frames. Returns its bytes. */
static __always_inline __u32 put_raw_payload(struct cpu_memory *memory, __u32 kernel_frames)
{
	__u64 place = kernel_frames * 8ull, bytes = payload_bytes(memory);

	if (!bytes)
		return 0;
	UNWIND_OPAQUE(place);
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(memory->payload))
		return 0;
	bpf_probe_read_kernel(memory->raw.rest + (place & (STACK_ROOM - 1)), bytes,
			      memory->payload);
	return bytes;
}

/* The stack is in memory->raw, as memory->copy says. */
static __always_inline long send_copied(void *ring, struct cpu_memory *memory, __u32 kernel_frames,
					const struct sample_facts *facts)
{
	struct outgoing_raw *raw = &memory->raw;
	const struct raw_copy *copy = &memory->copy;
	__u64 bytes;

	raw->head = memory->out.head;
	raw->head.kind = CPU_RAW;
	raw->head.base = facts->base;
	raw->head.frames = kernel_frames;
	raw->head.period = 0;
	raw->raw.id = facts->id;
	raw->raw.period = facts->period;
	raw->raw.ip = facts->ip;
	raw->raw.stack_skip = copy->skip;
	raw->raw.fault = memory->walk.stop == STACK_STOP_READ_FAULT ? memory->walk.sp : 0;
	arch_perf_registers(&memory->regs, raw->raw.reg);
	copy_kernel_frames(memory, kernel_frames);
	bytes = offsetof(struct outgoing_raw, rest) + copy->at + copy->done;
	UNWIND_OPAQUE(bytes);
	if (bytes > sizeof(*raw))
		return -1;
	memory->tokens -= bytes;
	return bpf_ringbuf_output(ring, raw, bytes, wakeup(ring, true));
}

static __noinline long send_raw(void *ring, struct cpu_memory *memory, __u32 kernel_frames,
				const struct sample_facts *facts)
{
	__u64 sp = ARCH_SP(&memory->regs);
	struct raw_copy *copy = &memory->copy;

	copy->from = sp;
	copy->at = kernel_frames * 8 + put_raw_payload(memory, kernel_frames);
	copy->len = stack_bytes(sp);
	copy->done = copy->skip = 0;
	LOOP(CPU_STACK_BYTES / 4096 + 1, copy_page, &memory);
	return copy->done ? send_copied(ring, memory, kernel_frames, facts) : NOTHING_THERE;
}

#endif
