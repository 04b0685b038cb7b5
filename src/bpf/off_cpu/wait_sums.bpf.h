/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of waits: long ones as samples, short ones, and all while a ring fills up, as sums by
 * thread and stack; each thread has its current sum. */
#ifndef BPF_WAIT_SUMS_BPF_H
#define BPF_WAIT_SUMS_BPF_H

#include "bpf/off_cpu/calls.bpf.h"
#include "bpf/off_cpu/thread.bpf.h"
#include "bpf/walk/stack_out.bpf.h"

#define SUM_KEPT_NS 200000000u

/* Two by turns: one is added to while user space empties the other. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct off_cpu_sum_key);
	__type(value, struct off_cpu_sum);
} sums SEC(".maps"), odd_sums SEC(".maps");

volatile __u32 odd_turn;

/* A sample: head, the event's id when there are several, the weight when it is long. */
struct sample_record {
	struct cpu_sample head;
	__u64 word[2];
};

SUBPROGRAM int emit_sample(const struct taken *stack, __u64 now_ns, __u64 ns, __u64 id)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct cpu_counts *count = bpf_map_lookup_elem(&counts, &cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct sample_record record = { 0 };
	__u64 bytes = sizeof(record.head);

	if (!ring || !count || !stack)
		return 0;
	record.head.time_ns = now_ns;
	record.head.base = stack->stack;
	record.head.pid = stack->pid;
	record.head.tid = stack->tid;
	record.head.flags = (with_kernel ? CPU_IN_KERNEL : 0) | (stack->raw ? OFF_CPU_RAW : 0);
	record.head.kind = CPU_WALKED;
	record.head.period = ns < UINT32_MAX ? ns : UINT32_MAX;
	record.word[0] = many_events ? id : ns;
	record.word[1] = ns;
	if (many_events)
		bytes += 8;
	if (ns >= UINT32_MAX)
		bytes += 8;
	count->samples++;
	if (bpf_ringbuf_output(ring, &record, bytes & 63, wakeup(ring, stack->fresh)))
		count->lost++;
	return 0;
}

static __always_inline struct off_cpu_sum *sum_in(void *map, const struct off_cpu_sum_key *key)
{
	static const struct off_cpu_sum none;
	struct off_cpu_sum *sum = bpf_map_lookup_elem(map, key);

	if (sum)
		return sum;
	(void)bpf_map_update_elem(map, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline struct off_cpu_sum *sum_of(const struct off_cpu_sum_key *key)
{
	return odd_turn ? sum_in(&odd_sums, key) : sum_in(&sums, key);
}

/* Flushes a thread's current sum. Without room it is sent as a single wait. */
SUBPROGRAM int flush_sum(struct pending_sum *pending, __u64 now_ns)
{
	struct off_cpu_sum_key key; /* a copy: old kernels take no key from an argument */
	struct off_cpu_sum *sum;

	if (!pending || !pending->sum.count)
		return 0;
	key = pending->key;
	sum = key.raw || key.waker_raw ? NULL : sum_of(&key); /* a raw stack is reported once */
	if (sum) {
		/* Only written by the thread's waker, one at a time. */
		sum->ns += pending->sum.ns;
		sum->count += pending->sum.count;
		sum->last_ns = now_ns;
		if (pending->sum.max_ns > sum->max_ns)
			sum->max_ns = pending->sum.max_ns;
	} else {
		struct taken waiter = { key.stack, key.pid, key.tid, key.raw, false };
		struct taken waker = { key.waker_stack, key.waker_pid, key.waker_tid, key.waker_raw,
				       false };

		if (waker.stack)
			(void)emit_sample(&waker, now_ns, pending->sum.ns, wakeup_id);
		if (with_sleepers)
			(void)emit_sample(&waiter, now_ns, pending->sum.ns, off_cpu_id);
	}
	pending->sum.ns = pending->sum.count = pending->sum.max_ns = 0;
	return 0;
}

static __always_inline void add_up(struct thread *thread, const struct taken *waker, __u64 now_ns,
				   __u64 ns)
{
	struct pending_sum *pending = &thread->pending;
	struct off_cpu_sum_key *key = &pending->key;

	if (pending->sum.count &&
	    (key->stack != thread->taken.stack || key->waker_stack != waker->stack ||
	     key->waker_tid != waker->tid || now_ns - pending->first_ns > SUM_KEPT_NS))
		(void)flush_sum(pending, now_ns);
	if (!pending->sum.count) {
		pending->first_ns = now_ns;
		*key = (struct off_cpu_sum_key){ thread->taken.stack, waker->stack,
						 thread->taken.pid,   thread->taken.tid,
						 waker->pid,	      waker->tid,
						 thread->taken.raw,   waker->raw };
	}
	pending->sum.ns += ns;
	pending->sum.count++;
	if (ns > pending->sum.max_ns)
		pending->sum.max_ns = ns;
}

/* Whether the ring of this CPU is filled faster than it is read: what does not fit would be lost.
 */
static __noinline bool is_crowded(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	return ring && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >
			       bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 2;
}

/* The wait of a thread that is watched is over. */
static __always_inline void end_wait(struct thread *thread, const struct taken *waker, __u64 now_ns)
{
	__u64 ns = now_ns - thread->since_ns;

	if (with_calls) {
		(void)end_call_wait(thread, now_ns);
		return;
	}
	if (ns < min_ns || ns > max_ns)
		return;
	/* Raw stacks are not kept for long, new names have to be read. */
	if ((ns < threshold_ns || is_crowded()) && !waker->raw && !waker->fresh &&
	    !thread->taken.fresh) {
		add_up(thread, waker, now_ns, ns);
		return;
	}
	if (waker->stack)
		(void)emit_sample(waker, now_ns, ns, wakeup_id);
	if (with_sleepers)
		(void)emit_sample(&thread->taken, now_ns, ns, off_cpu_id);
	thread->taken.fresh = false;
}

#endif
