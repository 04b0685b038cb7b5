/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a thread is in a chosen cgroup of version 2, or in one below it. */
#ifndef BPF_CGROUP_FILTER_H
#define BPF_CGROUP_FILTER_H

#include <stdbool.h>

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define CGROUP_LEVELS 16 /* deeper ones are not found */

const volatile __u64 cgroup_id; /* inode number of its folder; 0 = every thread is meant */

static __always_inline bool in_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup;

	if (!cgroup_id)
		return true;
	cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	for (int i = 0; i < CGROUP_LEVELS && cgroup; i++) {
		if (BPF_CORE_READ(cgroup, kn, id) == cgroup_id)
			return true;
		/* A cgroup begins with its own state. */
		cgroup = (struct cgroup *)BPF_CORE_READ(cgroup, self.parent);
	}
	return false;
}

#endif
