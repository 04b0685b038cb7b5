/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns on a CPU with a missing start: occasionally the kernel calls no program when a CPU wakes
 * from idle, neither for the wakeup nor for the switch. Only the idle task's switch is missed,
 * never that of a thread, by the kernel's own counts of its switches (nvcsw, nivcsw), in a minute
 * with 472 such turns. */
#ifndef BPF_TURN_BPF_H
#define BPF_TURN_BPF_H

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

/* When a thread got the CPU that it leaves now: it ran since for as long as its run time grew,
 * which was ran_ns when it left a CPU at since_ns. 0 = that cannot be. */
static __always_inline __u64 turn_began(const struct task_struct *task, __u64 ran_ns,
					__u64 since_ns, __u64 now_ns)
{
	__u64 began_ns = now_ns - (task->se.sum_exec_runtime - ran_ns);

	return began_ns >= since_ns && began_ns <= now_ns ? began_ns : 0;
}

#endif
