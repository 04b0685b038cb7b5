/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bpf/off_cpu.bpf.c and source/bpf/bpf_off_cpu.c say to each other beside the records of
 * bpf/cpu.h. */
#ifndef BPF_OFF_CPU_H
#define BPF_OFF_CPU_H

#include <linux/types.h>

/* Flag of a sample: its base names a raw stack that was sent before. */
#define OFF_CPU_RAW 0x80
/* Flag of a raw record: its period is that name. Samples of who woke a thread come right before
 * that thread's, with the same time from the same CPU. */
#define OFF_CPU_STACK 0x40

/* Waits too short to be told one by one. */
struct off_cpu_sum_key {
	__u64 stack, waker_stack; /* names of nodes; 0 = none */
	__u32 pid, tid, waker_pid, waker_tid;
};

struct off_cpu_sum {
	__u64 ns, count, max_ns;
	__u64 last_ns; /* when a wait ended last */
};

#endif
