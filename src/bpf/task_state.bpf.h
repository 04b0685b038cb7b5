/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a task runs or waits. */
#ifndef BPF_TASK_STATE_H
#define BPF_TASK_STATE_H

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

/* include/linux/sched.h; the same on all architectures */
#define TASK_RUNNING	     0x0000
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED	     0x0004
#define TASK_TRACED	     0x0008

static __always_inline unsigned int task_state(struct task_struct *task)
{
	struct task_struct___before_5_14 *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return (unsigned int)BPF_CORE_READ(old, state);
}

#endif
