/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads a tool counts: chosen processes or threads, those of a name, of a cgroup, or a
 * program and its descendants. User space loads the programs that it needs. */
#ifndef BPF_THREAD_FILTER_BPF_H
#define BPF_THREAD_FILTER_BPF_H

#include <stdbool.h>

#include "bpf/cgroup_filter.bpf.h"
#include "bpf/kernel.h"
#include "bpf/targets.bpf.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* Set before loading. */
const volatile bool by_pid, by_tid;  /* only those in targets; neither = all threads */
const volatile char comm_wanted[16]; /* "" = any */
const volatile __u32 uid_plus_one;   /* only threads of this user; 0 = any */
const volatile __u32 program;	     /* it is in targets from its exec on, with by_pid; 0 = none */

static __always_inline bool has_name(const char *comm)
{
	for (int i = 0; i < 16; i++) {
		if (comm[i] != comm_wanted[i])
			return false;
		if (!comm_wanted[i])
			break;
	}
	return true;
}

/* Whether the running thread is meant. */
static __always_inline bool is_wanted_here(void)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	char comm[16] = "";

	if (by_pid && !is_target(pid_tgid >> 32))
		return false;
	if (by_tid && !is_target((__u32)pid_tgid))
		return false;
	if (uid_plus_one && (__u32)bpf_get_current_uid_gid() != uid_plus_one - 1)
		return false;
	if (comm_wanted[0]) {
		bpf_get_current_comm(comm, sizeof(comm));
		if (!has_name(comm))
			return false;
	}
	return !cgroup_id || in_cgroup(bpf_get_current_task_btf());
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	const __u8 yes = 1;

	if (pid == program)
		bpf_map_update_elem(&targets, &pid, &yes, BPF_ANY);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *child = (void *)ctx->args[1];
	__u32 pid = bpf_get_current_pid_tgid() >> 32, child_pid;
	const __u8 yes = 1;

	if (!is_target(pid))
		return 0;
	child_pid = (__u32)BPF_CORE_READ(child, tgid);
	if (child_pid != pid)
		bpf_map_update_elem(&targets, &child_pid, &yes, BPF_ANY);
	return 0;
}

/* A process id is free for another one. */
SEC("raw_tp/sched_process_free")
int on_free(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *task = (void *)ctx->args[0];
	__u32 pid = (__u32)BPF_CORE_READ(task, pid);

	if (pid == (__u32)BPF_CORE_READ(task, tgid))
		bpf_map_delete_elem(&targets, &pid);
	return 0;
}

#endif
