/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run queues: long waits for a CPU, reported when the thread runs (tp_btf programs), and queue
 * lengths, sampled on every CPU (a perf_event program). User space loads the part it needs. */
#include <stdbool.h>

#include "bpf/run_queue_delay.h"

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/kernel.h"
#include "bpf/targets.bpf.h"
#include "bpf/task_state.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile __u64 min_ns;
const volatile bool by_pid, by_tid;  /* only those in targets; neither = all threads */
const volatile char comm_wanted[16]; /* "" = any */

__u64 lost;

/* Since when a thread could run; 0 = it runs, or sleeps. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} runnable SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} delays SEC(".maps");

/* Samples by CPU and length. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RUN_QUEUE_LENGTHS); /* times the number of CPUs */
	__type(key, __u32);
	__type(value, __u64);
} lengths SEC(".maps");

static __always_inline bool is_wanted(struct task_struct *task)
{
	__u32 id = by_pid ? (__u32)task->tgid : (__u32)task->pid;

	if (!task->pid || ((by_pid || by_tid) && !is_target(id)))
		return false;
	for (int i = 0; comm_wanted[0] && i < 16; i++) {
		if (task->comm[i] != comm_wanted[i])
			return false;
		if (!comm_wanted[i])
			break;
	}
	return in_cgroup(task);
}

static __always_inline void begin(struct task_struct *task, __u64 now_ns)
{
	__u64 *since_ns;

	if (!is_wanted(task))
		return;
	since_ns = bpf_task_storage_get(&runnable, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (since_ns)
		*since_ns = now_ns;
	else
		__sync_fetch_and_add(&lost, 1);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	begin(task, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	begin(task, bpf_ktime_get_ns());
	return 0;
}

static __always_inline void emit(struct task_struct *task, struct task_struct *previous,
				 __u64 since_ns, __u64 now_ns)
{
	struct run_queue_delay *delay = bpf_ringbuf_reserve(&delays, sizeof(*delay), 0);

	if (!delay) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	delay->time_ns = now_ns;
	delay->delay_ns = now_ns - since_ns;
	delay->pid = (__u32)task->tgid;
	delay->tid = (__u32)task->pid;
	delay->previous_tid = (__u32)previous->pid;
	delay->cpu = bpf_get_smp_processor_id();
	__builtin_memcpy(delay->comm, task->comm, sizeof(delay->comm));
	__builtin_memcpy(delay->previous_comm, previous->comm, sizeof(delay->previous_comm));
	bpf_ringbuf_submit(delay, 0);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now_ns = bpf_ktime_get_ns(), *since_ns;

	if (preempt || task_state(prev) == TASK_RUNNING) {
		begin(prev, now_ns);
	} else {
		/* Woken before it had left: it will be woken again. */
		since_ns = bpf_task_storage_get(&runnable, prev, NULL, 0);
		if (since_ns)
			*since_ns = 0;
	}
	since_ns = bpf_task_storage_get(&runnable, next, NULL, 0);
	if (!since_ns || !*since_ns)
		return 0;
	if (now_ns - *since_ns >= min_ns)
		emit(next, prev, *since_ns, now_ns);
	*since_ns = 0;
	return 0;
}

/* Of all classes, where the queue is known; else those that are scheduled fairly, of one cgroup. */
static __always_inline __u32 threads_here(void)
{
	struct cfs_rq *fair = BPF_CORE_READ(bpf_get_current_task_btf(), se.cfs_rq);
	struct cfs_rq___since_6_14 *renamed = (void *)fair;

	if (bpf_core_field_exists(fair->rq))
		return BPF_CORE_READ(fair, rq, nr_running);
	if (bpf_core_field_exists(renamed->nr_queued))
		return BPF_CORE_READ(renamed, nr_queued);
	return BPF_CORE_READ(fair, nr_running);
}

SEC("perf_event")
int on_sample(void *context)
{
	__u32 length = threads_here(), key;
	__u64 *count;

	length -= length > 0; /* the thread that runs does not wait */
	if (length > RUN_QUEUE_LENGTHS - 1)
		length = RUN_QUEUE_LENGTHS - 1;
	key = bpf_get_smp_processor_id() * RUN_QUEUE_LENGTHS + length;
	count = bpf_map_lookup_elem(&lengths, &key);
	if (count)
		++*count;
	return 0;
}
