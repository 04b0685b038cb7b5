/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records from bpf/run_queue.bpf.c to source/run_queue.c. */
#ifndef BPF_RUN_QUEUE_DELAY_H
#define BPF_RUN_QUEUE_DELAY_H

#include <linux/types.h>

/* A thread got a CPU after it had waited for one. */
struct run_queue_delay {
	__u64 time_ns; /* CLOCK_MONOTONIC, when it got the CPU */
	__u64 delay_ns;
	__u32 pid, tid, previous_tid, cpu; /* previous: the thread that left that CPU, 0: idle */
	char comm[16], previous_comm[16];
};

#define RUN_QUEUE_LENGTHS 64 /* the last one includes all longer queues */

#endif
