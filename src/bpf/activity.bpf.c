/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools with BCC's names watch (event/activity.h). User space loads the programs that the
 * chosen kinds need. Most are raw tracepoints, because one that a kernel does not have fails when
 * it is attached, and alone. */
#include "bpf/activity/deliver.bpf.h"

#include "bpf/activity/block.bpf.h"
#include "bpf/activity/cache.bpf.h"
#include "bpf/activity/call.bpf.h"
#include "bpf/activity/interrupt.bpf.h"
#include "bpf/activity/tcp.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("raw_tp/sched_process_exit")
int on_process_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct activity *activity;

	if (!is_of_interest() || (!rules.threads && task->pid != task->tgid))
		return 0;
	activity = begin_activity(ACTIVITY_EXIT);
	if (!activity)
		return 0;
	put_thread(activity);
	activity->ppid = (__u32)BPF_CORE_READ(task, real_parent, tgid);
	activity->number[EXIT_CODE] = (__u32)BPF_CORE_READ(task, exit_code);
	activity->number[EXIT_AGE_NS] = activity->time_ns - BPF_CORE_READ(task, start_time);
	if (rules.only_failed && !activity->number[EXIT_CODE]) {
		give_back();
		return 0;
	}
	return deliver(activity);
}
