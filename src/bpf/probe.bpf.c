/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smallest program that uses what all others need: a perf event as trigger, a map shared with
 * user space, and a field of a kernel type found through BTF. source/bpf/bpf_probe.c loads it to
 * learn whether this kernel and this user may use BPF at all. */
#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

char LICENSE[] SEC("license") = "GPL";

__u64 runs;    /* how often the program ran */
__u64 correct; /* how often the task's tgid was the one that the helper names */

SEC("perf_event")
int probe(void *context)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	(void)context;
	__sync_fetch_and_add(&runs, 1);
	if ((__u32)BPF_CORE_READ(task, tgid) == tgid)
		__sync_fetch_and_add(&correct, 1);
	return 0;
}
