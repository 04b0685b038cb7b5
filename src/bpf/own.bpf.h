/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's own processes. What they do for the recording would make more of it. */
#ifndef BPF_OWN_BPF_H
#define BPF_OWN_BPF_H

#include <stdbool.h>

#include "bpf/kernel.h"
#include "bpf/own.h"

__u32 own_processes[OWN_PROCESSES]; /* each is one of them; complete at the start */

static __always_inline bool is_own(__u32 tgid)
{
	return tgid == *(volatile __u32 *)&own_processes[0] ||
	       tgid == *(volatile __u32 *)&own_processes[1] ||
	       tgid == *(volatile __u32 *)&own_processes[2] ||
	       tgid == *(volatile __u32 *)&own_processes[3];
}

#endif
