/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a program and its descendants, followed from its exec on, while CPUs are sampled
 * instead of threads: this includes threads that live for less than a sample's period. */
#ifndef BPF_FOLLOW_BPF_H
#define BPF_FOLLOW_BPF_H

#include "bpf/cpu_state.bpf.h"

/* Only what it is after its exec, and what it forks, is sampled; 0 = everything. */
const volatile __u32 program;

/* By thread id. The value identifies the thread: an id may be reused before the end of its previous
 * thread is reported. 0: user space has put it here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} followed SEC(".maps");

static __always_inline bool is_followed(__u32 tid)
{
	__u64 *thread = bpf_map_lookup_elem(&followed, &tid);

	return thread && (!*thread || *thread == bpf_get_current_task());
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), thread = bpf_get_current_task();
	__u32 tid = (__u32)pid_tgid, old_tid = (__u32)ctx->args[1];

	if (pid_tgid >> 32 == program || is_followed(old_tid))
		bpf_map_update_elem(&followed, &tid, &thread, BPF_ANY);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *child = (void *)ctx->args[1];
	__u32 parent_tid = (__u32)bpf_get_current_pid_tgid(), tid;
	__u64 thread = ctx->args[1];

	if (!is_followed(parent_tid))
		return 0;
	tid = (__u32)BPF_CORE_READ(child, pid);
	bpf_map_update_elem(&followed, &tid, &thread, BPF_ANY);
	return 0;
}

/* The thread is gone. A short one's end may be a good part of it, so it is followed up to here. */
SEC("raw_tp/sched_process_free")
int on_free(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)ctx->args[0];
	__u32 tid = (__u32)BPF_CORE_READ(task, pid);
	__u64 *thread = bpf_map_lookup_elem(&followed, &tid);

	if (thread && (!*thread || *thread == ctx->args[0]))
		bpf_map_delete_elem(&followed, &tid);
	return 0;
}

#endif
