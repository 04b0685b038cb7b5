/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between bpf/stack_counts.bpf.c and source/probe/stack_counts_source.c, besides the
 * records of bpf/cpu.h. */
#ifndef BPF_STACK_COUNTS_H
#define BPF_STACK_COUNTS_H

#include <linux/types.h>

#define STACK_COUNTS_SUMS 65536u /* of a round: by thread and stack */

/* Hits of one thread at one stack; the sum is their number. */
struct stack_count_key {
	__u64 stack; /* name of a node; 0 = it was not taken */
	__u32 pid, tid;
};

#endif
